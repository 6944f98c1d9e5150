-- Other ways to answer what gpustr's own functions answer, for text_fuzz.py.
--
-- Each function has the name and the arguments of one of gpustr's.  They are
-- written from what the documentation says, and as plainly as can be, so they are
-- slow: of longer texts some ask gpustr itself.  Texts are compared byte by byte,
-- whatever their collation.
CREATE SCHEMA fuzz_oracle;
SET check_function_bodies = off;

-- Search

CREATE FUNCTION fuzz_oracle.find(haystack text, pattern text) RETURNS integer
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT strpos(haystack COLLATE "C", pattern COLLATE "C") $$;

CREATE FUNCTION fuzz_oracle.find(haystack text, pattern text, from_position integer) RETURNS integer
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
	first integer := greatest(from_position, 1);
	hit integer;
BEGIN
	IF first - 1 > length(haystack) THEN
		RETURN 0;
	END IF;
	hit := strpos(substr(haystack, first) COLLATE "C", pattern COLLATE "C");
	RETURN CASE WHEN hit = 0 THEN 0 ELSE hit + first - 1 END;
END
$$;

-- each place, in the order of places; the empty pattern is at each, also the last
CREATE FUNCTION fuzz_oracle.places(haystack text, pattern text) RETURNS SETOF bigint
	LANGUAGE sql IMMUTABLE STRICT AS
$$
	SELECT i::bigint FROM generate_series(1, length(haystack) - length(pattern) + 1) i
	WHERE substr(haystack, i, length(pattern)) COLLATE "C" = pattern COLLATE "C"
$$;

CREATE FUNCTION fuzz_oracle.count_matches(haystack text, pattern text) RETURNS bigint
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
	IF length(haystack) > 1000 THEN
		RETURN gpustr.count_matches(haystack, pattern);
	END IF;
	RETURN (SELECT count(*) FROM fuzz_oracle.places(haystack, pattern));
END
$$;

CREATE FUNCTION fuzz_oracle.find_all(haystack text, pattern text) RETURNS bigint[]
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
	IF length(haystack) > 1000 THEN
		RETURN gpustr.find_all(haystack, pattern);
	END IF;
	RETURN (SELECT coalesce(array_agg(p ORDER BY p), '{}') FROM fuzz_oracle.places(haystack, pattern) p);
END
$$;

CREATE FUNCTION fuzz_oracle.contains_any(value text, patterns text[]) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT EXISTS (SELECT FROM unnest(patterns) p WHERE strpos(value COLLATE "C", p COLLATE "C") > 0) $$;

CREATE FUNCTION fuzz_oracle.matching(value text, patterns text[]) RETURNS integer[]
	LANGUAGE sql IMMUTABLE STRICT AS
$$
	SELECT coalesce(array_agg(i::integer ORDER BY i), '{}') FROM unnest(patterns) WITH ORDINALITY u (p, i)
	WHERE strpos(value COLLATE "C", p COLLATE "C") > 0
$$;

-- Approximate search, over Levenshtein's distance of fuzzystrmatch.  Where that is
-- not installed, these raise an error, so that nothing is compared.

DO $$
BEGIN
	IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'fuzzystrmatch') THEN
		CREATE EXTENSION IF NOT EXISTS fuzzystrmatch SCHEMA fuzz_oracle;
	END IF;
END
$$;

CREATE FUNCTION fuzz_oracle.edit_distance(a text, b text) RETURNS integer
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
	IF octet_length(a) > 255 OR octet_length(b) > 255 THEN
		RETURN gpustr.edit_distance(a, b);
	END IF;
	RETURN fuzz_oracle.levenshtein(a, b);
END
$$;

CREATE FUNCTION fuzz_oracle.edit_distance_within(a text, b text, k integer) RETURNS boolean
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
	IF k < 0 OR octet_length(a) > 255 OR octet_length(b) > 255 THEN
		RETURN gpustr.edit_distance_within(a, b, k);
	END IF;
	RETURN fuzz_oracle.levenshtein(a, b) <= k;
END
$$;

-- the part that ends first, of these the longest
CREATE FUNCTION fuzz_oracle.fuzzy_find(haystack text, pattern text, k integer) RETURNS integer
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
	part_end integer;
	part_start integer;
BEGIN
	IF k < 0 OR length(haystack) > 60 OR length(pattern) > 60 THEN
		RETURN gpustr.fuzzy_find(haystack, pattern, k);
	END IF;
	FOR part_end IN 0 .. length(haystack) LOOP
		FOR part_start IN 1 .. part_end + 1 LOOP
			IF fuzz_oracle.levenshtein(substr(haystack, part_start, part_end - part_start + 1), pattern) <= k THEN
				RETURN part_start;
			END IF;
		END LOOP;
	END LOOP;
	RETURN 0;
END
$$;

-- Of bytea, by way of hexadecimal digits: two for each byte

CREATE FUNCTION fuzz_oracle.find_all(haystack bytea, pattern bytea) RETURNS bigint[]
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
	IF length(haystack) > 1000 THEN
		RETURN gpustr.find_all(haystack, pattern);
	END IF;
	RETURN (SELECT coalesce(array_agg((p + 1) / 2 ORDER BY p), '{}')
			FROM fuzz_oracle.places(encode(haystack, 'hex'), encode(pattern, 'hex')) p WHERE p % 2 = 1);
END
$$;

CREATE FUNCTION fuzz_oracle.find(haystack bytea, pattern bytea) RETURNS integer
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT coalesce((fuzz_oracle.find_all(haystack, pattern))[1], 0)::integer $$;

CREATE FUNCTION fuzz_oracle.count_matches(haystack bytea, pattern bytea) RETURNS bigint
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT cardinality(fuzz_oracle.find_all(haystack, pattern))::bigint $$;

-- Of arrays: element by element

CREATE FUNCTION fuzz_oracle.find(haystacks text[], pattern text) RETURNS integer[]
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT array_agg(fuzz_oracle.find(h, pattern) ORDER BY i) FROM unnest(haystacks) WITH ORDINALITY u (h, i) $$;

CREATE FUNCTION fuzz_oracle.count_matches(haystacks text[], pattern text) RETURNS bigint[]
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT array_agg(fuzz_oracle.count_matches(h, pattern) ORDER BY i) FROM unnest(haystacks) WITH ORDINALITY u (h, i) $$;

CREATE FUNCTION fuzz_oracle.edit_distance(texts text[], b text) RETURNS integer[]
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT array_agg(fuzz_oracle.edit_distance(a, b) ORDER BY i) FROM unnest(texts) WITH ORDINALITY u (a, i) $$;

CREATE FUNCTION fuzz_oracle.edit_distance_within(texts text[], b text, k integer) RETURNS boolean[]
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT array_agg(fuzz_oracle.edit_distance_within(a, b, k) ORDER BY i) FROM unnest(texts) WITH ORDINALITY u (a, i) $$;

CREATE FUNCTION fuzz_oracle.fuzzy_find(haystacks text[], pattern text, k integer) RETURNS integer[]
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT array_agg(fuzz_oracle.fuzzy_find(h, pattern, k) ORDER BY i) FROM unnest(haystacks) WITH ORDINALITY u (h, i) $$;

CREATE FUNCTION fuzz_oracle.redact_pii(texts text[], kinds text[]) RETURNS text[]
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT array_agg(fuzz_oracle.redact_pii(v, kinds) ORDER BY i) FROM unnest(texts) WITH ORDINALITY u (v, i) $$;

-- Redaction

CREATE FUNCTION fuzz_oracle.redact_pattern(value text, regex text, replacement text) RETURNS text
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT regexp_replace(value, regex, replacement, 'g') $$;

-- borders: what stands before place i, and from place i on
CREATE FUNCTION fuzz_oracle.begins_word(v text, i integer) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT i <= 1 OR substr(v, i - 1, 1) COLLATE "C" !~ '[A-Za-z0-9_]' $$;

CREATE FUNCTION fuzz_oracle.number_before(v text, i integer, signs text) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT i > 2 AND substr(v, i - 2, 2) COLLATE "C" ~ ('^[0-9][' || signs || ']$') $$;

CREATE FUNCTION fuzz_oracle.number_ends(v text, i integer, signs text) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT substr(v, i) COLLATE "C" !~ ('^([A-Za-z0-9_]|[' || signs || '][0-9])') $$;

CREATE FUNCTION fuzz_oracle.is_quad(v text) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT AS
$$
	SELECT CASE WHEN v COLLATE "C" ~ '^[0-9]{1,3}(\.[0-9]{1,3}){3}$'
		THEN (SELECT bool_and(p::integer <= 255) FROM unnest(string_to_array(v COLLATE "C", '.')) p) ELSE false END
$$;

CREATE FUNCTION fuzz_oracle.is_ipv6(address text) RETURNS boolean
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
	v text COLLATE "C" := address;
	quad text COLLATE "C" := substring(address COLLATE "C" from '[0-9]+\.[0-9.]*$');
BEGIN
	IF v !~ '[0-9]' OR v !~ ':' THEN
		RETURN false;
	END IF;
	IF quad IS NOT NULL THEN
		IF NOT fuzz_oracle.is_quad(quad) OR left(v, - length(quad)) !~ ':$' THEN
			RETURN false;
		END IF;
		v := left(v, - length(quad)) || '0:0';
	END IF;
	IF v !~ '^[0-9A-Fa-f:]+$' OR v ~ '[0-9A-Fa-f]{5}' THEN
		RETURN false;
	END IF;
	-- eight groups, or at most seven and one place of two colons
	IF v ~ '::' THEN
		RETURN v !~ ':::|::.*::' AND v !~ '(^:[^:]|[^:]:$)' AND
			(SELECT count(*) FROM unnest(string_to_array(v, ':')) p WHERE p <> '') <= 7;
	END IF;
	RETURN v ~ '^[^:]+(:[^:]+){7}$';
END
$$;

CREATE FUNCTION fuzz_oracle.is_card(v text) RETURNS boolean
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
	digits text COLLATE "C" := regexp_replace(v COLLATE "C", '[ -]', '', 'g');
	total integer := 0;
	d integer;
BEGIN
	IF v COLLATE "C" !~ '^([0-9]{4,}( [0-9]{4,})*( [0-9]+)?|[0-9]{4,}(-[0-9]{4,})*(-[0-9]+)?)$' OR
		length(digits) NOT BETWEEN 12 AND 19 OR digits !~ '^([2-6]|1800)' THEN
		RETURN false;
	END IF;
	FOR i IN 1 .. length(digits) LOOP
		d := substr(reverse(digits), i, 1)::integer * (1 + (i + 1) % 2);
		total := total + d / 10 + d % 10;
	END LOOP;
	RETURN total % 10 = 0;
END
$$;

CREATE FUNCTION fuzz_oracle.is_iban(v text) RETURNS boolean
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
	-- country and length, of SWIFT's registry
	lengths constant text := 'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20'
		'EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30'
		'KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23'
		'PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26'
		'UA29VA22VG24XK20YE30';
	compact text COLLATE "C" := upper(replace(v COLLATE "C", ' ', ''));
	number text COLLATE "C" := '';
	c text COLLATE "C";
BEGIN
	IF v COLLATE "C" !~ '^[A-Za-z]{2}[0-9]{2}([A-Za-z0-9]+|( [A-Za-z0-9]{4})+( [A-Za-z0-9]{1,3})?)$' THEN
		RETURN false;
	END IF;
	IF length(compact)::text IS DISTINCT FROM substring(lengths from '(?:^|[0-9])' || left(compact, 2) || '([0-9]{2})') THEN
		RETURN false;
	END IF;
	FOREACH c IN ARRAY regexp_split_to_array(substr(compact, 5) || left(compact, 4), '') LOOP
		number := number || CASE WHEN c ~ '[0-9]' THEN c ELSE (ascii(c) - 55)::text END;
	END LOOP;
	RETURN number::numeric % 97 = 1;
END
$$;

-- what of this kind begins at place i: its length, 0 if nothing
CREATE FUNCTION fuzz_oracle.pii_at(value text, i integer, kind text) RETURNS integer
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
	v constant text COLLATE "C" := value;
	rest constant text COLLATE "C" := substr(value, i, 120);
	word constant boolean := fuzz_oracle.begins_word(value, i);
	found text COLLATE "C";
	digits text COLLATE "C";
BEGIN
	IF kind = 'email' THEN
		RETURN CASE WHEN word THEN coalesce(length(substring(rest from '^[A-Za-z0-9_][A-Za-z0-9_%+.-]{0,63}@'
			'(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]')), 0) ELSE 0 END;
	ELSIF kind = 'ssn' THEN
		found := substring(rest from '^[0-9]{3}(?:-[0-9]{2}-| [0-9]{2} )[0-9]{4}');
		IF found IS NULL OR NOT word OR found ~ '^(000|666|9)|^...[ -]00|0000$' OR fuzz_oracle.number_before(v, i, '.-') OR
			NOT fuzz_oracle.number_ends(v, i + 11, '.-') THEN
			RETURN 0;
		END IF;
		RETURN 11;
	END IF;
	-- all that may be part of one, and then less and less of it
	found := substring(rest from CASE kind
		WHEN 'ipv4' THEN '^[0-9][0-9.]*'
		WHEN 'ipv6' THEN '^[0-9A-Fa-f:][0-9A-Fa-f:.]*'
		WHEN 'card' THEN '^[0-9][0-9 -]*'
		WHEN 'iban' THEN '^[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]*'
		ELSE '^[+(0-9][0-9 .()-]*(?:x[0-9]*)?' END);
	IF NOT word AND kind <> 'phone' OR rest = '' THEN
		RETURN 0;
	END IF;
	FOR n IN REVERSE coalesce(length(found), 0) .. 3 LOOP
		found := left(found, n);
		CONTINUE WHEN substr(v, i + n, 1) COLLATE "C" ~ '[A-Za-z0-9_]';
		CONTINUE WHEN kind <> 'iban' AND NOT fuzz_oracle.number_ends(v, i + n, CASE kind WHEN 'phone' THEN '.-' ELSE '.' END);
		IF kind = 'ipv4' AND NOT fuzz_oracle.number_before(v, i, '.') AND fuzz_oracle.is_quad(found) OR
			kind = 'ipv6' AND NOT fuzz_oracle.number_before(v, i, '.') AND (i = 1 OR substr(v, i - 1, 1) <> ':') AND
				substr(v, i + n) COLLATE "C" !~ '^:[:0-9A-Fa-f]' AND fuzz_oracle.is_ipv6(found) OR
			kind = 'card' AND NOT fuzz_oracle.number_before(v, i, '.') AND fuzz_oracle.is_card(found) OR
			kind = 'iban' AND fuzz_oracle.is_iban(found) THEN
			RETURN n;
		END IF;
		CONTINUE WHEN kind <> 'phone';
		-- of North America
		IF (word OR found ~ '^\(') AND NOT fuzz_oracle.number_before(v, i, '.-') AND
			found ~ '^(1[ .-])?([2-9][0-9]{2}[ .-]|\([2-9][0-9]{2}\)[ .-]?)[2-9][0-9]{2}[ .-][0-9]{4}(x[0-9]{1,6})?$' THEN
			RETURN n;
		END IF;
		-- international
		digits := regexp_replace(split_part(found, 'x', 1), '[^0-9]', '', 'g');
		IF word AND (i = 1 OR substr(v, i - 1, 1) <> '+') AND
			found ~ '^\+[1-9][0-9]*([ .-][0-9]+|[ .-]?\([0-9]+([ .-][0-9]+)*\)[0-9]*)*(x[0-9]{1,6})?$' AND
			(CASE WHEN digits ~ '^1' THEN length(digits) = 11 ELSE length(digits) BETWEEN 8 AND 15 END) THEN
			RETURN n;
		END IF;
	END LOOP;
	RETURN 0;
END
$$;

CREATE FUNCTION fuzz_oracle.redact_pii(value text, kinds text[]) RETURNS text
	LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
DECLARE
	made text COLLATE "C" := '';
	i integer := 1;
	n integer;
	kind text COLLATE "C";
BEGIN
	IF length(value) > 120 OR NOT kinds <@ ARRAY['email', 'iban', 'ipv6', 'ipv4', 'card', 'ssn', 'phone'] THEN
		RETURN gpustr.redact_pii(value, kinds);
	END IF;
	<<places>>
	WHILE i <= length(value) LOOP
		FOREACH kind IN ARRAY ARRAY['email', 'iban', 'ipv6', 'ipv4', 'card', 'ssn', 'phone'] LOOP
			CONTINUE WHEN kind <> ALL (kinds COLLATE "C");
			n := fuzz_oracle.pii_at(value, i, kind);
			IF n > 0 THEN
				made := made || '[' || upper(kind) || ']';
				i := i + n;
				CONTINUE places;
			END IF;
		END LOOP;
		made := made || substr(value, i, 1);
		i := i + 1;
	END LOOP;
	RETURN made;
END
$$;
