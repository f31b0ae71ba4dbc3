-- Tables of sessions in ia.db.

-- version 2
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    created TEXT NOT NULL,
    deleted TEXT
);
CREATE UNIQUE INDEX idx_sessions_live ON sessions (name) WHERE deleted IS NULL;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    turn TEXT,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    importance INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    origins TEXT,
    created TEXT NOT NULL,
    deleted TEXT,
    gist TEXT
);
CREATE INDEX idx_messages_session_deleted ON messages (session, deleted);

-- version 9: the title that the user gave, and when
ALTER TABLE sessions ADD COLUMN title TEXT;
ALTER TABLE sessions ADD COLUMN titled TEXT;
