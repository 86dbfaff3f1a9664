-- One row for each model that ever made a vector here; its vectors lie in the vec0 table vectors_<id>.
CREATE TABLE models (
  id         INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL,
  hash       TEXT    NOT NULL UNIQUE,
  dimension  INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE products (
  id         INTEGER PRIMARY KEY,
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  product_id TEXT    NOT NULL, -- the client's own
  vector_id  TEXT    NOT NULL UNIQUE, -- UUIDv7
  image_url  TEXT    NOT NULL,
  metadata   TEXT    NOT NULL CHECK (json_valid(metadata)),
  category   TEXT,             -- folded copies of metadata keys, for filters and lists
  brand      TEXT,
  color      TEXT,
  price      REAL,
  name       TEXT,
  is_demo    INTEGER NOT NULL DEFAULT 0 CHECK (is_demo IN (0, 1)),
  created_at INTEGER NOT NULL, -- Unix ms
  indexed_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (store_id, product_id)
) STRICT;

CREATE INDEX products_updated ON products (store_id, updated_at, id);
CREATE INDEX products_category ON products (store_id, category);
CREATE INDEX products_demo ON products (store_id) WHERE is_demo = 1;

-- The pictures of a product, the first one at position 0. The id is also the row of its vector.
CREATE TABLE pictures (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  product      INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  store_id     TEXT    NOT NULL,
  position     INTEGER NOT NULL,
  image_url    TEXT    NOT NULL,
  model        INTEGER NOT NULL REFERENCES models (id),
  content_hash BLOB    NOT NULL, -- SHA-256 of the encoded bytes
  content_type TEXT    NOT NULL,
  bytes        INTEGER NOT NULL,
  width        INTEGER NOT NULL,
  height       INTEGER NOT NULL,
  phash        TEXT    NOT NULL,
  palette      TEXT    NOT NULL CHECK (json_valid(palette)),
  UNIQUE (product, position)
) STRICT;

CREATE INDEX pictures_content ON pictures (store_id, content_hash);

-- Pictures that arrived as bytes: the file lies under its content hash, the address is a secret of the store.
CREATE TABLE kept_pictures (
  address      TEXT PRIMARY KEY, -- 128 random bits, base64url
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  content_hash BLOB    NOT NULL,
  content_type TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  UNIQUE (store_id, content_hash)
) STRICT;

CREATE INDEX kept_pictures_content ON kept_pictures (content_hash);
