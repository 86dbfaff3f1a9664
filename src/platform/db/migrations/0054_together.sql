-- How far the count of products that shoppers take together has come in each store.
CREATE TABLE together_runs (
  store_id    TEXT PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  made_at     INTEGER,                    -- Unix ms of the last run that ended, when it began; null before the first
  begun_at    INTEGER,                    -- Unix ms of the run under way; null between two runs
  is_outdated INTEGER NOT NULL DEFAULT 0, -- 1: events that its lists come from were erased
  number      INTEGER NOT NULL DEFAULT 0, -- of the run; a clock that was set back makes no two runs alike
  phase       TEXT    NOT NULL DEFAULT 'clearing',
  after       TEXT    NOT NULL DEFAULT '', -- what the phase has passed: an order, a session, a number or a product
  orders      INTEGER NOT NULL DEFAULT 0, -- of the last run, or so far
  visitors    INTEGER NOT NULL DEFAULT 0,
  products    INTEGER NOT NULL DEFAULT 0, -- numbers that were given
  pairs       INTEGER NOT NULL DEFAULT 0, -- rows in together_pairs
  sweeps      INTEGER NOT NULL DEFAULT 0, -- how often rare pairs were dropped
  sweep_one   INTEGER,                    -- the pair that the sweep under way has passed; null without a sweep
  sweep_other INTEGER
) STRICT, WITHOUT ROWID;

-- What a run counts. Empty between two runs; no row names a shopper, a session or an order.
CREATE TABLE together_products (
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  number     INTEGER NOT NULL,
  product_id TEXT    NOT NULL,
  orders     INTEGER NOT NULL DEFAULT 0,
  visitors   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX together_products_name ON together_products (store_id, product_id);

CREATE TABLE together_pairs (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  one      INTEGER NOT NULL, -- number in together_products, below the other
  other    INTEGER NOT NULL,
  orders   INTEGER NOT NULL,
  visitors INTEGER NOT NULL,
  missed   INTEGER NOT NULL, -- sweeps before the row came: it may have been dropped so often
  PRIMARY KEY (store_id, one, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX together_pairs_other ON together_pairs (store_id, other);

-- What shoppers take with a product, from the last run.
CREATE TABLE together_lists (
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  product_id TEXT    NOT NULL,
  basis      TEXT    NOT NULL CHECK (basis IN ('purchases', 'clicks')),
  products   TEXT    NOT NULL CHECK (json_valid(products)), -- [[product_id, score], …], best first
  run        INTEGER NOT NULL, -- its number
  PRIMARY KEY (store_id, product_id)
) STRICT, WITHOUT ROWID;
