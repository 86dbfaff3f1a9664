-- Results of saved checks with the model that answered, and those of the model before it. The table is made anew, because a
-- column behind the pictures would have every list read them.
CREATE TABLE new_search_checks (
  id            TEXT    PRIMARY KEY, -- UUIDv7
  store_id      TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  name          TEXT    NOT NULL,
  query         TEXT,                -- words, or a picture
  expected      TEXT    NOT NULL CHECK (json_valid(expected)), -- product ids
  within        INTEGER NOT NULL,    -- the last place at which they pass
  created_at    INTEGER NOT NULL,    -- Unix ms, like last_run_at and before_run_at
  waiting_for   TEXT,                -- id of the job that has yet to run it
  last_job      TEXT,
  last_run_at   INTEGER,
  last_model    TEXT,                -- the model that answered; null for a run before this column
  last_result   TEXT    CHECK (json_valid(last_result)),
  before_run_at INTEGER,
  before_model  TEXT,                -- the one that answered before last_model
  before_result TEXT    CHECK (json_valid(before_result)),
  picture       BLOB,                -- as it was uploaded; the last column, so that lists do not read it
  CHECK ((query IS NULL) <> (picture IS NULL))
) STRICT;

-- Where there has been one model alone, it has answered.
INSERT INTO new_search_checks (id, store_id, name, query, expected, within, created_at, waiting_for, last_job, last_run_at,
    last_model, last_result, picture)
  SELECT id, store_id, name, query, expected, within, created_at, waiting_for, last_job, last_run_at,
    iif(last_result IS NULL OR (SELECT count(*) FROM models) <> 1, NULL, (SELECT name FROM models)), last_result, picture
  FROM search_checks;
DROP TABLE search_checks;
ALTER TABLE new_search_checks RENAME TO search_checks;

CREATE INDEX search_checks_of_store ON search_checks (store_id, id);
CREATE INDEX search_checks_waiting ON search_checks (store_id, id) WHERE waiting_for IS NOT NULL;
