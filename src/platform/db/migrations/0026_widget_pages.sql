-- Which page of a shop searched, and which one told of an event: a widget key and an origin. Both are null for a backend.
ALTER TABLE searches ADD COLUMN widget_key_id TEXT;
ALTER TABLE searches ADD COLUMN page_origin TEXT;
ALTER TABLE feedback_events ADD COLUMN widget_key_id TEXT;
ALTER TABLE feedback_events ADD COLUMN page_origin TEXT;

-- The pages that have used a widget key. They stay when the key is revoked, for as long as something is counted of them.
CREATE TABLE widget_pages (
  id       INTEGER PRIMARY KEY,
  store_id TEXT NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  key_id   TEXT NOT NULL,   -- in public_keys
  origin   TEXT NOT NULL,
  last_search_at INTEGER,   -- Unix ms
  last_event_at  INTEGER,
  UNIQUE (store_id, key_id, origin)
) STRICT;

-- Searches of a page on one day with what shoppers did with them, and the events that the page told of on that day.
CREATE TABLE widget_page_days (
  store_id  TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  day       INTEGER NOT NULL,
  page      INTEGER NOT NULL, -- in widget_pages
  searches  INTEGER NOT NULL DEFAULT 0,
  zero      INTEGER NOT NULL DEFAULT 0, -- without results
  clicked   INTEGER NOT NULL DEFAULT 0, -- searches with at least one click
  carted    INTEGER NOT NULL DEFAULT 0,
  purchased INTEGER NOT NULL DEFAULT 0,
  clicks    INTEGER NOT NULL DEFAULT 0, -- events
  carts     INTEGER NOT NULL DEFAULT 0,
  purchases INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, day, page)
) STRICT, WITHOUT ROWID;

-- The page of the search that counts; null for one of a backend.
ALTER TABLE burst_searches ADD COLUMN into_page INTEGER;
