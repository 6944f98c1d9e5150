#!/bin/bash
#
# The figures of joins over table "logs": 20 million log lines, with 2 million
# customers (int key), 64 thousand hosts (text key), and both with the six levels (a
# star).  gpustr beside PostgreSQL in the same run.
#
#	test/bench/joins.sh [ROWS]
#
# Starts a private cluster as test/run does (same environment) and prints one
# line for each figure: median milliseconds of RUNS, and the ratio to the peer
# above it.  PARTS: which of "int text star small"; all by default.
#
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=test/bench/lib.sh
. test/bench/lib.sh

ROWS=${1:-20000000}
WORKERS=${WORKERS:-8}
PARTS=${PARTS:-int text star small}

OFF="SET gpustr.enabled = off; SET work_mem = '512MB'"
ON="SET gpustr.enable_join = on; SET gpustr.debug_require = require; SET work_mem = '512MB'"
INT='SELECT count(*), sum(amount) FROM logs l JOIN cust c USING (custid) WHERE c.seg < 25'
TEXT='SELECT count(*) FROM logs l JOIN hosts h ON l.host = h.host WHERE h.rack < 50'
STAR="SELECT sum(id), sum(seg), sum(rack), sum(severity) FROM (
		SELECT l.id, c.seg, h.rack, v.severity FROM logs l JOIN cust c USING (custid)
			JOIN hosts h ON l.host = h.host JOIN levels v ON l.level = v.level
		WHERE c.seg < 25 AND h.rack < 50 OFFSET 0) s"
SMALL='SELECT count(*), sum(amount) FROM few l JOIN cust c USING (custid) WHERE c.seg < 25'
LOOKUP='SELECT sum(seg) FROM few l JOIN cust c USING (custid) WHERE l.id < 20'

part()
{
	case " $PARTS " in *" $1 "*) return 0 ;; esac
	return 1
}

# joins NAME QUERY: by all of them
joins()
{
	peer "$1, PostgreSQL, $JOBS processes" "$OFF; $(workers $((JOBS - 1)))" "$2"
	figure "$1, gpustr, $where, $WORKERS workers" "$ON; $(workers "$WORKERS")" "$2"
	peer "$1, PostgreSQL, 1 process" "$OFF; $(workers 0)" "$2"
	figure "$1, gpustr, $where, 1 process" "$ON; $(workers 0)" "$2"
}

explain()
{
	sql bench -At -c "$ON; $(workers 0)" -c "EXPLAIN (ANALYZE, COSTS OFF) $1"
}

bench_begin "$((ROWS / 4000 + 1024))MB"
fill_logs "$ROWS"
sql bench -q -v ON_ERROR_STOP=1 -f - <<SQL
CREATE TABLE cust AS SELECT i AS custid, (i * 7919::bigint % 50)::int AS seg, 'customer ' || i AS name
	FROM generate_series(0, 1999999) i;
CREATE TABLE hosts AS SELECT host, (row_number() OVER (ORDER BY md5(host)) % 100)::int AS rack
	FROM (SELECT DISTINCT host FROM logs WHERE id <= 100000 UNION SELECT 'spare' || i FROM generate_series(1, 58000) i) h;
CREATE TABLE levels AS SELECT level, n AS severity FROM unnest('{DEBUG,INFO,NOTICE,WARN,ERROR,FATAL}'::text[]) WITH ORDINALITY l (level, n);
CREATE TABLE few AS SELECT * FROM logs WHERE id <= 1000;
CREATE UNIQUE INDEX ON cust (custid);
VACUUM ANALYZE cust, hosts, levels, few;
SQL
if wait_until_registered; then where=device; else where=local; ON+='; SET gpustr.engine = local'; fi
[ "$where" = device ] || say "no device: figures of the local engine only"

title 'joins over logs, in shared buffers'
if part int; then
	joins 'int key, sum' "$INT"
	explain "$INT"
fi
if part text; then
	joins 'text key, count' "$TEXT"
	explain "$TEXT"
fi
if part star; then
	peer 'star of 3, PostgreSQL, 1 process' "$OFF; $(workers 0)" "$STAR"
	figure "star of 3, gpustr, $where, 1 process" "$ON; $(workers 0)" "$STAR"
	explain "$STAR"
fi
if part small; then
	title 'left to itself, the planner takes PostgreSQL'\''s join'
	for query in "$SMALL" "$LOOKUP"; do
		plan=$(sql bench -At -c "SET gpustr.enable_join = on; EXPLAIN (COSTS OFF) $query")
		case $plan in *GpuJoin*) die "a small join is a GpuJoin: $query" ;; esac
		sed -n '1,3p' <<<"$plan"
	done
fi
