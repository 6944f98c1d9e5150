--
-- ILIKE, ^@ and ESCAPE: how each collation folds, and what is left to
-- PostgreSQL
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE COLLATION nondet (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE words (id int, s text, c text COLLATE "C", en text COLLATE "en-x-icu",
                    tr text COLLATE "tr-x-icu", nd text COLLATE nondet);
INSERT INTO words
SELECT g, w, w, w, w, w
FROM (SELECT row_number() OVER () AS g, w
      FROM unnest(ARRAY['I', 'i', 'İ', 'ı', U&'i\0307', 'DIŞ', 'dış', 'diş', 'DİŞ', 'Straße', 'STRASSE', 'STRAẞE',
                        'aÄ', 'aä', 'AÄ', 'ΣΊΣΥΦΟΣ', 'σίσυφος', 'ЁЖ', 'ёж', U&'\212A', 'k', 'K', '%', 'a%b', 'A%B', 'A\B',
                        'a\b', 'a_b', 'axb', 'AXB', 'Titel', 'TITLE', 'title', '', ' ', 'É', 'é', 'tITLE İ', 'É TITLE',
                        '[', '@', '`', '{', 'Z', 'z', NULL]) AS u(w)) AS x;
INSERT INTO words
SELECT 100 + g, w, w, w, w, w
FROM (SELECT g, CASE g % 4 WHEN 0 THEN 'Warning: ' WHEN 1 THEN 'ERROR: ' WHEN 2 THEN 'Error: ' ELSE 'note: ' END ||
             CASE WHEN g % 7 = 0 THEN 'DISK ' WHEN g % 5 = 0 THEN 'Größe ' ELSE 'Task ' END || g ||
             CASE WHEN g % 3 = 0 THEN ' FAILED' ELSE ' done, after ' || repeat('Quite A While ', g % 40) END AS w
      FROM generate_series(1, 2000) g) AS x;
ANALYZE words;

-- under each collation; how many rows that are under the database's is its affair
SELECT q, col, regexp_replace(same(format('SELECT id FROM words WHERE ' || q, col)), '^same .*',
                              CASE col WHEN 's' THEN 'same' ELSE '\&' END) AS same
FROM unnest(ARRAY['s', 'c', 'en', 'tr']) AS col, (VALUES
 ('%s ILIKE ''i'''), ('%s ILIKE ''I'''), ('%s ILIKE ''İ'''), ('%s ILIKE ''DIŞ'''), ('%s ILIKE ''dış'''),
 ('%s ILIKE ''strasse'''), ('%s ILIKE ''STRAßE'''), ('%s ILIKE ''%%ä%%'''), ('%s ILIKE ''Ё%%'''), ('%s ILIKE ''k'''),
 ('%s ILIKE ''title'''), ('%s NOT ILIKE ''title'''), ('%s ILIKE ''%%tItL%%'''), ('%s ILIKE ''_'''),
 ('%s ILIKE '''''), ('%s ILIKE ''%%'''), ('%s ILIKE ''['''), ('%s ILIKE ''Z'''), ('%s ILIKE ''`'''),
 ('%s ILIKE ''error:%%'''), ('%s NOT ILIKE ''error:%%'''), ('%s ILIKE ''%%disk%%failed'''), ('%s ILIKE ''%%größe%%'''),
 ('%s ILIKE ''%%WHILE '''), ('%s ILIKE ''%%quite a while quite a_while%%'''), ('%s ILIKE ''_rror:%%1_ %%'''),
 ('%s ILIKE ''error:%%'' OR %1$s LIKE ''note%%''')
) AS t(q);
-- which rows, with no room for doubt
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT 'C i' AS q, array_agg(id ORDER BY id) FROM words WHERE c ILIKE 'i';
SELECT 'en i' AS q, array_agg(id ORDER BY id) FROM words WHERE en ILIKE 'I';
SELECT 'tr i' AS q, array_agg(id ORDER BY id) FROM words WHERE tr ILIKE 'i';
SELECT 'tr I' AS q, array_agg(id ORDER BY id) FROM words WHERE tr ILIKE 'I';
SELECT 'C k' AS q, array_agg(id ORDER BY id) FROM words WHERE c ILIKE 'K';
SELECT 'en k' AS q, array_agg(id ORDER BY id) FROM words WHERE en ILIKE 'K';
RESET gpustr.debug_require;
RESET gpustr.enabled;

-- every form of ESCAPE
SELECT q, same('SELECT id FROM words WHERE ' || q) FROM (VALUES
 ($$c ILIKE 'a\b' ESCAPE ''$$), ($$c ILIKE 'A%B' ESCAPE ''$$), ($$c ILIKE 'Ax_b' ESCAPE 'x'$$),
 ($$c ILIKE 'aX_b' ESCAPE 'X'$$), ($$c ILIKE 'aX_b' ESCAPE 'x'$$), ($$c ILIKE 'a\%b'$$), ($$c ILIKE 'a\\B'$$),
 ($$c ILIKE 'a#%b' ESCAPE '#'$$), ($$c ILIKE 'a%%b' ESCAPE '%'$$), ($$c ILIKE 'a__b' ESCAPE '_'$$),
 ($$c ILIKE 'aÄ%b' ESCAPE 'Ä'$$), ($$c NOT ILIKE 'a#_b' ESCAPE '#'$$),
 ($$c LIKE 'a\b' ESCAPE ''$$), ($$c LIKE 'A#%B' ESCAPE '#'$$), ($$c LIKE 'a%%b' ESCAPE '%'$$),
 ($$c LIKE 'a__b' ESCAPE '_'$$), ($$c NOT LIKE 'ax_b' ESCAPE 'x'$$), ($$c LIKE 'a\_b' ESCAPE '\'$$)
) AS t(q);

-- prefixes
SELECT q, same('SELECT id FROM words WHERE ' || q) FROM (VALUES
 ($$s ^@ 'a'$$), ($$s ^@ 'a%'$$), ($$s ^@ 'a_b'$$), ($$s ^@ 'A\'$$), ($$s ^@ ''$$), ($$s ^@ 'Error: T'$$),
 ($$tr ^@ 'I'$$), ($$s ^@ 'Straß'$$), ($$NOT s ^@ 'Error'$$), ($$c ^@ 'É '$$)
) AS t(q);

-- a pattern that ends in an escape: PostgreSQL raises the error, where it would
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT count(*) FROM words WHERE c ILIKE 'title\';
SELECT count(*) FROM words WHERE c = '' AND c ILIKE 'x\';
SELECT count(*) FROM words WHERE c = 'y' AND c ILIKE 'x\';
RESET gpustr.debug_require;

-- nondeterministic collations and none: PostgreSQL's errors
SELECT count(*) FROM words WHERE nd ILIKE 'a%';
SELECT count(*) FROM words WHERE nd ^@ 'a';
SELECT count(*) FROM words WHERE (c || tr) ILIKE 'a%';
RESET gpustr.enabled;
DROP TABLE words;
DROP FUNCTION same, outcome, with_gpu, explain_masked;
DROP COLLATION nondet;
