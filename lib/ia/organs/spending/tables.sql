-- Table of usage in ia.db: the tokens and the cost of each call of a model. Costs are in units of 1e-12.

-- version 2
CREATE TABLE usage (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    wall TEXT NOT NULL,
    command TEXT,
    session TEXT,
    turn TEXT,
    model TEXT NOT NULL,
    actor TEXT,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_pico INTEGER,
    currency TEXT,
    estimated INTEGER,
    state TEXT NOT NULL
);
CREATE INDEX idx_usage_wall ON usage (wall);
CREATE INDEX idx_usage_turn ON usage (turn);

-- version 6: the process that reserved the tokens
ALTER TABLE usage ADD COLUMN owner TEXT;
