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

-- version 11: what forms asked (JSON; NULL empties a slot), and the skills that are active
CREATE TABLE slots (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT,
    created TEXT NOT NULL
);
CREATE INDEX idx_slots_session ON slots (session);
CREATE TABLE session_skills (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    skill TEXT NOT NULL,
    begun TEXT NOT NULL,
    ended TEXT
);
CREATE INDEX idx_session_skills_session ON session_skills (session);

-- version 12: what the phases of a skill have produced (JSON; NULL drops an output)
CREATE TABLE outputs (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    skill TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT,
    created TEXT NOT NULL
);
CREATE INDEX idx_outputs_session ON outputs (session);
