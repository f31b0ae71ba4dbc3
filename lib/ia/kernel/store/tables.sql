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

-- version 7: columns for what `why` and `origin` said in words; nothing reads or writes `proposals.origin` any more
ALTER TABLE revisions ADD COLUMN undoes INTEGER;
ALTER TABLE revisions ADD COLUMN takes_back INTEGER;
ALTER TABLE revisions ADD COLUMN profile TEXT;
UPDATE revisions SET undoes = CAST(substr(why, 18) AS INTEGER)
    WHERE why GLOB 'undo of revision [0-9]*' AND substr(why, 18) NOT GLOB '*[^0-9]*';
UPDATE revisions SET takes_back = CAST(substr(why, 5) AS INTEGER)
    WHERE why GLOB 'run [0-9]* taken back' AND replace(substr(why, 5), ' taken back', '') NOT GLOB '*[^0-9]*';
UPDATE revisions SET profile = substr(why, 9) WHERE why GLOB 'profile ?*';
ALTER TABLE proposals ADD COLUMN turn TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN profile TEXT NOT NULL DEFAULT '';
ALTER TABLE proposals ADD COLUMN origins TEXT NOT NULL DEFAULT '["unknown"]';
-- `origin` was `run ID`, or else parts between "; ": `from SOURCE` or `profile NAME`, `turn ID`, `session NAME`,
-- `untrusted: ORIGIN, ORIGIN`. If it has anything else, or only `because` says "untrusted", the origins stay unknown.
UPDATE proposals SET turn = (
        SELECT substr(part, 1, instr(part || '; ', '; ') - 1)
        FROM (SELECT substr('; ' || origin, instr('; ' || origin, '; turn ') + 7) AS part))
    WHERE instr('; ' || origin, '; turn ') > 0;
UPDATE proposals SET session = (
        SELECT substr(part, 1, instr(part || '; ', '; ') - 1)
        FROM (SELECT substr('; ' || origin, instr('; ' || origin, '; session ') + 10) AS part))
    WHERE instr('; ' || origin, '; session ') > 0;
UPDATE proposals SET source = (
        SELECT substr(origin, 6, min(
            instr(origin || '; turn ', '; turn '),
            instr(origin || '; session ', '; session '),
            instr(origin || '; untrusted: ', '; untrusted: ')) - 6))
    WHERE origin GLOB 'from ?*';
UPDATE proposals SET profile = substr(origin, 9) WHERE origin GLOB 'profile ?*';
UPDATE proposals SET origins = '[' || replace(json_quote(
        substr('; ' || origin, instr('; ' || origin, '; untrusted: ') + 13)), ', ', '","') || ']'
    WHERE instr('; ' || origin, '; untrusted: ') > 0
        AND trim(substr('; ' || origin, instr('; ' || origin, '; untrusted: ') + 13)) <> '';
UPDATE proposals SET origins = '[]'
    WHERE coalesce(because, '') NOT LIKE '[untrusted:%'
        AND (origin = 'run ' || run OR origin = substr(
            iif(source = '', '', '; from ' || source) || iif(profile = '', '', '; profile ' || profile)
            || iif(turn = '', '', '; turn ' || turn) || iif(session = '', '', '; session ' || session), 3));
