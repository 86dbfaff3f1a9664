-- How full the disk of the data folder was, once for each day: it tells when it will be full.
CREATE TABLE disk_samples (
  day        INTEGER PRIMARY KEY, -- days since 1970
  free_share REAL    NOT NULL     -- 0 to 1
) STRICT;
