-- What a store has used in a month of UTC.
CREATE TABLE usage_months (
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  month      TEXT    NOT NULL,           -- 2026-11
  api_calls  INTEGER NOT NULL DEFAULT 0, -- requests that spent the plan's budget
  bulk_items INTEGER NOT NULL DEFAULT 0, -- items of jobs
  PRIMARY KEY (store_id, month)
) STRICT, WITHOUT ROWID;

-- The items of a job count once, in the month in which its request began.
CREATE TRIGGER jobs_counted AFTER UPDATE OF arrival ON jobs WHEN OLD.arrival IS NULL AND NEW.arrival IS NOT NULL
BEGIN
  INSERT INTO usage_months (store_id, month, bulk_items)
  VALUES (NEW.store_id, strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'), NEW.total)
  ON CONFLICT (store_id, month) DO UPDATE SET bulk_items = bulk_items + excluded.bulk_items;
END;

-- Warnings that were told, so that each is told once a month.
CREATE TABLE plan_warnings (
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  month    TEXT    NOT NULL,
  resource TEXT    NOT NULL CHECK (resource IN ('products', 'storage')),
  percent  INTEGER NOT NULL,
  PRIMARY KEY (store_id, month, resource, percent)
) STRICT, WITHOUT ROWID;

-- Requests for another plan.
CREATE TABLE checkouts (
  id           TEXT PRIMARY KEY, -- UUIDv7
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  plan         TEXT    NOT NULL CHECK (plan IN ('free', 'basic', 'premium', 'enterprise')),
  provider     TEXT    NOT NULL CHECK (provider IN ('manual', 'stripe')),
  status       TEXT    NOT NULL CHECK (status IN ('open', 'completed', 'replaced')),
  amount_cents INTEGER NOT NULL, -- a month
  asked_by     TEXT,             -- id of a user, who may be gone
  created_at   INTEGER NOT NULL, -- Unix ms, like the next two
  expires_at   INTEGER NOT NULL,
  completed_at INTEGER
) STRICT;

CREATE INDEX checkouts_by_store ON checkouts (store_id, created_at);
CREATE INDEX checkouts_open ON checkouts (expires_at) WHERE status = 'open';
CREATE INDEX checkouts_age ON checkouts (created_at);

CREATE TABLE invoices (
  id           TEXT PRIMARY KEY, -- UUIDv7
  store_id     TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  provider     TEXT    NOT NULL CHECK (provider IN ('manual', 'stripe')),
  provider_id  TEXT UNIQUE,      -- the provider's own id; null for manual
  checkout_id  TEXT UNIQUE,      -- what a manual invoice was issued for
  number       TEXT,             -- as printed
  plan         TEXT,
  amount_cents INTEGER NOT NULL, -- in the smallest unit of the currency
  currency     TEXT    NOT NULL, -- ISO 4217
  status       TEXT    NOT NULL CHECK (status IN ('open', 'paid', 'void')),
  address      TEXT,             -- of the provider's document; null for manual
  period_start INTEGER NOT NULL, -- Unix ms, like the next three
  period_end   INTEGER NOT NULL,
  issued_at    INTEGER NOT NULL,
  settled_at   INTEGER
) STRICT;

CREATE INDEX invoices_by_store ON invoices (store_id, issued_at, id);

-- The number of the last manual invoice. No number is given twice, whatever is deleted.
CREATE TABLE invoice_numbers (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  last INTEGER NOT NULL
) STRICT;

INSERT INTO invoice_numbers (id, last) VALUES (1, 0);

-- Subscriptions at the payment provider, as they were read last.
CREATE TABLE subscriptions (
  id         TEXT PRIMARY KEY, -- the provider's own
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  customer   TEXT    NOT NULL, -- the provider's id of who pays
  plan       TEXT    NOT NULL CHECK (plan IN ('free', 'basic', 'premium', 'enterprise')),
  status     TEXT    NOT NULL,
  is_live    INTEGER NOT NULL CHECK (is_live IN (0, 1)), -- whether the store gets the plan
  will_end   INTEGER NOT NULL CHECK (will_end IN (0, 1)), -- at the end of the period
  created_at INTEGER NOT NULL, -- Unix ms, like the next
  period_end INTEGER NOT NULL
) STRICT;

CREATE INDEX subscriptions_by_store ON subscriptions (store_id, created_at);

-- Events of the provider that were handled, so that none is handled twice.
CREATE TABLE provider_events (
  id          TEXT PRIMARY KEY,
  received_at INTEGER NOT NULL -- Unix ms
) STRICT, WITHOUT ROWID;

CREATE INDEX provider_events_age ON provider_events (received_at);
