-- What shoppers did with products: clicks, products added to carts, purchases.
CREATE TABLE feedback_events (
  id          TEXT PRIMARY KEY, -- UUIDv7, the feedback_id
  store_id    TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  search_id   TEXT,             -- as sent; it need not be one of the store
  product_id  TEXT    NOT NULL, -- as sent; the product may be gone
  action      TEXT    NOT NULL, -- click, add_to_cart, purchase
  position    INTEGER,          -- in the ranking of the search, from 1
  is_attributed INTEGER NOT NULL CHECK (is_attributed IN (0, 1)),
  order_id    TEXT,
  order_value REAL,             -- of the whole line
  currency    TEXT,
  quantity    INTEGER NOT NULL,
  session_id  TEXT,
  repeat_key  TEXT,             -- the request's Idempotency-Key and the place in its list
  origin      TEXT    NOT NULL, -- api, widget
  occurred_at INTEGER NOT NULL, -- Unix ms
  created_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX feedback_events_search ON feedback_events (store_id, search_id, product_id) WHERE search_id IS NOT NULL;
CREATE INDEX feedback_events_order ON feedback_events (store_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX feedback_events_repeat ON feedback_events (store_id, repeat_key) WHERE repeat_key IS NOT NULL;
CREATE INDEX feedback_events_time ON feedback_events (created_at);
