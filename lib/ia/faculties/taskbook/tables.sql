-- Tables of tasks in ia.db.

-- version 3
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    state TEXT NOT NULL,
    since TEXT NOT NULL,
    approved TEXT NOT NULL,
    "by" TEXT,
    environment TEXT,
    changed TEXT NOT NULL,
    removed TEXT
);
CREATE UNIQUE INDEX idx_tasks_live ON tasks (name) WHERE removed IS NULL;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL,
    name TEXT NOT NULL,
    slot TEXT NOT NULL,
    why TEXT,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    started TEXT NOT NULL,
    ended TEXT,
    status INTEGER,
    report TEXT,
    summary TEXT,
    reason TEXT,
    retry_at TEXT,
    data TEXT
);
CREATE UNIQUE INDEX idx_runs_task_slot ON runs (task, slot);
CREATE INDEX idx_runs_state ON runs (state);
