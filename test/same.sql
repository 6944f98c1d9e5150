-- Compare gpustr with plain PostgreSQL; included by the tests in sql/.
--
-- same(query) runs the query twice, once where it must use a GpuScan (or what else
-- gpustr.debug_require can ask for) and once where it must not, and says how the two
-- outcomes relate: rows are compared by EXCEPT ALL both ways, an error by its text.
\ir fresh.sql

CREATE FUNCTION outcome(query text, target text, with_gpustr bool, required text DEFAULT 'require') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  result text;
  n bigint;
BEGIN
  PERFORM set_config('gpustr.enabled', with_gpustr::text, false);
  PERFORM set_config('gpustr.debug_require',
                     CASE WHEN with_gpustr THEN required ELSE 'forbid' END, false);
  BEGIN
    EXECUTE format('CREATE TEMP TABLE %I AS %s', target, query);
    GET DIAGNOSTICS n = ROW_COUNT;
    result := n || ' rows';
  EXCEPTION WHEN OTHERS THEN
    result := 'ERROR: ' || SQLERRM;
  END;
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  RETURN result;
END $$;

CREATE FUNCTION same(query text, required text DEFAULT 'require') RETURNS text
LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
  fast text;
  slow text;
  differences bigint;
BEGIN
  DROP TABLE IF EXISTS fast_rows, slow_rows;
  fast := outcome(query, 'fast_rows', true, required);
  slow := outcome(query, 'slow_rows', false);
  IF fast <> slow THEN
    RETURN format('DIFFERENT: with gpustr %s, without %s', fast, slow);
  END IF;
  IF fast LIKE 'ERROR%' THEN
    RETURN 'same ' || fast;
  END IF;
  EXECUTE 'SELECT count(*) FROM ((TABLE fast_rows EXCEPT ALL TABLE slow_rows)
           UNION ALL (TABLE slow_rows EXCEPT ALL TABLE fast_rows)) d' INTO differences;
  DROP TABLE fast_rows, slow_rows;
  IF differences > 0 THEN
    RETURN format('DIFFERENT: %s, %s of them not the same', fast, differences);
  END IF;
  RETURN 'same ' || fast;
END $$;

-- Run a statement where it must use a GpuScan, for its effects.
CREATE FUNCTION with_gpu(statement text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  PERFORM set_config('gpustr.enabled', 'on', false);
  PERFORM set_config('gpustr.debug_require', 'require', false);
  EXECUTE statement;
  GET DIAGNOSTICS n = ROW_COUNT;
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  RETURN n;
END $$;

-- How the majors write subqueries, made alike: 17 names their results instead of numbering them.
CREATE FUNCTION plain_subqueries(line text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT replace(replace(regexp_replace(regexp_replace(line,
    '\(ANY \([^()]+ = (\(hashed SubPlan \d+\))\.col\d+\)\)', '\1', 'g'),
    '(InitPlan \d+) \(returns [$0-9,]+\)', '\1'),
    '(InitPlan 1).col1', '$0'), '(InitPlan 2).col1', '$1')
$$;

-- EXPLAIN's lines, with the engine's name and what differs from run to run
-- masked, and what from major to major: 18 counts rows and loops in fractions, and says of
-- each node whether it is disabled, and of windows what they are.
CREATE FUNCTION explain_masked(options text, query text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  IF options ~ 'ANALYZE' THEN
    options := options || ', BUFFERS OFF';
  END IF;
  FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
    line := regexp_replace(line, '\n[ -]*[<"]?Disabled[":]*[ >]false[^\n]*', '', 'g');
    CONTINUE WHEN line ~ '^ *Window: ';
    line := plain_subqueries(replace(line, 'OVER w1', 'OVER (?)'));
    line := regexp_replace(line, '((rows=|Actual.Rows(": |: |>))\d+)\.00', '\1', 'g');
    line := regexp_replace(line, '(Engine(": "|: "|: |>))[^<"]*', '\1E');
    line := regexp_replace(line, '(Time(": |: |>|-))[0-9.]+', '\1N', 'g');
    line := regexp_replace(line, '(Bytes.(In|Out)(": |: |>))[0-9]+', '\1N', 'g');
    line := regexp_replace(line, 'actual time=[0-9.]+', 'actual time=N');
    line := regexp_replace(line, '(Batches(": |: |>))[0-9]+', '\1N');
    RETURN NEXT line;
  END LOOP;
END $$;
