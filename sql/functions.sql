-- Every function says what it does, and what it is to the planner.
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set fresh :srcdir '/test/fresh.sql'
\i :fresh
\set ECHO all

CREATE VIEW functions AS
	SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
	WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpustr');
SELECT count(*) > 20 AS there_are_some FROM functions;
SELECT oid::regprocedure AS without_comment FROM functions WHERE obj_description(oid, 'pg_proc') IS NULL;

-- what computes is immutable, strict and parallel safe; the others tell of the server
SELECT proname FROM functions WHERE provolatile <> 'i' OR NOT proisstrict OR proparallel <> 's' ORDER BY 1;
