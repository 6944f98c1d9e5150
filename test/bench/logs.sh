#!/bin/bash
#
# The figures over table "logs": 20 million log lines, 3.6 GB of heap, all of
# it in shared_buffers.  gpustr beside PostgreSQL in the same run.
#
#	test/bench/logs.sh [ROWS]
#
# Starts a private cluster as test/run does (same environment), fills the table
# with as many sessions as there are processors, and prints one line for each
# figure: median milliseconds of RUNS, and the ratio to PostgreSQL's one
# process.  The gpustr answers are checked against PostgreSQL's.
#
set -euo pipefail
cd "$(dirname "$0")/../.."
TOP=$PWD
# shellcheck source=tools/cluster.sh
. tools/cluster.sh

ROWS=${1:-20000000}
RUNS=${RUNS:-5}
PEER_RUNS=${PEER_RUNS:-2}
GPUSTR_DEVICES=${GPUSTR_TEST_DEVICES:-auto}
JOBS=$(nproc)

LIKE="msg LIKE '%timeout%retry 99%'"

# run SETTINGS QUERY RUNS: set answer, and median milliseconds in ms
run()
{
	local out i script="$1;"

	for ((i = 0; i < $3; i++)); do script+=$'\n'"$2;"; done
	out=$(printf '%s\n' "$script" | sql bench -At -c '\timing on' -f -)
	answer=$(grep -v '^Time:' <<<"$out" | sort -u | grep -v '^$' | tail -n 1)
	[ "$(grep -v '^Time:' <<<"$out" | grep -v '^$' | sort -u | wc -l)" -eq 1 ] ||
		die "answers differ between runs: $2"
	ms=$(grep '^Time:' <<<"$out" | tail -n "$3" | awk '{print $2}' | sort -n |
		awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}')
}

# figure NAME SETTINGS QUERY: one line of the table, checked against $peer_answer
figure()
{
	run "$2" "$3" "$RUNS"
	[ "$answer" = "$peer_answer" ] || die "$1: answer $answer, PostgreSQL says $peer_answer"
	printf '%-44s %10.1f ms %8.1f x\n' "$1" "$ms" "$(awk "BEGIN {print $peer_ms / $ms}")"
}

# peer NAME SETTINGS QUERY: the same for what the others are measured against
peer()
{
	run "$2" "$3" "$PEER_RUNS"
	peer_answer=$answer
	peer_ms=$ms
	printf '%-44s %10.1f ms\n' "$1" "$ms"
}

cluster_begin gpustr-bench
find_postgres || die "no PostgreSQL"
[ -n "${BUILT:-}" ] || build_and_install
cat >"$WORK/bench.conf" <<C
shared_preload_libraries = 'gpustr'
shared_buffers = '$((ROWS / 4000 + 512))MB'
fsync = off
autovacuum = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = '64GB'
checkpoint_timeout = '1h'
jit = off
max_worker_processes = 32
max_parallel_workers = 32
max_parallel_workers_per_gather = 0
${BENCH_CONF:-}
C
cluster_start "$WORK/bench.conf"
sql postgres -c 'CREATE DATABASE bench'
sql bench -c 'CREATE EXTENSION gpustr' -c 'CREATE TABLE logs (id int, ts timestamptz, custid int,
	amount int, host text, level text, msg text)'
say "filling logs with $ROWS rows"
for ((j = 0; j < JOBS; j++)); do
	sql bench -c "INSERT INTO logs
		SELECT i, '2026-01-01'::timestamptz + i * interval '1 second', i % 2000000, i % 1000,
			'host' || (i * 7919::bigint) % 500 || '.rack' || i % 12,
			(ARRAY['DEBUG', 'INFO', 'INFO', 'INFO', 'WARN', 'ERROR'])[1 + i % 6],
			'request ' || md5(i::text) || ' to backend ' || (i * 31::bigint) % 9973 || ' '
			|| (ARRAY['completed', 'timeout after', 'refused by', 'queued at'])[1 + (i * 13::bigint) % 4]
			|| ' upstream, retry ' || (i * 17::bigint) % 1000 || ' of 1000, path /api/v' || i % 3 || '/items'
		FROM generate_series($ROWS::bigint * $j / $JOBS + 1, $ROWS::bigint * ($j + 1) / $JOBS) i" &
done
wait
sql bench -c 'VACUUM (ANALYZE) logs'
sql bench -At -c "SELECT 'heap: ' || pg_size_pretty(pg_relation_size('logs')) || ', '
	|| pg_relation_size('logs') / 8192 || ' pages, '
	|| round(avg(length(msg)), 1) || ' characters of text' FROM logs WHERE id % 1000 = 0"
if [ "$GPUSTR_DEVICES" != none ]; then
	wait_for_device bench 120 || say "no device: figures of the local engine only"
fi
# a line for each start: shared buffers may still be in registration
for ((i = 0; i < 300; i++)); do
	grep -q 'shared buffers registered' "$WORK/server.log" && break
	sleep 0.1
done
grep 'gpustr device' "$WORK/server.log" || true

printf '\n%-44s %13s %10s\n' 'count(*) over logs' 'median' 'ratio'
peer 'PostgreSQL, 1 process, no WHERE' 'SET gpustr.enabled = off' 'SELECT count(*) FROM logs'
peer 'PostgreSQL, 1 process, LIKE' 'SET gpustr.enabled = off' "SELECT count(*) FROM logs WHERE $LIKE"
figure 'gpustr, 1 process, local engine' 'SET gpustr.engine = local' "SELECT count(*) FROM logs WHERE $LIKE"
if wait_for_device bench 1; then
	figure 'gpustr, 1 process, device' "SET gpustr.debug_require = require" "SELECT count(*) FROM logs WHERE $LIKE"
	for depth in 2 8 16; do
		figure "gpustr, 1 process, device, batch_depth $depth" \
			"SET gpustr.debug_require = require; SET gpustr.batch_depth = $depth" "SELECT count(*) FROM logs WHERE $LIKE"
	done
	sql bench -At -c "SET gpustr.debug_require = require" \
		-c "EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*) FROM logs WHERE $LIKE"
	sql bench -x -c 'SELECT * FROM gpustr.stat_device'
fi
peer "PostgreSQL, $JOBS processes, LIKE" "SET gpustr.enabled = off; SET max_parallel_workers_per_gather = $((JOBS - 1));
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; ALTER TABLE logs SET (parallel_workers = $((JOBS - 1)))" \
	"SELECT count(*) FROM logs WHERE $LIKE"

printf '\n%-44s %13s %10s\n' 'redact of 1 M names' 'median' 'ratio'
sql bench -c "CREATE TABLE people AS SELECT 'Firstname' || i % 5000 || ' Lastname' || (i * 7919::bigint) % 99991 AS name,
		CASE WHEN i % 3 = 0 THEN 'public' ELSE 'private' END AS visibility FROM generate_series(1, 1000000) i" \
	-c 'CREATE TABLE arrays AS SELECT array_agg(name) AS names, array_agg(visibility) AS visibilities FROM people' \
	-c 'VACUUM ANALYZE people' -c 'ALTER TABLE arrays ALTER names SET STORAGE EXTERNAL'
peer 'scalar form' "SET gpustr.engine = local" \
	"SELECT count(*) FROM (SELECT gpustr.redact(name, visibility) AS r FROM people OFFSET 0) s WHERE r IS NOT NULL"
figure 'array_agg, array form, unnest; local engine' "SET gpustr.engine = local" \
	"SELECT count(r) FROM (SELECT unnest(gpustr.redact(array_agg(name), array_agg(visibility))) AS r FROM people) s"
if wait_for_device bench 1; then
	figure 'array_agg, array form, unnest; device' "SET gpustr.engine = device" \
		"SELECT count(r) FROM (SELECT unnest(gpustr.redact(array_agg(name), array_agg(visibility))) AS r FROM people) s"
	sql bench -c 'SELECT gpustr.stat_reset()' >/dev/null
	figure 'array form alone on a stored array; device' "SET gpustr.engine = device" \
		"SELECT array_length(gpustr.redact(names, visibilities), 1) FROM arrays"
	sql bench -x -c 'SELECT * FROM gpustr.stat_device'
fi
