-- Counts of searches and feedback. A day is a number of whole days since 1970 in UTC. They are kept longer than the
-- searches and events that they count.

-- Searches of one day and type. What shoppers did counts for the day of the search.
CREATE TABLE search_days (
  store_id  TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  day       INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  searches  INTEGER NOT NULL DEFAULT 0,
  zero      INTEGER NOT NULL DEFAULT 0, -- without results
  low       INTEGER NOT NULL DEFAULT 0, -- whose best result is not plausible
  clicked   INTEGER NOT NULL DEFAULT 0, -- with at least one click
  carted    INTEGER NOT NULL DEFAULT 0,
  purchased INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, day, type)
) STRICT, WITHOUT ROWID;

-- Clicks on results of the searches of a day, by position: 1 to 10, 11 for 11 to 20, 21 for all after.
CREATE TABLE click_positions (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  day      INTEGER NOT NULL,
  bucket   INTEGER NOT NULL,
  clicks   INTEGER NOT NULL,
  sum      INTEGER NOT NULL, -- of the positions
  PRIMARY KEY (store_id, day, bucket)
) STRICT, WITHOUT ROWID;

-- Events of a day, whether or not a search belongs to them.
CREATE TABLE event_days (
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  day        INTEGER NOT NULL,
  action     TEXT    NOT NULL,
  events     INTEGER NOT NULL,
  attributed INTEGER NOT NULL,
  PRIMARY KEY (store_id, day, action)
) STRICT, WITHOUT ROWID;

CREATE TABLE revenue_days (
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  day        INTEGER NOT NULL,
  currency   TEXT    NOT NULL,
  total      REAL    NOT NULL,
  attributed REAL    NOT NULL,
  orders     INTEGER NOT NULL,
  PRIMARY KEY (store_id, day, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE product_revenue (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  product  INTEGER NOT NULL, -- its number in tally_items
  day      INTEGER NOT NULL,
  currency TEXT    NOT NULL,
  amount   REAL    NOT NULL,
  PRIMARY KEY (store_id, product, day, currency)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_revenue_day ON product_revenue (store_id, day);

-- Numbers of queries (kind 1) and products (kind 2) in tallies, each store from 0 on.
CREATE TABLE tally_items (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  kind     INTEGER NOT NULL,
  number   INTEGER NOT NULL,
  name     TEXT,             -- null: nothing counts under this number any more, and it may be given again
  last_day INTEGER NOT NULL, -- of a pack that counts it
  PRIMARY KEY (store_id, kind, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tally_items_name ON tally_items (store_id, kind, name);

-- Counts of one day by item. 1: query (searches, clicked, results, searches without results). 2: product (impressions,
-- clicks, carts, purchases). 3: session (hash). 4: sessions beyond a number, as registers of a sketch (rank).
-- 5: duration (bin of a histogram, searches).
CREATE TABLE tallies (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  kind     INTEGER NOT NULL,
  day      INTEGER NOT NULL,
  item     INTEGER NOT NULL,
  a        INTEGER NOT NULL,
  b        INTEGER NOT NULL DEFAULT 0,
  c        INTEGER NOT NULL DEFAULT 0,
  d        INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, kind, day, item)
) STRICT, WITHOUT ROWID;

-- The rows of days that are over, in columns of numbers. Rows that come later stand beside it and are added.
CREATE TABLE tally_packs (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  kind     INTEGER NOT NULL,
  day      INTEGER NOT NULL,
  pack     BLOB    NOT NULL,
  PRIMARY KEY (store_id, kind, day)
) STRICT;

-- Searches that shoppers did something with; a bit each for click, cart and purchase.
CREATE TABLE engaged_searches (
  search_id TEXT PRIMARY KEY,
  store_id  TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  actions   INTEGER NOT NULL,
  day       INTEGER NOT NULL -- of the search
) STRICT, WITHOUT ROWID;
CREATE INDEX engaged_searches_store ON engaged_searches (store_id, day);

-- Searches of a burst of keystrokes that are counted as the next one.
CREATE TABLE burst_searches (
  search_id TEXT PRIMARY KEY,
  store_id  TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  into_id   TEXT    NOT NULL,
  into_day  INTEGER NOT NULL,
  into_query TEXT,
  day       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX burst_searches_store ON burst_searches (store_id, day);

-- Searches by picture that found nothing alike, with the vector of the picture in 8 bits a dimension.
CREATE TABLE unmet_searches (
  search_id  TEXT PRIMARY KEY,
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  model      INTEGER NOT NULL REFERENCES models (id),
  vector     BLOB    NOT NULL,
  score      REAL, -- of the best result; null without any
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unmet_searches_time ON unmet_searches (store_id, created_at);

-- What they have in common, as JSON; made anew every night.
CREATE TABLE unmet_maps (
  store_id    TEXT PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  map         TEXT    NOT NULL CHECK (json_valid(map)),
  computed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
