-- What a store may want to correct about its products, as JSON; made anew at night and when somebody asks.
CREATE TABLE catalogue_reports (
  store_id TEXT PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
  asked_at INTEGER,                        -- Unix ms, like the next one; null unless somebody waits for a new one
  made_at  INTEGER,                        -- null before the first one
  report   TEXT CHECK (json_valid(report)) -- null before the first one
) STRICT, WITHOUT ROWID;
CREATE INDEX catalogue_reports_asked ON catalogue_reports (asked_at) WHERE asked_at IS NOT NULL;
