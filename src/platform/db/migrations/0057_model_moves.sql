-- Where the files of a model lay when they were read last; a move opens them again after a restart.
ALTER TABLE models ADD COLUMN dir TEXT;

-- The model of all stores outside a move, and the one before it, whose vectors stay for a while.
CREATE TABLE model_state (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  in_use       INTEGER NOT NULL REFERENCES models (id),
  is_chosen    INTEGER NOT NULL DEFAULT 0 CHECK (is_chosen IN (0, 1)), -- 0: the bundled one, or that of MODEL_DIR
  former       INTEGER REFERENCES models (id), -- the way back; null without one
  former_until INTEGER                         -- Unix ms; its vectors are deleted then
) STRICT;

-- Moves of the catalogue to another model, or to the same one again. At most one of them runs.
CREATE TABLE model_moves (
  id            TEXT    PRIMARY KEY, -- UUIDv7
  kind          TEXT    NOT NULL CHECK (kind IN ('use', 'back', 'reindex')),
  from_model    INTEGER NOT NULL REFERENCES models (id),
  to_model      INTEGER NOT NULL REFERENCES models (id),
  state         TEXT    NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
  is_chosen     INTEGER NOT NULL CHECK (is_chosen IN (0, 1)), -- 0: the start of the program began it, or it leads to the bundled model
  is_returning  INTEGER NOT NULL DEFAULT 0 CHECK (is_returning IN (0, 1)), -- cancelled; the stores that had switched go back
  stores        INTEGER NOT NULL DEFAULT 0, -- what it had done when it ended
  stores_done   INTEGER NOT NULL DEFAULT 0,
  products      INTEGER NOT NULL DEFAULT 0,
  products_done INTEGER NOT NULL DEFAULT 0,
  failed        INTEGER NOT NULL DEFAULT 0,
  started_at    INTEGER NOT NULL, -- Unix ms, like the other times
  finished_at   INTEGER
) STRICT;
CREATE UNIQUE INDEX model_moves_running ON model_moves (state) WHERE state = 'running';

-- How far the stores have come whose products are embedded again with the same model.
CREATE TABLE model_move_stores (
  store_id      TEXT    PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  place         TEXT    NOT NULL DEFAULT '', -- the last product, by the bytes of its id, up to which all are done or have failed
  products_done INTEGER NOT NULL DEFAULT 0,
  is_done       INTEGER NOT NULL DEFAULT 0 CHECK (is_done IN (0, 1))
) STRICT, WITHOUT ROWID;

-- The stores whose searches the running move has switched to its model. All others are on the model in use.
CREATE TABLE store_models (
  store_id TEXT    PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  model    INTEGER NOT NULL REFERENCES models (id)
) STRICT, WITHOUT ROWID;

-- Models whose vectors are being deleted in steps.
CREATE TABLE leaving_models (
  model INTEGER PRIMARY KEY REFERENCES models (id)
) STRICT;
