-- Table of channels in ia.db: the messages to the user.

-- version 3
CREATE TABLE notices (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    wall TEXT,
    run INTEGER,
    key TEXT,
    channel TEXT NOT NULL,
    title TEXT,
    text TEXT NOT NULL,
    actor TEXT,
    origins TEXT,
    state TEXT NOT NULL,
    error TEXT,
    told TEXT
);
CREATE UNIQUE INDEX idx_notices_key ON notices (key);
CREATE INDEX idx_notices_state ON notices (state);

-- version 8: when its reader opened a message
ALTER TABLE notices ADD COLUMN read TEXT;
UPDATE notices SET read = told WHERE told IS NOT NULL;
