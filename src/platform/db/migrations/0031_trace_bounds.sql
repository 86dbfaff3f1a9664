-- What a store leaves behind is bounded by its plan, besides the days that it is kept.

ALTER TABLE change_numbers ADD COLUMN oldest_number INTEGER NOT NULL DEFAULT 1; -- of the feed; a row below waits for its deliveries alone
ALTER TABLE change_numbers ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;         -- of the rows from the oldest number on

UPDATE change_numbers SET bytes = coalesce(
  (SELECT sum(octet_length(data) + 200) FROM changes WHERE changes.store_id = change_numbers.store_id), 0);

CREATE TRIGGER changes_added AFTER INSERT ON changes
BEGIN
  UPDATE change_numbers SET bytes = bytes + octet_length(NEW.data) + 200 WHERE store_id = NEW.store_id;
END;

CREATE TRIGGER changes_removed AFTER DELETE ON changes
BEGIN
  UPDATE change_numbers SET bytes = bytes - octet_length(OLD.data) - 200
  WHERE store_id = OLD.store_id AND oldest_number <= OLD.number;
END;

-- Events that are kept, the backend's and those of pages apart: pages must not push out what the backend has told.
CREATE TABLE feedback_counts (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  origin   TEXT    NOT NULL, -- api, widget
  events   INTEGER NOT NULL,
  PRIMARY KEY (store_id, origin)
) STRICT, WITHOUT ROWID;

INSERT INTO feedback_counts (store_id, origin, events)
SELECT store_id, origin, count(*) FROM feedback_events GROUP BY store_id, origin;

DROP INDEX feedback_events_store;
CREATE INDEX feedback_events_store ON feedback_events (store_id, origin, created_at);

CREATE TRIGGER feedback_events_removed AFTER DELETE ON feedback_events
BEGIN
  UPDATE feedback_counts SET events = events - 1 WHERE store_id = OLD.store_id AND origin = OLD.origin;
END;
