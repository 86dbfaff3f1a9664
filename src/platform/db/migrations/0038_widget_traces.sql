-- What was last seen from each page that a widget key lists. Written at most once a minute for each time.
CREATE TABLE widget_traces (
  key_id           TEXT    NOT NULL REFERENCES public_keys (id) ON DELETE CASCADE,
  origin           TEXT    NOT NULL, -- as browsers send it
  store_id         TEXT    NOT NULL,
  last_search_at   INTEGER, -- Unix ms
  last_click_at    INTEGER,
  last_cart_at     INTEGER,
  last_purchase_at INTEGER,
  PRIMARY KEY (key_id, origin)
) STRICT, WITHOUT ROWID;

CREATE INDEX widget_traces_store ON widget_traces (store_id);

-- Requests with the key that were refused on one day, which is counted from 1970 in UTC.
ALTER TABLE public_keys ADD COLUMN refused_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE public_keys ADD COLUMN refused     INTEGER NOT NULL DEFAULT 0;

-- When the present client secret was made, and last exchanged for a token. null: not since the upgrade to this version.
ALTER TABLE stores ADD COLUMN secret_made_at INTEGER;
ALTER TABLE stores ADD COLUMN secret_used_at INTEGER;
UPDATE stores SET secret_made_at = created_at WHERE secret_generation = 1;
