-- Tables of the kernel in ia.db: audit, workspace, proposals and unit read and write them.

-- version 1
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    wall TEXT,
    kind TEXT NOT NULL,
    subject TEXT,
    actor TEXT,
    data TEXT
);
CREATE INDEX idx_events_kind_subject ON events (kind, subject);
CREATE TABLE revisions (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    path TEXT NOT NULL,
    actor TEXT,
    why TEXT,
    before TEXT,
    before_sha TEXT,
    after_sha TEXT
);
CREATE INDEX idx_revisions_path_id ON revisions (path, id);
CREATE INDEX idx_revisions_time ON revisions (time);
CREATE TABLE proposals (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    before TEXT,
    after TEXT,
    because TEXT,
    origin TEXT,
    actor TEXT,
    state TEXT NOT NULL DEFAULT 'pending',
    decided TEXT,
    decided_by TEXT
);

-- version 3: the run of a task that wrote or proposed something
ALTER TABLE revisions ADD COLUMN run INTEGER;
ALTER TABLE proposals ADD COLUMN run INTEGER;

-- version 6: what a killed process may have left to do
CREATE TABLE unfinished (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    changes TEXT NOT NULL
);
