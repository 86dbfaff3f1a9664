-- Whether an event is known must cost the same however many events its order or its search has.
DROP INDEX feedback_events_search;
DROP INDEX feedback_events_order;
CREATE INDEX feedback_events_search ON feedback_events (store_id, search_id, product_id, action, occurred_at)
  WHERE search_id IS NOT NULL;
CREATE INDEX feedback_events_line ON feedback_events (store_id, order_id, product_id, action) WHERE order_id IS NOT NULL;
CREATE INDEX feedback_events_sale ON feedback_events (store_id, order_id, currency)
  WHERE order_id IS NOT NULL AND action = 'purchase';
