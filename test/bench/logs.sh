#!/bin/bash
#
# The figures over table "logs": 20 million log lines, 3.6 GB of heap, all of
# it in shared_buffers; and once more with a quarter of it there, the rest in
# the kernel's cache.  gpustr beside PostgreSQL in the same run.
#
#	test/bench/logs.sh [ROWS]
#
# Starts a private cluster as test/run does (same environment) and prints one
# line for each figure: median milliseconds of RUNS, and the ratio to the peer
# above it.  PARTS: which of "scans computed redacted names larger"; all by
# default.  Of "redacted": VISITS rows, TABLE_RUNS, of which the least counts, and
# TABLE_ENGINES, of "off local device".
#
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=test/bench/lib.sh
. test/bench/lib.sh

ROWS=${1:-20000000}
WORKERS=${WORKERS:-8}
PARTS=${PARTS:-scans computed redacted names larger}

OFF='SET gpustr.enabled = off'
ON='SET gpustr.debug_require = require'
LIKE="SELECT count(*) FROM logs WHERE msg LIKE '%timeout%retry 99%'"
ILIKE="SELECT count(*) FROM logs WHERE msg ILIKE '%TIMEOUT%Retry 99%'"
REGEX="SELECT count(*) FROM logs WHERE msg ~ 'timeout.*retry 99\\d'"
SOME="SELECT count(id), count(host), count(msg)
	FROM (SELECT id, host, msg FROM logs WHERE msg LIKE '%retry 99_ of%' OFFSET 0) s"
REDACT="SELECT count(r) FROM (SELECT gpustr.redact(host, level) AS r FROM logs OFFSET 0) s"
MASK="SELECT count(m), sum(id) FROM (SELECT id, gpustr.mask(msg, 4, 8) AS m FROM logs WHERE amount < 500 OFFSET 0) s"

# What redact_pii finds, as regular expressions; and shorter ones that find the same here
ADDRESS='(?<![A-Za-z0-9_])[A-Za-z0-9_][A-Za-z0-9_%+.-]{0,63}@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9](?!-*[A-Za-z0-9])'
NUMBER='(25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})'
IPV4="(?<![A-Za-z0-9_])(?<![0-9]\\.)($NUMBER\\.){3}$NUMBER(?![A-Za-z0-9_]|\\.[0-9])"
SHORT_ADDRESS='[\w.%+-]+@[\w-]+(\.[\w-]+)+'
SHORT_IPV4='\m\d{1,3}(\.\d{1,3}){3}\M'

part()
{
	case " $PARTS " in *" $1 "*) return 0 ;; esac
	return 1
}

# scans NAME QUERY: a count by all of them
scans()
{
	peer "$1, PostgreSQL, $JOBS processes" "$OFF; $(workers $((JOBS - 1)))" "$2"
	if [ "$device" = yes ]; then
		figure "$1, gpustr, device, $WORKERS workers" "$ON; $(workers "$WORKERS")" "$2"
	fi
	peer "$1, PostgreSQL, 1 process" "$OFF" "$2"
	figure "$1, gpustr, local engine, 1 process" 'SET gpustr.engine = local' "$2"
	if [ "$device" = yes ]; then
		figure "$1, gpustr, device, 1 process" "$ON" "$2"
		figure "$1, gpustr, device, $WORKERS workers" "$ON; $(workers "$WORKERS")" "$2"
	fi
}

# alone NAME QUERY: in one process each
alone()
{
	peer "$1, PostgreSQL" "$OFF" "$2"
	figure "$1, gpustr, local engine" "SET gpustr.engine = local; $ON" "$2"
	if [ "$device" = yes ]; then
		figure "$1, gpustr, device" "$ON" "$2"
	fi
}

# make_table SETTINGS EXPRESSION: set ms, the least of two runs, and answer, of CREATE TABLE AS
make_table()
{
	local i time

	ms=1e9
	for ((i = 0; i < ${TABLE_RUNS:-2}; i++)); do
		sql bench -q -c 'DROP TABLE IF EXISTS made' 2>/dev/null
		time=$(sql bench -At -c '\timing on' -c "$1; CREATE UNLOGGED TABLE made AS SELECT id, $2 AS r FROM visits" |
			sed -n 's/^Time: \([0-9.]*\).*/\1/p')
		ms=$(awk "BEGIN {print $time < $ms ? $time : $ms}")
	done
	answer=$(sql bench -At -c 'SELECT count(*), sum(hashtextextended(r, 0)::numeric) FROM made')
}

# redacted NAME EXPRESSION [PEER]: CREATE TABLE AS with it in one process; the peer is PostgreSQL with
# the same expression, or with one that gives the same
redacted()
{
	local engine

	make_table "$OFF; $(workers 0)" "${3:-$2}"
	peer_ms=$ms
	peer_answer=$answer
	printf '%-52s %10.1f ms\n' "$1, PostgreSQL" "$ms"
	for engine in ${TABLE_ENGINES:-off local device}; do
		[ "$engine" != device ] || [ "$device" = yes ] || continue
		case $engine in
			off) [ -n "${3:-}" ] || continue
				make_table "$OFF; $(workers 0)" "$2" ;;
			*) make_table "$ON; SET gpustr.engine = $engine; SET gpustr.max_automaton_size = '256kB'; $(workers 0)" "$2" ;;
		esac
		[ "$answer" = "$peer_answer" ] || die "$1, $engine: answer $answer, PostgreSQL says $peer_answer"
		printf '%-52s %10.1f ms %8.1f x\n' "$1, gpustr, ${engine/off/function alone}" "$ms" \
			"$(awk "BEGIN {print $peer_ms / $ms}")"
	done
}

bench_begin "$((ROWS / 4000 + 512))MB"
fill_logs "$ROWS"
if wait_until_registered; then device=yes; else device=no; fi
[ "$device" = yes ] || say "no device: figures of the local engine only"

title 'over logs, in shared buffers'
PEER_RUNS=1
peer 'count(*), PostgreSQL, 1 process' "$OFF" 'SELECT count(*) FROM logs'
if part scans; then
	scans LIKE "$LIKE"
	scans ILIKE "$ILIKE"
	scans REGEX "$REGEX"
	alone '3 columns of 1 % of the rows' "$SOME"
fi
if part computed; then
	PEER_RUNS=3 alone 'redact(host, level)' "$REDACT"
	PEER_RUNS=3 alone 'mask(msg, 4, 8) and id of half the rows' "$MASK"
fi
if part computed && [ "$device" = yes ]; then
	sql bench -At -c "$ON" -c "EXPLAIN (ANALYZE, COSTS OFF) $REDACT" -c "EXPLAIN (ANALYZE, COSTS OFF) $MASK"
	sql bench -At -c "$OFF" -c "EXPLAIN (ANALYZE, COSTS OFF) $REDACT"
fi
if part scans && [ "$device" = yes ]; then
	sql bench -At -c "$ON" -c "EXPLAIN (ANALYZE, COSTS OFF) $LIKE" -c "EXPLAIN (ANALYZE, COSTS OFF) $ILIKE"
	sql bench -At -c "$ON; $(workers "$WORKERS")" -c "EXPLAIN (ANALYZE, COSTS OFF) $LIKE"
	sql bench -x -c 'SELECT * FROM gpustr.stat_device'
	sql bench -c 'SELECT * FROM gpustr.calibrate()'
fi

if part redacted; then
	title 'CREATE TABLE AS, redacted texts of at most 5 M rows'
	sql bench -q -c "CREATE TABLE visits AS SELECT id, msg || CASE id % 3 WHEN 0 THEN ' from 10.' || id % 256 || '.' || id % 200 || '.7'
			WHEN 1 THEN ' by user' || id || '@example.com' ELSE '' END AS msg FROM logs WHERE id <= ${VISITS:-5000000}" \
		-c 'VACUUM ANALYZE visits'
	make_table "$OFF; $(workers 0)" msg
	printf '%-52s %10.1f ms\n' 'the texts as they are, PostgreSQL' "$ms"
	redacted 'redact_pii, email and ipv4' "gpustr.redact_pii(msg, '{email,ipv4}')" \
		"regexp_replace(regexp_replace(msg, '$ADDRESS', '[EMAIL]', 'g'), '$IPV4', '[IPV4]', 'g')"
	redacted 'the same by shorter expressions' "gpustr.redact_pii(msg, '{email,ipv4}')" \
		"regexp_replace(regexp_replace(msg, '$SHORT_ADDRESS', '[EMAIL]', 'g'), '$SHORT_IPV4', '[IPV4]', 'g')"
	redacted 'regexp_replace, e-mail addresses, a third of the rows' "regexp_replace(msg, '$SHORT_ADDRESS', '[EMAIL]', 'g')"
	redacted 'redact_pattern, 1 % of rows match' "gpustr.redact_pattern(msg, 'retry 99\d of', 'retry # of')"
	redacted 'regexp_replace, no row matches' "regexp_replace(msg, 'retry [0-9]{4,} of', 'retry # of', 'g')"
fi

part names || part larger || exit 0
title 'redact of 1 M names'
PEER_RUNS=2
sql bench -c "CREATE TABLE people AS SELECT 'Firstname' || i % 5000 || ' Lastname' || (i * 7919::bigint) % 99991 AS name,
		CASE WHEN i % 3 = 0 THEN 'public' ELSE 'private' END AS visibility FROM generate_series(1, 1000000) i" \
	-c 'CREATE TABLE arrays AS SELECT array_agg(name) AS names, array_agg(visibility) AS visibilities FROM people' \
	-c 'VACUUM ANALYZE people' -c 'ALTER TABLE arrays ALTER names SET STORAGE EXTERNAL'
peer 'scalar form' "$OFF" \
	"SELECT count(*) FROM (SELECT gpustr.redact(name, visibility) AS r FROM people OFFSET 0) s WHERE r IS NOT NULL"
figure 'array_agg, array form, unnest; local engine' "SET gpustr.engine = local" \
	"SELECT count(r) FROM (SELECT unnest(gpustr.redact(array_agg(name), array_agg(visibility))) AS r FROM people) s"
if [ "$device" = yes ]; then
	figure 'array_agg, array form, unnest; device' "SET gpustr.engine = device" \
		"SELECT count(r) FROM (SELECT unnest(gpustr.redact(array_agg(name), array_agg(visibility))) AS r FROM people) s"
	sql bench -c 'SELECT gpustr.stat_reset()' >/dev/null
	figure 'array form alone on a stored array; device' "SET gpustr.engine = device" \
		"SELECT array_length(gpustr.redact(names, visibilities), 1) FROM arrays"
	sql bench -x -c 'SELECT * FROM gpustr.stat_device'
fi

part larger || exit 0
bench_restart "$((ROWS / 22500 + 8))MB"
if wait_until_registered; then device=yes; else device=no; fi
title 'over logs, four times as large as shared buffers'
PEER_RUNS=3
for query in "$LIKE" "$ILIKE"; do
	peer "PostgreSQL, $WORKERS workers" "$OFF; $(workers "$WORKERS")" "$query"
	if [ "$device" = yes ]; then
		figure "gpustr, device, $WORKERS workers" "$ON; $(workers "$WORKERS")" "$query"
	fi
	figure "gpustr, local engine, $WORKERS workers" "SET gpustr.engine = local; $(workers "$WORKERS")" "$query"
done
