-- The log lists searches newest first: all, or those of a type and of widgets or backends.
DROP INDEX searches_time;
CREATE INDEX searches_kind ON searches (store_id, type, (widget_key_id IS NOT NULL), created_at);

-- What found nothing: first pages alone, because a later one is empty where its list ends.
CREATE INDEX searches_empty ON searches (store_id, created_at)
WHERE results = '[]' AND type <> 'batch' AND coalesce(json_extract(parameters, '$.offset'), 0) = 0;

DROP INDEX searches_session;
CREATE INDEX searches_session ON searches (store_id, session_id, created_at) WHERE session_id IS NOT NULL;
