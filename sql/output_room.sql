--
-- GPU Output: the room of a scan's output columns follows what they need
--
\set ECHO none
-- batches of a scan in this session's engine, where a batch has fewer pages the more room each has
CREATE FUNCTION batches(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ' || query INTO plan;
  RETURN jsonb_path_query_first(plan, 'strict $.**."GPU Batches"')::int;
END $$;
\set ECHO all

-- 4,000 rows, four to a page, of values that become 8 times as long; and 300,000 that stay as they are
CREATE TABLE long_first AS SELECT repeat('x', 1900) || g AS v FROM generate_series(1, 4000) g;
INSERT INTO long_first SELECT 'ab' FROM generate_series(1, 300000) g;
CREATE TABLE long_only AS SELECT v FROM long_first WHERE length(v) > 1000;
CREATE TABLE short_only AS SELECT v FROM long_first WHERE length(v) < 1000;
SET gpustr.engine = 'local';
SET max_parallel_workers_per_gather = 0;
SET gpustr.debug_require = 'require';
-- few pages go with long values; what comes after them soon has as many as without them
CREATE TABLE counted AS SELECT
  batches('SELECT gpustr.mask(v, 1, 1, ''########'') FROM long_only') AS long_only,
  batches('SELECT gpustr.mask(v, 1, 1, ''########'') FROM short_only') AS short_only,
  batches('SELECT gpustr.mask(v, 1, 1, ''########'') FROM long_first') AS long_first;
SET gpustr.debug_require = 'allow';
SELECT long_only > 60 AS few_pages, short_only < 50 AS many_pages,
  long_first BETWEEN long_only + short_only AND long_only + short_only + 8 AS soon_many_again
FROM counted;

DROP TABLE long_first, long_only, short_only, counted;
DROP FUNCTION batches(text);
