#!/bin/bash
#
# What the benchmarks over a server share: a private cluster, the tables, and
# lines of a table of figures.  Sourced by logs.sh and plans.sh, in the
# project's root.
#
# A figure is the median of RUNS; its answer is checked against that of the
# peer before it, PostgreSQL's own plan in the same run.
#
TOP=$PWD
# shellcheck source=tools/cluster.sh
. tools/cluster.sh

RUNS=${RUNS:-5}
PEER_RUNS=${PEER_RUNS:-2}
GPUSTR_DEVICES=${GPUSTR_TEST_DEVICES:-auto}
JOBS=$(nproc)

# run SETTINGS QUERY RUNS: set answer, and milliseconds: the median in ms, the least
# and the most in spread
run()
{
	local out i times script="$1;"

	for ((i = 0; i < $3; i++)); do script+=$'\n'"$2;"; done
	out=$(printf '%s\n' "$script" | sql bench -At -c '\timing on' -f -)
	answer=$(grep -v '^Time:' <<<"$out" | sort -u | grep -v '^$' | tail -n 1)
	[ "$(grep -v '^Time:' <<<"$out" | grep -v '^$' | sort -u | wc -l)" -eq 1 ] ||
		die "answers differ between runs: $2"
	times=$(grep '^Time:' <<<"$out" | tail -n "$3" | awk '{print $2}' | sort -n)
	ms=$(awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}' <<<"$times")
	spread=$(awk '{a[NR] = $1} END {printf "%.1f to %.1f", a[1], a[NR]}' <<<"$times")
}

# figure NAME SETTINGS QUERY: one line of the table, checked against $peer_answer
figure()
{
	run "$2" "$3" "$RUNS"
	[ "$answer" = "$peer_answer" ] || die "$1: answer $answer, PostgreSQL says $peer_answer"
	printf '%-52s %10.1f ms %8.1f x   %s\n' "$1" "$ms" "$(awk "BEGIN {print $peer_ms / $ms}")" "$spread"
}

# peer NAME SETTINGS QUERY: the same for what the others are measured against
peer()
{
	run "$2" "$3" "$PEER_RUNS"
	peer_answer=$answer
	peer_ms=$ms
	printf '%-52s %10.1f ms\n' "$1" "$ms"
}

# bench_begin SHARED_BUFFERS: a cluster with database bench and the extension
bench_begin()
{
	cluster_begin gpustr-bench
	find_postgres || die "no PostgreSQL"
	[ -n "${BUILT:-}" ] || build_and_install
	cat >"$WORK/bench.conf" <<-C
		shared_preload_libraries = 'gpustr'
		shared_buffers = '$1'
		fsync = off
		autovacuum = off
		wal_level = minimal
		max_wal_senders = 0
		max_wal_size = '64GB'
		checkpoint_timeout = '1h'
		jit = off
		max_worker_processes = 64
		max_parallel_workers = 64
		max_parallel_workers_per_gather = 0
		${BENCH_CONF:-}
	C
	# huge pages spare each new process a page fault for every 4 kB; huge_pages = try
	if is_root; then
		echo $((${1%[MG]B} * ($([[ $1 == *GB ]] && echo 1024 || echo 1)) / 2 + 512)) \
			>/proc/sys/vm/nr_hugepages 2>/dev/null || true
	fi
	cluster_start "$WORK/bench.conf"
	say "huge pages in use: $(awk '/HugePages_Total/ {t = $2} /HugePages_Free/ {f = $2} END {print t - f}' /proc/meminfo)"
	sql postgres -c 'CREATE DATABASE bench'
	sql bench -c 'CREATE EXTENSION gpustr'
}

# bench_restart SHARED_BUFFERS
bench_restart()
{
	sql bench -c "ALTER SYSTEM SET shared_buffers = '$1'"
	as_user "$PG_BINDIR/pg_ctl" -D "$PGDATA" -w -t 60 -l "$WORK/server.log" restart \
		>"$WORK/pg_ctl.log" 2>&1 || die "the server did not start again"
}

# fill_logs ROWS: table logs, by as many sessions as there are processors
fill_logs()
{
	local j pids=()

	sql bench -c 'CREATE TABLE logs (id int, ts timestamptz, custid int,
		amount int, host text, level text, msg text)'
	say "filling logs with $1 rows"
	for ((j = 0; j < JOBS; j++)); do
		sql bench -c "INSERT INTO logs
			SELECT i, '2026-01-01'::timestamptz + i * interval '1 second', i % 2000000, i % 1000,
				'host' || (i * 7919::bigint) % 500 || '.rack' || i % 12,
				(ARRAY['DEBUG', 'INFO', 'INFO', 'INFO', 'WARN', 'ERROR'])[1 + i % 6],
				'request ' || md5(i::text) || ' to backend ' || (i * 31::bigint) % 9973 || ' '
				|| (ARRAY['completed', 'timeout after', 'refused by', 'queued at'])[1 + (i * 13::bigint) % 4]
				|| ' upstream, retry ' || (i * 17::bigint) % 1000 || ' of 1000, path /api/v' || i % 3 || '/items'
			FROM generate_series($1::bigint * $j / $JOBS + 1, $1::bigint * ($j + 1) / $JOBS) i" &
		pids+=($!)
	done
	wait "${pids[@]}"
	sql bench -c 'VACUUM (ANALYZE) logs'
	sql bench -At -c "SELECT 'heap: ' || pg_size_pretty(pg_relation_size('logs')) || ', '
		|| pg_relation_size('logs') / 8192 || ' pages, '
		|| round(avg(length(msg)), 1) || ' characters of text' FROM logs WHERE id % 1000 = 0"
}

# a device is up, and shared buffers, whose registration goes on after that, are
# registered in full
wait_until_registered()
{
	local i

	[ "$GPUSTR_DEVICES" != none ] || return 1
	wait_for_device bench 120 || return 1
	[ "$GPUSTR_DEVICES" != host ] || return 0
	for ((i = 0; i < 600; i++)); do
		[ "$(grep -c 'shared buffers registered' "$WORK/server.log")" -gt "${REGISTERED:-0}" ] && break
		sleep 0.1
	done
	REGISTERED=$(grep -c 'shared buffers registered' "$WORK/server.log")
	grep 'gpustr device' "$WORK/server.log" | tail -n 3
	return 0
}

# workers N: settings for N parallel workers
workers()
{
	echo "SET max_parallel_workers_per_gather = $1; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0; ALTER TABLE logs SET (parallel_workers = $1)"
}

# title TEXT: the head of a table of figures
title()
{
	printf '\n%-52s %13s %10s   %s\n' "$1" 'median' 'ratio' 'least to most'
}
