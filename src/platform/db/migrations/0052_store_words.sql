-- What a store says of words: groups that mean the same, queries that lead to a page, and words that say nothing.
CREATE TABLE store_words (
  store_id TEXT NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('synonyms', 'redirect', 'ignore')),
  -- From 1, in the order of its kind.
  place INTEGER NOT NULL,
  -- JSON: {words, to}, {words, url} or {words}.
  entry TEXT NOT NULL,
  PRIMARY KEY (store_id, kind, place)
) STRICT, WITHOUT ROWID;
