-- One row that readiness writes, to know that a write reaches the disk.
CREATE TABLE write_probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Unix ms.
  written_at INTEGER NOT NULL
) STRICT;

INSERT INTO write_probe (id, written_at) VALUES (1, 0);
