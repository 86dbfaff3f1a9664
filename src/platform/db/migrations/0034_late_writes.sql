-- Searches and events that are on the disk, but not yet in their tables and counts. One row holds all that has to be written,
-- where the tables would take twenty pages for each search.
CREATE TABLE late_writes (
  number   INTEGER PRIMARY KEY, -- in the order in which they happened
  store_id TEXT    NOT NULL,
  kind     TEXT    NOT NULL,
  record   TEXT    NOT NULL CHECK (json_valid(record))
) STRICT;
