-- The model of all stores outside a move, and the one before it, whose vectors stay for a while.
CREATE TABLE model_state (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  in_use       INTEGER NOT NULL REFERENCES models (id),
  is_chosen    INTEGER NOT NULL DEFAULT 0 CHECK (is_chosen IN (0, 1)), -- 0: the bundled one, or that of MODEL_DIR
  former       INTEGER REFERENCES models (id), -- the way back; null without one
  former_until INTEGER                         -- Unix ms; its vectors are deleted then
) STRICT;

-- The stores whose searches the running move has switched to its model. All others are on the model in use.
CREATE TABLE store_models (
  store_id TEXT    PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  model    INTEGER NOT NULL REFERENCES models (id)
) STRICT, WITHOUT ROWID;
