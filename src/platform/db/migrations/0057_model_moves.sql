-- The stores whose searches the running move has switched to its model. All others are on the model in use.
CREATE TABLE store_models (
  store_id TEXT    PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  model    INTEGER NOT NULL REFERENCES models (id)
) STRICT, WITHOUT ROWID;
