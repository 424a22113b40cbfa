-- What callers' answers cost, by day of UTC.
CREATE TABLE IF NOT EXISTS spending (
    day TEXT NOT NULL,
    caller TEXT NOT NULL,
    usd REAL NOT NULL,
    PRIMARY KEY (day, caller)
) WITHOUT ROWID;
