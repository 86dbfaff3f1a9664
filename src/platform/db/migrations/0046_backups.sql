-- The backups that were made of this install, and those that failed.
CREATE TABLE backups (
  id          TEXT    PRIMARY KEY, -- UUIDv7
  state       TEXT    NOT NULL CHECK (state IN ('running', 'completed', 'failed')),
  started_by  TEXT    NOT NULL CHECK (started_by IN ('schedule', 'operator', 'command')),
  path        TEXT    NOT NULL,
  has_secrets INTEGER NOT NULL CHECK (has_secrets IN (0, 1)),
  is_rotated  INTEGER NOT NULL CHECK (is_rotated IN (0, 1)), -- whether it goes when enough newer ones count
  step        TEXT,
  progress    REAL    NOT NULL DEFAULT 0,
  started_at  INTEGER NOT NULL,    -- Unix ms, like finished_at and made_at
  finished_at INTEGER,
  made_at     INTEGER,             -- the moment of the copy
  bytes       INTEGER,
  sha256      TEXT,
  counts      TEXT    CHECK (json_valid(counts)),
  error       TEXT
) STRICT;

CREATE INDEX backups_by_state ON backups (state, id);
