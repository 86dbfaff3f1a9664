-- What a merchant decides about results: when a search meets the conditions of a rule, its actions move products in the list.
-- Older rules go first, by their age and then by their id.
CREATE TABLE search_rules (
  id         TEXT    PRIMARY KEY, -- UUIDv7
  store_id   TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  name       TEXT    NOT NULL,
  active     INTEGER NOT NULL CHECK (active IN (0, 1)),
  conditions TEXT    NOT NULL CHECK (json_valid(conditions)), -- all of them except those in columns
  key_id     TEXT,               -- the widget key; its row may be gone, and then no search meets the rule
  starts_at  INTEGER,            -- Unix ms, like the other times
  ends_at    INTEGER,
  actions    TEXT    NOT NULL CHECK (json_valid(actions)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX search_rules_of_store ON search_rules (store_id, created_at, id);

-- What became of each rule. Its counts change all the time, and its text seldom.
CREATE TABLE search_rule_counts (
  rule_id  TEXT    PRIMARY KEY REFERENCES search_rules (id) ON DELETE CASCADE,
  store_id TEXT    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  uses     INTEGER NOT NULL DEFAULT 0, -- searches in which it acted
  clicks   INTEGER NOT NULL DEFAULT 0  -- on products that it had moved
) STRICT, WITHOUT ROWID;

CREATE INDEX search_rule_counts_of_store ON search_rule_counts (store_id);
