-- The log lists searches newest first: all, or those of a type and of widgets or backends.
DROP INDEX searches_time;
CREATE INDEX searches_kind ON searches (store_id, type, (widget_key_id IS NOT NULL), created_at);

-- What found nothing: first pages alone, because a later one is empty where its list ends.
CREATE INDEX searches_empty ON searches (store_id, created_at)
WHERE results = '[]' AND type <> 'batch' AND coalesce(json_extract(parameters, '$.offset'), 0) = 0;

DROP INDEX searches_session;
CREATE INDEX searches_session ON searches (store_id, session_id, created_at) WHERE session_id IS NOT NULL;

-- The time zones that a store has had: each holds for the moments after its own, until the next one. UTC before the first.
-- Searches and events are counted on the days of the zone that held at their moment, so a change moves no count.
CREATE TABLE store_time_zones (
  store_id  TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  after     INTEGER NOT NULL, -- Unix ms
  time_zone TEXT    NOT NULL, -- name of IANA
  PRIMARY KEY (store_id, after)
) STRICT, WITHOUT ROWID;

INSERT INTO store_time_zones (store_id, after, time_zone)
SELECT store_id, CAST(unixepoch('subsec') * 1000 AS INTEGER), settings ->> '$.time_zone' FROM store_settings
WHERE coalesce(settings ->> '$.time_zone', 'UTC') <> 'UTC';

-- The products that a store had on the last days, for the date on which its plan is full.
CREATE TABLE product_days (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  day      INTEGER NOT NULL, -- since 1970, in UTC
  products INTEGER NOT NULL, -- as they were last seen on it
  PRIMARY KEY (store_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_days_age ON product_days (day);
