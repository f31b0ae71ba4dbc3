-- Table of bridges in ia.db: the messages and deliveries that came in.

-- version 3
CREATE TABLE received (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    wall TEXT,
    channel TEXT NOT NULL,
    key TEXT NOT NULL,
    sender TEXT,
    content TEXT,
    state TEXT NOT NULL,
    reply TEXT
);
CREATE UNIQUE INDEX idx_received_channel_key ON received (channel, key);
CREATE INDEX idx_received_state ON received (state);
