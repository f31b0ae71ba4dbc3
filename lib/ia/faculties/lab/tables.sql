-- Table of backtests in ia.db: every variant of a family of rules that was ever tried, with what it came to last.

-- version 10
CREATE TABLE backtest_trials (
    id INTEGER PRIMARY KEY,
    family TEXT NOT NULL,
    variant TEXT NOT NULL,
    tried TEXT NOT NULL,
    run TEXT NOT NULL,
    rules TEXT NOT NULL,
    universe TEXT NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL,
    returns INTEGER NOT NULL,
    sharpe REAL,
    UNIQUE (family, variant)
);
