-- Finds the pictures of an earlier model. Every picture is of the present model as a rule, so a seek ends at once.
CREATE INDEX pictures_model ON pictures (model, store_id, product);

-- Products that could not be embedded with the present model, because their pictures could not be had.
CREATE TABLE reembedding_tries (
  product  INTEGER PRIMARY KEY REFERENCES products (id) ON DELETE CASCADE,
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  model    INTEGER NOT NULL REFERENCES models (id), -- the model that they were tried with
  tries    INTEGER NOT NULL,
  due_at   INTEGER NOT NULL, -- Unix ms of the next try
  error    TEXT    NOT NULL  -- code of the last failure
) STRICT;

CREATE INDEX reembedding_tries_store ON reembedding_tries (store_id);
