-- Table of alerts in ia.db: what a condition was on each session that was looked at.

-- version 8
CREATE TABLE alert_sessions (
    task INTEGER NOT NULL,
    session TEXT NOT NULL,
    holds INTEGER NOT NULL,
    close REAL NOT NULL,
    checked TEXT NOT NULL,
    run INTEGER,
    told INTEGER,
    PRIMARY KEY (task, session)
) WITHOUT ROWID;
