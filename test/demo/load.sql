-- Make the demo's tables out of the raw ones (raw_log, raw_packages, raw_names),
-- about a million rows each.

\echo '    logs: the access log 100 times, each line with a request number of its own'
CREATE TABLE logs AS
SELECT id, line || ' request=' || id AS line
FROM (SELECT (copy - 1) * 10000 + nr AS id, line FROM raw_log, generate_series(1, 100) AS copy) AS l;

\echo '    packages: the package descriptions 16 times'
CREATE TABLE packages AS
SELECT (copy - 1) * 100000 + nr AS id, package, section, description
FROM raw_packages, generate_series(1, 16) AS copy;

\echo '    people: first names with last names of the same language, a third of them public'
CREATE TABLE people AS
SELECT row_number() OVER (ORDER BY name COLLATE "C") AS id, name,
       CASE abs(hashtext(name)) % 3 WHEN 0 THEN 'public' ELSE 'private' END AS visibility
FROM (SELECT DISTINCT f.name || ' ' || l.name AS name
      FROM raw_names AS f JOIN raw_names AS l
        ON (f.list, l.list) IN (('firstNames', 'lastNames'),
                                ('spanishFirstNames', 'spanishLastNames'),
                                ('norwayFirstNamesGirls', 'norwayLastNames'))) AS n
LIMIT 1000000;

DROP TABLE raw_log, raw_packages, raw_names;

\echo '    vacuum, analyze, and into shared buffers'
VACUUM (ANALYZE, FREEZE) logs, packages, people;
CREATE EXTENSION pg_prewarm;
SELECT '    ' || sum(pg_prewarm(t::regclass)) || ' pages are in shared buffers' FROM unnest('{logs,packages,people}'::text[]) AS t;
