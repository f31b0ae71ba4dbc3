-- Table of the ledger in ia.db: the journal of trades. Money, prices and quantities are decimal numbers as text.

-- version 4
CREATE TABLE trades (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    wall TEXT NOT NULL,
    date TEXT NOT NULL,
    kind TEXT NOT NULL,
    symbol TEXT,
    name TEXT,
    currency TEXT NOT NULL,
    price TEXT,
    quantity TEXT,
    cash TEXT,
    ratio TEXT,
    commission TEXT,
    stamp TEXT,
    transfer TEXT,
    other TEXT,
    reason TEXT,
    session TEXT,
    actor TEXT,
    origin TEXT,
    key TEXT,
    corrects INTEGER,
    override TEXT,
    run INTEGER
);
CREATE INDEX idx_trades_symbol_date ON trades (symbol, date);
CREATE UNIQUE INDEX idx_trades_key ON trades (key);
CREATE UNIQUE INDEX idx_trades_corrects ON trades (corrects);
CREATE TRIGGER trades_no_update BEFORE UPDATE ON trades
BEGIN
    SELECT raise(ABORT, 'the journal of trades is only added to');
END;
CREATE TRIGGER trades_no_delete BEFORE DELETE ON trades
BEGIN
    SELECT raise(ABORT, 'the journal of trades is only added to');
END;

-- version 5: why an entry was corrected, beside the reason of the trade
ALTER TABLE trades ADD COLUMN note TEXT;
