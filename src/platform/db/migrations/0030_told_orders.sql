-- What a backend says of an order replaces what a page said of it.
ALTER TABLE feedback_events ADD COLUMN standing INTEGER NOT NULL DEFAULT 0; -- 0: counts; 1: a page told it, and the backend tells it itself; 2: a page told it, and nobody believes it
ALTER TABLE feedback_events ADD COLUMN is_product_counted INTEGER NOT NULL DEFAULT 1; -- 0: counts in the totals alone
ALTER TABLE event_days ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0; -- of the events, those with standing 1

-- The lines of an order that count, the backend's and the pages' apart.
DROP INDEX feedback_events_sale;
CREATE INDEX feedback_events_sale ON feedback_events (store_id, order_id, origin, currency)
  WHERE order_id IS NOT NULL AND action = 'purchase' AND standing = 0;
