-- Compare GpuJoin with PostgreSQL's joins; included by the tests in sql/, after
-- same.sql.
--
-- same_join(query) runs the query twice: with no join but a GpuJoin, which its plan
-- must have, and with PostgreSQL's own.  Rows are compared as texts, so that they may
-- have columns of any type.

-- Have gpustr do what it can, or nothing.
CREATE FUNCTION with_join(wanted bool) RETURNS void
LANGUAGE sql AS $$
  SELECT set_config(name, CASE WHEN ours = wanted THEN 'on' ELSE 'off' END, false)
  FROM (VALUES ('gpustr.enabled', true), ('gpustr.enable_join', true),
               ('enable_hashjoin', false), ('enable_mergejoin', false),
               ('enable_nestloop', false)) AS v(name, ours);
$$;

-- Which nodes of a plan matter here.
CREATE FUNCTION join_shape(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  line text;
  nodes text[] = '{}';
BEGIN
  PERFORM with_join(true);
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    line := substring(line from '(Gather Merge|Gather|(?:Parallel )?Custom Scan \(GpuJoin\)|Parallel Hash Join|Hash.*Join|Merge.*Join|Nested Loop)');
    IF line IS NOT NULL THEN
      nodes := nodes || line;
    END IF;
  END LOOP;
  PERFORM with_join(false);
  RETURN array_to_string(nodes, ' > ');
END $$;

CREATE FUNCTION join_outcome(query text, target text, with_gpustr bool) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  result text;
  n bigint;
BEGIN
  PERFORM with_join(with_gpustr);
  BEGIN
    EXECUTE format('CREATE TEMP TABLE %I AS %s', target, query);
    GET DIAGNOSTICS n = ROW_COUNT;
    result := n || ' rows';
  EXCEPTION WHEN OTHERS THEN
    result := 'ERROR: ' || SQLERRM;
  END;
  PERFORM with_join(false);
  RETURN result;
END $$;

CREATE FUNCTION same_join(query text) RETURNS text
LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
  fast text;
  slow text;
  differences bigint;
BEGIN
  IF join_shape(query) !~ 'GpuJoin' THEN
    RETURN 'no GpuJoin';
  END IF;
  DROP TABLE IF EXISTS fast_rows, slow_rows;
  fast := join_outcome(query, 'fast_rows', true);
  slow := join_outcome(query, 'slow_rows', false);
  IF fast <> slow THEN
    RETURN format('DIFFERENT: with gpustr %s, without %s', fast, slow);
  END IF;
  IF fast LIKE 'ERROR%' THEN
    RETURN 'same ' || fast;
  END IF;
  SELECT count(*) INTO differences FROM (
    (SELECT fast_rows::text FROM fast_rows EXCEPT ALL SELECT slow_rows::text FROM slow_rows) UNION ALL
    (SELECT slow_rows::text FROM slow_rows EXCEPT ALL SELECT fast_rows::text FROM fast_rows)) d;
  DROP TABLE fast_rows, slow_rows;
  IF differences > 0 THEN
    RETURN format('DIFFERENT: %s, %s of them not the same', fast, differences);
  END IF;
  RETURN 'same ' || fast;
END $$;

-- GpuJoin costs next to nothing.
SET gpustr.device_row_cost = 0;
SET gpustr.device_startup_cost = 0;
SET gpustr.table_row_cost = 0;
SET gpustr.probe_row_cost = 0;
SELECT with_join(false);
