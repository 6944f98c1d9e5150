--
-- gpustr.redact_pii: examples, plain SQL as a second opinion, and scans
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set sentences :srcdir '/test/data/pii_sentences/sentences.csv'
\set log 'gzip -dc ' :srcdir '/test/data/apache_access/apache_access.log.gz'
\set ECHO all

-- What is expected is written beside each input
SELECT value, kinds, expected, gpustr.redact_pii(value, kinds) AS got
FROM (VALUES
	('', '{email}'::text[], ''),
	('mail bob@example.com or call (415) 555-2671', '{email,phone}', 'mail [EMAIL] or call [PHONE]'),
	('mail bob@example.com or call (415) 555-2671', '{phone}', 'mail bob@example.com or call [PHONE]'),
	('mail bob@example.com or call (415) 555-2671', '{}', 'mail bob@example.com or call (415) 555-2671'),
	('bob.smith+tag@mail.example.co.uk, josé@example.com, 漢bob@example.org漢', '{email,email}', '[EMAIL], josé@example.com, 漢[EMAIL]漢'),
	('bob@localhost root@10.0.0.1 a@b@c.de', '{email,ipv4}', 'bob@localhost root@[IPV4] a@[EMAIL]'),
	('4111111111111111 4111 1111 1111 1111 3782-822463-10005 4111111111111112', '{card}', '[CARD] [CARD] [CARD] 4111111111111112'),
	('10.1.2.3:80 1.2.3.4.5 1.2.3.256 v1.2.3.4', '{ipv4}', '[IPV4]:80 1.2.3.4.5 1.2.3.256 v1.2.3.4'),
	('fe80::1%eth0 ::ffff:10.0.0.1 12:34:56 a::b 1:2:3:4:5:6:7:8', '{ipv6}', '[IPV6]%eth0 [IPV6] 12:34:56 a::b [IPV6]'),
	('::ffff:10.0.0.1', '{ipv4}', '::ffff:[IPV4]'),
	('GB82 WEST 1234 5698 7654 32 is, GB82WEST12345698765433', '{iban}', '[IBAN] is, GB82WEST12345698765433'),
	('078-05-1120 078 05 1120 666-12-3456 1-123-45-6789', '{ssn}', '[SSN] [SSN] 666-12-3456 1-123-45-6789'),
	('+1 415 555 2671 415.555.2671x12 1 (415) 555-2671 115-555-2671', '{phone}', '[PHONE] [PHONE] [PHONE] 115-555-2671'),
	('415-555-2671@example.com', '{phone,email}', '[EMAIL]'),
	('415-555-2671@example.com', '{phone}', '[PHONE]@example.com'),
	(NULL, '{email}', NULL),
	('a@b.cd', NULL, NULL)) AS t (value, kinds, expected)
WHERE gpustr.redact_pii(value, kinds) IS DISTINCT FROM expected;

-- What is refused
SELECT gpustr.redact_pii('x', '{email,e-mail}');
\echo :LAST_ERROR_SQLSTATE
SELECT gpustr.redact_pii('x', '{EMAIL}');
SELECT gpustr.redact_pii('x', ARRAY['email', NULL]);
\echo :LAST_ERROR_SQLSTATE
SELECT gpustr.redact_pii('x', ARRAY[['email'], ['ssn']]);
\echo :LAST_ERROR_SQLSTATE
SELECT gpustr.redact_pii(ARRAY['x'], '{nothing}');

-- The same in plain SQL: for most kinds without a checksum one regular expression does it; for telephone
-- numbers but for the international ones
CREATE TABLE patterns (kind text, name text, pattern text);
INSERT INTO patterns VALUES
	('email', '[EMAIL]', '(?<![A-Za-z0-9_])[A-Za-z0-9_][A-Za-z0-9_%+.-]{0,63}@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9](?!-*[A-Za-z0-9])'),
	('ipv4', '[IPV4]', '(?<![A-Za-z0-9_])(?<![0-9]\.)((25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})(?![A-Za-z0-9_]|\.[0-9])'),
	('ssn', '[SSN]', '(?<![A-Za-z0-9_])(?<![0-9][.-])(?!9|000|666)[0-9]{3}(-(?!00)[0-9]{2}-| (?!00)[0-9]{2} )(?!0000)[0-9]{4}(?![A-Za-z0-9_]|[.-][0-9])'),
	('phone', '[PHONE]', '((?<![A-Za-z0-9_])(?<![0-9][.-])(1[ .-])?[2-9][0-9]{2}[ .-]|(?<![A-Za-z0-9_])(?<![0-9][.-])1[ .-]\([2-9][0-9]{2}\)[ .-]?|(?<![0-9][.-])\([2-9][0-9]{2}\)[ .-]?)'
		'[2-9][0-9]{2}[ .-][0-9]{4}(x[0-9]{1,6})?(?![A-Za-z0-9_]|[.-][0-9])'),
	('ipv6', '[IPV6]', '(?<![A-Za-z0-9_:])(?<![0-9]\.)(?=[0-9A-Fa-f:]*[0-9])(([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|([0-9A-Fa-f]{1,4}:){6}IPV4|'
		|| (SELECT string_agg(format('([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){%s})?::%s', CASE i WHEN 0 THEN '0' ELSE '0,' || i END, r), '|')
			FROM (SELECT 6 - n AS i, format('(([0-9A-Fa-f]{1,4}:){0,%s}[0-9A-Fa-f]{1,4})%s%s', n - 1, CASE WHEN n = 1 THEN '?' ELSE '' END,
				CASE WHEN n >= 3 THEN format('|([0-9A-Fa-f]{1,4}:){0,%s}IPV4', n - 3) ELSE '' END) AS r0, n FROM generate_series(1, 6) n) s,
				LATERAL (SELECT '(' || r0 || ')' AS r) t)
		|| '|::(([0-9A-Fa-f]{1,4}:){0,6}[0-9A-Fa-f]{1,4}|([0-9A-Fa-f]{1,4}:){0,5}IPV4)|([0-9A-Fa-f]{1,4}:){1,7}:)(?![A-Za-z0-9_]|:[0-9A-Fa-f:]|\.[0-9])');
UPDATE patterns SET pattern = replace(pattern, 'IPV4', '((25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})');

-- For all kinds together, place by place: the longest match there that passes the check
CREATE FUNCTION luhn(number text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
	SELECT sum(CASE WHEN n % 2 = 1 THEN d ELSE d * 2 / 10 + d * 2 % 10 END) % 10 = 0
	FROM string_to_table(reverse(translate(number, ' -', '')), NULL) WITH ORDINALITY AS t (c, n), LATERAL (SELECT c::int AS d) u $$;
CREATE FUNCTION mod97(iban text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(CASE WHEN c ~ '[0-9]' THEN c ELSE (ascii(c) - 55)::text END, '' ORDER BY n)::numeric % 97 = 1
	FROM (SELECT upper(translate(iban, ' ', '')) AS i) s, string_to_table(substr(i, 5) || left(i, 4), NULL) WITH ORDINALITY AS t (c, n) $$;
CREATE FUNCTION length_of_country(iban text) RETURNS int LANGUAGE sql IMMUTABLE AS $$
	SELECT (regexp_match('GB22 DE22 NO15 MT31 FR27 BE16 CH21', upper(left(iban, 2)) || '([0-9]{2})'))[1]::int $$;
CREATE FUNCTION match_here(value text, i int, kind text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	before text := substr(value, greatest(i - 2, 1), least(i - 1, 2));
	pattern text;
	hit text;
BEGIN
	IF kind IN ('card', 'iban') THEN
		IF before ~ '[A-Za-z0-9_]$' OR (kind = 'card' AND before ~ '[0-9]\.$') THEN
			RETURN 0;
		END IF;
		FOR n IN REVERSE 42 .. 12 LOOP
			hit := substr(value, i, n);
			CONTINUE WHEN length(hit) < n OR substr(value, i + n, 2) ~ '^([A-Za-z0-9_]|\.[0-9])' AND (kind = 'card' OR substr(value, i + n, 1) <> '.');
			IF kind = 'card' AND hit ~ '^([2-6]|1800)' AND hit ~ '^([0-9]+|([0-9]{4,} )+[0-9]+|([0-9]{4,}-)+[0-9]+)$'
				AND length(translate(hit, ' -', '')) BETWEEN 12 AND 19 AND luhn(hit) THEN
				RETURN n;
			END IF;
			IF kind = 'iban' AND hit ~ '^[A-Za-z]{2}[0-9]{2}([A-Za-z0-9]+|( [A-Za-z0-9]{4})*( [A-Za-z0-9]{1,4})?)$'
				AND length(translate(hit, ' ', '')) = length_of_country(hit) AND mod97(hit) THEN
				RETURN n;
			END IF;
		END LOOP;
		RETURN 0;
	END IF;
	IF kind = 'phone' AND substr(value, i, 1) = '+' THEN
		IF before ~ '[A-Za-z0-9_+]$' THEN
			RETURN 0;
		END IF;
		FOR n IN REVERSE 60 .. 9 LOOP
			hit := substr(value, i, n);
			CONTINUE WHEN length(hit) < n OR substr(value, i + n, 2) ~ '^([A-Za-z0-9_]|[.-][0-9])';
			IF hit ~ '^\+[1-9][0-9]*([ .-][0-9]+|([ .-]?\([0-9]+([ .-][0-9]+)*\))+([ .-]?[0-9]+)?)*(x[0-9]{1,6})?$'
				AND length(regexp_replace(hit, 'x.*|[^0-9]', '', 'g')) BETWEEN (CASE WHEN hit LIKE '+1%' THEN 11 ELSE 8 END)
					AND (CASE WHEN hit LIKE '+1%' THEN 11 ELSE 15 END) THEN
				RETURN n;
			END IF;
		END LOOP;
		RETURN 0;
	END IF;
	SELECT p.pattern INTO pattern FROM patterns p WHERE p.kind = match_here.kind;
	IF regexp_instr(value, pattern, i) <> i THEN
		RETURN 0;
	END IF;
	RETURN regexp_instr(value, pattern, i, 1, 1) - i;
END $$;
CREATE FUNCTION redact_reference(value text, kinds text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	result text := '';
	i int := 1;
	n int;
	k text;
BEGIN
	WHILE i <= length(value) LOOP
		n := 0;
		IF substr(value, i, 1) ~ '[A-Za-z0-9_:+(]' THEN
			FOREACH k IN ARRAY ARRAY['email', 'iban', 'ipv6', 'ipv4', 'card', 'ssn', 'phone'] LOOP
				CONTINUE WHEN k <> ALL (kinds);
				n := match_here(value, i, k);
				EXIT WHEN n > 0;
			END LOOP;
		END IF;
		result := result || CASE WHEN n > 0 THEN '[' || upper(k) || ']' ELSE substr(value, i, 1) END;
		i := i + greatest(n, 1);
	END LOOP;
	RETURN result;
END $$;

-- Texts of pieces that are, or nearly are, personal data
CREATE TABLE pieces AS SELECT * FROM unnest(ARRAY['bob@example.com', 'a@b.co', '@', 'user', '4111111111111111', '4111 1111 1111 1111', '378282246310005',
	'4111-1111', '10.0.0.1', '255.255', '1.2.3', '256', '::', 'fe80', '::1', '2001:db8', '1:2:3:4:5:6:7:8', 'dead:beef', 'GB82WEST12345698765432',
	'GB82 WEST 1234 5698 7654 32', 'NO9386011117947', 'DE89', '078-05-1120', '123 45 6789', '(415) 555-2671', '415-555-2671', '1-', '+1 415 555 2671',
	'+46 (0)8 928 571 38', '+', '(', ')', 'x12', ' ', ' ', ' ', '.', '.', '-', '-', ':', '_', 'a', 'f', '1', '2', '4', '00', '555', 'é', '漢', '%', 'com']) WITH ORDINALITY AS t (piece, n);
CREATE TABLE texts (id int, s text);
INSERT INTO texts
SELECT g, string_agg(piece, '' ORDER BY i) FROM generate_series(1, 1500) g, generate_series(1, 1 + g % 6) i, pieces
WHERE n = 1 + abs(hashint8(g * 1000 + i)::bigint) % (SELECT count(*) FROM pieces) GROUP BY g;
CREATE TABLE sentences (id int, s text, entities text);
COPY sentences FROM :'sentences' (FORMAT csv, HEADER);
INSERT INTO texts SELECT 10000 + id, s FROM sentences;
SELECT id, s, gpustr.redact_pii(s, k), redact_reference(s, k)
FROM texts, (VALUES ('{email,iban,ipv6,ipv4,card,ssn,phone}'::text[]), ('{ssn,ipv4,phone}')) AS t (k)
WHERE gpustr.redact_pii(s, k) <> redact_reference(s, k) AND (k = '{ssn,ipv4,phone}' OR id % 2 = 0);

-- A kind alone, over ten thousand lines of a log, too
CREATE TABLE log (line text);
COPY log FROM PROGRAM :'log' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', ESCAPE E'\x02');
SELECT kind, count(*), count(*) FILTER (WHERE got <> s) AS redacted, count(*) FILTER (WHERE got <> regexp_replace(s, pattern, name, 'g')) AS wrong
FROM patterns, (SELECT s FROM texts UNION ALL SELECT line FROM log) t, LATERAL (SELECT gpustr.redact_pii(s, ARRAY[kind]) AS got) g
WHERE kind <> 'phone' OR s !~ '\+[0-9]' GROUP BY kind ORDER BY kind;

-- How much of what is in the sentences is found: those without a telephone number, which may be of any country
SELECT entities, count(*), count(*) FILTER (WHERE gpustr.redact_pii(s, '{email,iban,ipv6,ipv4,card,ssn,phone}') <> s) AS found
FROM sentences GROUP BY 1 ORDER BY 1;

-- Arrays
SELECT gpustr.redact_pii(ARRAY['a@b.cd', NULL, 'x', '::1'], '{email,ipv6}');
SELECT gpustr.redact_pii(ARRAY[NULL, NULL]::text[], '{email}'), gpustr.redact_pii(ARRAY['', ''], '{email}');
SELECT gpustr.redact_pii('{}'::text[], '{email}'), gpustr.redact_pii(NULL::text[], '{email}') IS NULL AS strict;
SELECT gpustr.redact_pii('[2:3]={a@b.cd,b}'::text[], '{email}'), gpustr.redact_pii(ARRAY[['a@b.cd', 'x'], [NULL, '10.0.0.1']], '{email,ipv4}'), gpustr.redact_pii(ARRAY['a@b.cd'], '{}');
SELECT count(*), count(*) FILTER (WHERE r <> gpustr.redact_pii(line, '{ipv4,email,phone,card}')) AS different
FROM (SELECT unnest(gpustr.redact_pii(array_agg(line ORDER BY line), '{ipv4,email,phone,card}')) AS r, unnest(array_agg(line ORDER BY line)) AS line FROM log) s;

-- Long values
SELECT length(gpustr.redact_pii(repeat('x', 1000000), '{email,phone,card,ipv4,ipv6,iban,ssn}')) AS nothing,
	length(gpustr.redact_pii(repeat('a@b.cd ', 150000), '{email}')) AS longer,
	length(gpustr.redact_pii(repeat('1', 1000000), '{card,phone,ipv4,ipv6}')) AS digits,
	length(gpustr.redact_pii(repeat('4', 10) || repeat('@', 1000000), '{email,card}')) AS signs,
	length(gpustr.redact_pii(repeat('a.', 500000) || '@b.cd', '{email}')) AS far;

-- One can be cancelled: at a tenth of its time, and it ends before half of that
CREATE TEMP TABLE whole (took interval);
DO $$
DECLARE
	began timestamptz := clock_timestamp();
BEGIN
	PERFORM gpustr.redact_pii(repeat('1. ', 20000000), '{email,phone,card,ipv4,ipv6,iban,ssn}');
	INSERT INTO whole VALUES (clock_timestamp() - began);
END $$;
SELECT (extract(epoch FROM took) * 100)::int + 1 AS timeout FROM whole \gset
SET statement_timeout = :timeout;
DO $$
DECLARE
	began timestamptz := clock_timestamp();
BEGIN
	PERFORM gpustr.redact_pii(repeat('1. ', 20000000), '{email,phone,card,ipv4,ipv6,iban,ssn}');
	RAISE NOTICE 'not cancelled';
EXCEPTION WHEN query_canceled THEN
	RAISE NOTICE 'cancelled %', (SELECT CASE WHEN clock_timestamp() - began < took / 2 THEN 'early' ELSE 'late' END FROM whole);
END $$;
RESET statement_timeout;

-- In scans: filters and computed columns
INSERT INTO texts VALUES (50000, NULL), (50001, repeat('long bob@example.com ', 5000)),
	(50002, (SELECT string_agg(md5(i::text), ' 10.0.0.1 ') FROM generate_series(1, 200) i));
ANALYZE texts;
SELECT query, same(query) FROM (VALUES
	($$SELECT id FROM texts WHERE gpustr.redact_pii(s, '{email,phone,card,ipv4,ipv6,iban,ssn}') LIKE '%[%'$$),
	($$SELECT id FROM texts WHERE gpustr.redact_pii(s, '{card}') = s$$),
	($$SELECT id FROM texts WHERE gpustr.redact_pii(gpustr.redact_pii(s, '{email}'), '{}') <> gpustr.redact_pii(s, '{phone,email}')$$),
	($$SELECT id FROM texts WHERE length(gpustr.redact_pii(coalesce(s, '10.0.0.1'), '{ipv4}')) < 8$$),
	($$SELECT id, gpustr.redact_pii(s, '{email,phone,card,ipv4,ipv6,iban,ssn}') AS r FROM texts$$),
	($$SELECT gpustr.redact_pii(s, '{email,ssn}') AS r, s FROM texts WHERE id % 3 = 0$$),
	($$SELECT gpustr.redact_pii(line, '{ipv4,email}') AS r FROM log$$)) q (query);

-- Kinds that are known when the scan runs; errors, if a row comes to them
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
PREPARE p (text[]) AS SELECT count(*), count(*) FILTER (WHERE r LIKE '%[IPV4]%') AS ipv4 FROM (SELECT gpustr.redact_pii(s, $1) AS r FROM texts OFFSET 0) s;
PREPARE w (text[]) AS SELECT count(*) FROM texts WHERE gpustr.redact_pii(s, $1) LIKE '%[EMAIL]%';
EXECUTE p ('{ipv4,ssn}');
EXECUTE w ('{email,phone}');
EXECUTE w ('{phone}');
EXECUTE w (NULL);
EXECUTE w ('{}');
EXECUTE w ('{email,mail}');
EXECUTE w ('{email}');
RESET plan_cache_mode;
SELECT count(*) FROM texts WHERE id >= 0 AND gpustr.redact_pii(s, '{mail}') LIKE '%x%';
SELECT count(*) FROM texts WHERE id < 0 AND gpustr.redact_pii(s, '{mail}') LIKE '%x%';
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT id FROM texts WHERE id > 0 AND gpustr.redact_pii(s, '{mail}') LIKE 'x' AND gpustr.redact_pii(s, ARRAY[s]) LIKE 'x'$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT gpustr.redact_pii(s, '{email,ssn}') FROM texts WHERE gpustr.redact_pii(s, '{email}') LIKE '%[EMAIL]%'$$);
RESET gpustr.debug_require;
RESET gpustr.enabled;
DROP TABLE patterns, pieces, texts, sentences, log;
DROP FUNCTION same, outcome, with_gpu, explain_masked, luhn, mod97, length_of_country, match_here, redact_reference;
