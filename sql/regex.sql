--
-- Regular expressions: ~, ~*, !~, !~*, SIMILAR TO, regexp_like, with ANY and ALL
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE COLLATION nondet (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE words (id int, s text, c text COLLATE "C", en text COLLATE "en-x-icu", tr text COLLATE "tr-x-icu",
                    nd text COLLATE nondet, p char(8), v varchar(40), n name);
INSERT INTO words
SELECT g, w, w, w, w, w, left(w, 8), left(w, 40), left(w, 20)::name
FROM (SELECT row_number() OVER () AS g, w
      FROM unnest(ARRAY['', 'a', 'b', 'ab', 'abc', 'aab', 'aaab', 'abab', 'xx', 'xyx', 'foo bar', 'foobar', 'foo', 'bar foo ', 'FOO Bar',
                        E'a\nb', E'foo\nbar', E'\n', E'b\na\n', 'a.b', 'a+b', 'a*b', '(a)', '[a]', 'a\b', 'a^b$', '^', '$', '1', '12', '123', '1234',
                        '192.168.0.1', '10.0.0.256', '2024-02-29', 'é', 'É', 'é' || U&'\0301', 'straße', 'STRASSE', 'STRAẞE', 'İ', 'ı', 'i', 'I', U&'\212A', 'k', 'K',
                        'Σίσυφος', 'σίσυφος', 'ΣΊΣΥΦΟΣ', 'ſ', 's', 'S', '日本語', '日', '本日', '😀', '😀😁', 'a😀b', U&'\00a0', U&'a\2028b', U&'\07ff\0800',
                        U&'\+010000\+10ffff', '_', 'a_b', 'a-b', 'A1', 'Z9', ' ', '  ', 'a ', ' a', 'ab ', E'\t', '%', 'a%b', 'user@example.org',
                        'GET /index.html HTTP/1.1', 'POST /api/v2/x HTTP/1.0', 'error: timeout after 30 s', 'ERROR: disk full', NULL]) AS u(w)) AS x;
INSERT INTO words
SELECT 1000 + g, w, w, w, w, w, left(w, 8), left(w, 40), left(w, 20)::name
FROM (SELECT g, CASE g % 4 WHEN 0 THEN 'Warning: ' WHEN 1 THEN 'ERROR: ' WHEN 2 THEN 'Error: ' ELSE 'note: ' END ||
             CASE WHEN g % 7 = 0 THEN 'DISK ' WHEN g % 5 = 0 THEN 'Größe ' ELSE 'Task ' END || g ||
             CASE WHEN g % 3 = 0 THEN ' FAILED' ELSE ' done, after ' || repeat('Quite A While ', g % 40) END AS w
      FROM generate_series(1, 200) g) AS x;
-- compressed and moved out of line
INSERT INTO words SELECT 2000, w, w, w, w, w FROM (SELECT repeat('toast ', 500) || 'end' AS w) AS x;
INSERT INTO words
SELECT 2001, w, w, w, w, w FROM (SELECT string_agg(md5(g::text), ' ') || ' END' AS w FROM generate_series(1, 80) g) AS x;
ANALYZE words;

-- expressions, each with every operator and under each collation
CREATE TABLE expressions (n serial, e text);
INSERT INTO expressions (e) VALUES
 -- literals, alternatives, nothing
 ('a.*b'), ('foo'), (''), ('|'), ('a|'), ('(|a)b'), ('foo|bar'), ('^(foo|bar)$'), ('()'), ('(?:)'), ('a\.b'), ('a\+b'), ('\(a\)'),
 -- bounds, greedy and lazy
 ('^a{2}b'), ('^a{2,}b$'), ('^a{0,1}b'), ('^(ab){2}$'), ('a{0}'), ('^.{3}$'), ('^.{250}$'), ('^\d{1,3}$'), ('a+?b'), ('^a*?$'), ('^(a{1,2}?)+b'), ('x??'),
 -- anchors and borders of words
 ('^'), ('$'), ('^$'), ('^a'), ('b$'), ('\Aa'), ('b\Z'), ('\Afoo\Z'), ('\mfoo'), ('foo\M'), ('\mfoo\M'), ('\yfoo\y'), ('\Yoo\y'), ('\Yb'),
 ('[[:<:]]bar[[:>:]]'), ('a^b'), ('a$b'), ('^^a'), ('(^|x)y'), ('(^.)\1'), ('(^x|b)'), ('(a|$)b'),
 -- new lines
 ('(?n)^bar'), ('(?n)foo$'), ('(?n)a.b'), ('(?p)a.b'), ('(?w)^b'), ('(?w)a.b'), ('(?s)a.b'), ('(?n)[^x]b'), ('\n'), ('(?n)^$'), ('(?n)a$'),
 -- other options, and what begins an expression
 ('(?i)foo'), ('(?x) f o o # what?'), ('(?q)a.b'), ('(?b)a\{2\}b'), ('(?e)a{2}'), ('***=a.b'), ('***:a.b'), ('(?c)Foo'), ('(?xi)B A R'), ('(?iq)A.B'),
 -- classes
 ('[abc]'), ('[^abc]'), ('^[a-c]+$'), ('[[:alpha:]]'), ('^[[:alpha:]]+$'), ('^[^[:alpha:]]+$'), ('[[:digit:]]{4}'), ('^[[:upper:]]'), ('[[:lower:]]$'),
 ('[[:space:]]'), ('[[:punct:]]'), ('^\w+$'), ('^\W+$'), ('\s\S'), ('\d\D'), ('[\w.]+@[\w.]+'), ('[]a]'), ('[a-]'), ('[^]]'), ('[.]'), ('[[.-.]]'), ('[[=a=]]'),
 ('^[[:word:]]$'), ('[^[:ascii:]]'), ('^[[:ascii:]]+$'), ('[[:xdigit:]]{4}'), ('[[:cntrl:]]'), ('[[:blank:]]'), ('[[:graph:]]'), ('^[[:print:]]+$'), ('\Sé|\dx'),
 -- characters beyond ASCII
 ('é'), ('É'), ('[é]'), ('[à-ü]'), ('^[à-ü]+$'), ('^.$'), ('^..$'), ('日'), ('^[日本]+$'), ('[一-龥]'), ('^[^一-龥]$'), ('😀'), ('[😀-😂]{2}'), ('a.b'), ('^\u65e5'),
 ('\U0001F600'), ('[^\x01-\x7f]'), ('ß'), ('ẞ'), ('straẞe'), ('k'), ('[k]'), ('i'), ('I'), ('İ'), ('σ'), ('ς'), ('ſ'), ('[Α-Ω]'), ('\u07ff\u0800'), ('[\U00010000-\U0010ffff]'),
 -- back-references, lookaround
 ('(.)\1'), ('^(.)\1$'), ('(a)(b)\2\1'), ('^(.+)\1$'), ('(.).\1'), ('a(?=b)'), ('a(?!b)'), ('(?<=a)b'), ('(?<!a)b'), ('^(?!.*foo)'), ('(?=foo)(?=.*bar)'), ('\m(?=f)'), ('(?<=^)a'),
 -- of real life
 ('^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$'), ('\d{4}-\d{2}-\d{2}'), ('^(GET|POST) /\S+ HTTP/1\.[01]$'), ('^[\w.]+@\w+\.org$'), ('error.*(timeout|full)'),
 ('^(Warning|ERROR): .*\d+ FAILED$'), ('[Gg]r[öo](ß|ss)e \d{2,3}\M'), ('(Quite A While ){7}$'), ('(Quite A While ){7,9}$'), ('toast end$'), ('END$'), ('[0-9a-f]{32} END');
SELECT e, col, op, outcome
FROM expressions, (VALUES ('s', '~', 0), ('c', '!~', 1), ('en', '~*', 2), ('tr', '!~*', 3), ('c', '~*', 0), ('en', '~', 1)) AS t(col, op, i),
     LATERAL same(format('SELECT id FROM words WHERE %I %s %L', col, op, e)) AS outcome
WHERE outcome NOT LIKE 'same%'
ORDER BY n, col, op;
-- some outcomes, with no room for doubt
SELECT e, op, same(format('SELECT id FROM words WHERE c %s %L', op, e))
FROM expressions, unnest(ARRAY['~', '!~*']) AS op WHERE n % 8 = 3 ORDER BY n, op;
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT 'en k' AS q, array_agg(id ORDER BY id) FROM words WHERE en ~* '^k$';
SELECT 'C é' AS q, array_agg(id ORDER BY id) FROM words WHERE c ~* '^é$';
SELECT 'en é' AS q, array_agg(id ORDER BY id) FROM words WHERE en ~* '^é$';
SELECT 'tr i' AS q, array_agg(id ORDER BY id) FROM words WHERE tr ~* '^i$';
SELECT '(^.)\1' AS q, array_agg(id ORDER BY id) FROM words WHERE c ~ '^(.)\1$';
RESET gpustr.debug_require;
RESET gpustr.enabled;

-- other types; char(n) has its padding
SELECT q, same('SELECT id FROM words WHERE ' || q) FROM (VALUES
 ($$p ~ 'a {7}$'$$), ($$p ~ '^a$'$$), ($$p ~ '^.{8}$'$$), ($$p ~* '^FOO *$'$$), ($$p !~ ' $'$$), ($$p !~* '^A'$$), ($$p::text ~ '^a$'$$), ($$p SIMILAR TO 'a_*'$$),
 ($$v ~ '^foo'$$), ($$v ~* '^FOO'$$), ($$v !~ 'o'$$), ($$n ~ '^foo'$$), ($$n ~* '^FOO$'$$), ($$n !~ '[[:alpha:]]$'$$), ($$n !~* 'A'$$), ($$n ~ '^.{20}$'$$)
) AS t(q);

-- SIMILAR TO
SELECT q, same('SELECT id FROM words WHERE ' || q) FROM (VALUES
 ($$c SIMILAR TO 'a%'$$), ($$c SIMILAR TO '(a|b)+'$$), ($$c NOT SIMILAR TO '%[[:alpha:]]%'$$), ($$c SIMILAR TO 'a\%b'$$), ($$c SIMILAR TO 'a#%b' ESCAPE '#'$$),
 ($$c SIMILAR TO 'a\b' ESCAPE ''$$), ($$c SIMILAR TO '_{2}'$$), ($$c SIMILAR TO '%日%'$$), ($$c SIMILAR TO ''$$), ($$s SIMILAR TO '_'$$)
) AS t(q);

-- regexp_like
SELECT q, same('SELECT id FROM words WHERE ' || q) FROM (VALUES
 ($$regexp_like(c, '^a.b$')$$), ($$NOT regexp_like(c, 'a')$$), ($$regexp_like(c, '^A', 'i')$$), ($$regexp_like(c, '^b', 'n')$$), ($$regexp_like(c, 'a.b', 'q')$$),
 ($$regexp_like(c, 'a.b', 'p')$$), ($$regexp_like(c, '^b', 'w')$$), ($$regexp_like(c, 'f o o', 'x')$$), ($$regexp_like(c, 'f o o', 'xt')$$), ($$regexp_like(c, 'a{2}', 'e')$$),
 ($$regexp_like(c, 'a\{2\}', 'b')$$), ($$regexp_like(c, 'FOO', 'ic')$$), ($$regexp_like(c, '^b', 'ms')$$), ($$regexp_like(en, 'É', 'i')$$), ($$regexp_like(c, 'a', '')$$)
) AS t(q);

-- lists
SELECT q, same('SELECT id FROM words WHERE ' || q) FROM (VALUES
 ($$c ~ ANY (ARRAY['^a', 'b$'])$$), ($$c ~ ALL (ARRAY['a', 'b'])$$), ($$c !~ ALL (ARRAY['a', 'b'])$$), ($$c !~ ANY (ARRAY['a', 'b'])$$), ($$c ~* ANY (ARRAY['^FOO', NULL])$$),
 ($$c ~ ALL (ARRAY['a', NULL])$$), ($$c ~ ANY ('{}'::text[])$$), ($$c ~ ALL ('{}'::text[])$$), ($$c ~ ANY (ARRAY[['a+b'], ['^x']])$$), ($$n ~ ANY (ARRAY['^a', '(.)\1'])$$)
) AS t(q);

-- among other clauses
SELECT q, same('SELECT id FROM words WHERE ' || q) FROM (VALUES
 ($$c ~ 'a' AND id > 3 AND c !~ 'b$'$$), ($$c ~ '^x' OR (c ~ 'o' AND c LIKE 'f%')$$), ($$(c ~ 'a') IS NULL$$), ($$(c ~ '(a)\1') IS NOT TRUE$$),
 ($$CASE WHEN c ~ '^a' THEN c ~ 'b$' ELSE c ~* 'FOO' END$$), ($$c ~ 'a' = (c ~ 'b')$$), ($$coalesce(c, 'abc') ~ '^abc$'$$)
) AS t(q);

-- an invalid expression: an error, if a row comes to it
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
PREPARE late(text) AS SELECT count(*) FROM words WHERE c ~ $1;
PREPARE late_after(int, text) AS SELECT count(*) FROM words WHERE (id = $1) IS TRUE AND c ~* $2;
PREPARE late_list(text[]) AS SELECT count(*) FROM words WHERE c ~ ANY ($1);
PREPARE late_like(text) AS SELECT count(*) FROM words WHERE regexp_like(c, $1, 'i');
PREPARE late_similar(text) AS SELECT count(*) FROM words WHERE c SIMILAR TO $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE late('^a');
EXECUTE late('(^.)\1');
EXECUTE late(NULL);
EXECUTE late('a(');
EXECUTE late('[[:nope:]]');
EXECUTE late('(a|b)*a(a|b){30}');
EXECUTE late('^a');
EXECUTE late_after(-1, 'a(');
EXECUTE late_after(2, '^A$');
EXECUTE late_after(2, 'a(');
EXECUTE late_list(ARRAY['^a', 'b$', NULL]);
EXECUTE late_list(ARRAY['^a', 'b(']);
EXECUTE late_list(NULL);
EXECUTE late_like('^FOO');
EXECUTE late_similar('a%');
EXECUTE late_similar('a{');
SET plan_cache_mode = force_custom_plan;
EXECUTE late('^a');
EXECUTE late('(^.)\1');
EXECUTE late_after(2, '^A$');
EXECUTE late_list(ARRAY['^a', 'b$', NULL]);
RESET plan_cache_mode;
DEALLOCATE ALL;
RESET gpustr.debug_require;

-- what stays with PostgreSQL, and why
CREATE FUNCTION reason(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE 'EXPLAIN ' || query;
  RETURN 'taken';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLERRM || '; ' || detail;
END $$;
SET gpustr.debug_require = 'require';
SELECT q, reason('SELECT FROM words WHERE ' || q) FROM (VALUES
 ($$c ~ '(a|b)*a(a|b){30}'$$), ($$c ~ 'a.{200}b'$$), ($$c ~ ANY (ARRAY['a', 'a.{200}b'])$$), ($$c ~ c$$), ($$regexp_like(c, 'a', c)$$), ($$regexp_like(c, 'a', 'g')$$),
 ($$regexp_like(c, 'a', '?')$$), ($$regexp_like(c, 'a(', 'i')$$), ($$c ~ ANY (ARRAY['a', 'a('])$$), ($$nd ~ 'a'$$), ($$c || tr ~ 'a'$$), ($$regexp_count(c, 'a') = 1$$)
) AS t(q);
SELECT reason($$SELECT FROM words WHERE c ~ ANY ('{a,b$}'::varchar[])$$);
-- many expressions are compiled once each, and the automata of all do not take too much memory
SELECT string_agg(format('c ~ %L', '(a|b).{10}x' || g), ' AND ') AS many FROM generate_series(1, 120) AS g \gset
SELECT length(reason('SELECT FROM words WHERE ' || :'many')) > 0;
SELECT count(*) >= 120 AS are_kept, sum(total_bytes) < 6 * 1024 * 1024 AS within_bounds FROM pg_backend_memory_contexts WHERE name = 'gpustr automaton';
SET gpustr.max_automaton_size = '1kB';
SELECT reason($$SELECT FROM words WHERE c ~ 'foo'$$), reason($$SELECT FROM words WHERE c ~ '(a|b).{8}x'$$);
-- none, not even those that are known late
SET gpustr.max_automaton_size = 0;
SET plan_cache_mode = force_generic_plan;
PREPARE none(text) AS SELECT count(*) FROM words WHERE c ~ $1;
PREPARE none_of_list(text[]) AS SELECT count(*) FROM words WHERE c ~ ANY ($1);
SELECT q, reason(q) FROM unnest(ARRAY['EXECUTE none(''a'')', 'EXECUTE none_of_list(''{a}'')', 'SELECT FROM words WHERE c ~ ANY (''{a,b}'')']) AS q;
DEALLOCATE ALL;
RESET plan_cache_mode;
RESET gpustr.debug_require;
-- classes that are cut short: values with other characters are PostgreSQL's
CREATE FUNCTION same_within(size text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('gpustr.max_automaton_size', size, false);
  RETURN same(query);
END $$;
SELECT e, size, outcome
FROM expressions, unnest(ARRAY['2kB', '16kB']) AS size,
     LATERAL same_within(size, format('SELECT id FROM words WHERE en ~ %L', e)) AS outcome
WHERE outcome NOT LIKE 'same%' AND outcome NOT LIKE '%could not run this query with gpustr%' ORDER BY n, size;
SELECT e, same_within('8kB', format('SELECT id FROM words WHERE en ~ %L', e))
FROM unnest(ARRAY['^\w+ \w+', '^\W', '^[[:alpha:]]+$', '^\w日', '\s\S$']) AS e;
RESET gpustr.max_automaton_size;
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT reason($$SELECT FROM words WHERE c ~ '(a|b).{8}x'$$);
RESET gpustr.debug_require;

-- nondeterministic collations and none: PostgreSQL's errors
SELECT count(*) FROM words WHERE nd ~ 'a';
SELECT count(*) FROM words WHERE (c || tr) ~ 'a';
SELECT count(*) FROM words WHERE regexp_like(c, 'a', 'g');
RESET gpustr.enabled;
DROP TABLE words, expressions;
DROP FUNCTION same, outcome, with_gpu, explain_masked, reason, same_within;
DROP COLLATION nondet;
