#!/bin/bash
#
# All that can only be shown on a machine with a GPU, in one call:
#
#	test/gpu/run.sh [STAGE]...
#
# Stages, in this order; all of them if none is named:
#
#	build		extension and programs, for the GPU that is there
#	compare		both engines over random batches, bit for bit
#	hashes		the hash table of a join: a device's beside that of the host engine
#	joins		joins on both engines
#	sanitize	compute-sanitizer over a small run of the same
#	suites		unit, regress, isolation, TAP and leftovers, on the CUDA engine
#	redact		the redaction kernels, side by side
#	dfa			automata, layout by layout
#	text		functions of texts, searches and LIKE, kernel by kernel
#	find		all places of a pattern in one long value
#	hash		the hash table of a join: insert, find, join
#	logs		table logs of 20 million rows, gpustr beside PostgreSQL
#	sqljoins	joins over it, alike
#
# Where PostgreSQL was packed into .gpu/ (see README, Contributing), it is
# unpacked first.  Logs go to $OUT, or to a temporary folder.  A table of the
# stages' results comes last; the exit status says whether all passed.
#
# From the environment: SECONDS_COMPARE (30), SEED, ROWS (20000000), and what
# test/t/015_fuzz_scan.pl takes; what that prints and finds is with the logs.
#
set -uo pipefail
cd "$(dirname "$0")/../.."
LOGS=${OUT:-$(mktemp -d /tmp/gpustr-gpu.XXXXXX)}
SECONDS_COMPARE=${SECONDS_COMPARE:-30}
SEED=${SEED:-$RANDOM}
TABLE=()
FAILED=0

if [ -f .gpu/setup.sh ]; then
	# shellcheck disable=SC1091
	. .gpu/setup.sh
	export GPUSTR_RUNAS=aspg PG_CONFIG=pg_config
fi
export GPUSTR_TEST_DEVICES=auto
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
PATH=$PATH:$CUDA_HOME/bin
export CUDA_ARCHS=${CUDA_ARCHS:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)}

wanted()
{
	[ ${#STAGES[@]} -eq 0 ] && return 0
	case " ${STAGES[*]} " in *" $1 "*) return 0 ;; esac
	return 1
}

# stage NAME COMMAND...: run, log, and add a line to the table: what the last
# line of output that looks like a result says
stage()
{
	local name=$1 status=0 start=$SECONDS result

	shift
	echo "==> $name"
	timeout "${STAGE_TIMEOUT:-400}" "$@" >"$LOGS/$name.log" 2>&1 || status=$?
	result=$(grep -E '[0-9]+ passed|ERROR SUMMARY|hazards|% of copy|differences|answers right' "$LOGS/$name.log" | tail -n 1)
	if [ $status -ne 0 ]; then
		FAILED=1
		tail -n "${TAIL:-40}" "$LOGS/$name.log"
	fi
	TABLE+=("$(printf '%-12s %-6s %4d s  %s' "$name" "$([ $status -eq 0 ] && echo ok || echo FAILED)" \
		$((SECONDS - start)) "$result")")
}

build()
{
	make -j"$(nproc)" all && make install && make -j"$(nproc)" -C test/gpu programs
}

STAGES=("$@")
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
echo "seed $SEED, CUDA_ARCHS $CUDA_ARCHS, logs in $LOGS"
wanted build && stage build bash -c "$(declare -f build); build"
wanted compare && stage compare test/gpu/compare_engines --seconds "$SECONDS_COMPARE" --seed "$SEED"
wanted hashes && stage hashes test/gpu/compare_hash --seconds "$SECONDS_COMPARE" --seed "$SEED"
wanted joins && stage joins test/gpu/compare_join --seconds "$SECONDS_COMPARE" --seed "$SEED"
if wanted sanitize; then
	for tool in memcheck racecheck initcheck synccheck; do
		stage "sanitize-$tool" compute-sanitizer --tool $tool --error-exitcode 9 \
			test/gpu/compare_engines --small --seed "$SEED"
		stage "hashes-$tool" compute-sanitizer --tool $tool --error-exitcode 9 \
			test/gpu/compare_hash --cases 40 --seed "$SEED"
		stage "joins-$tool" compute-sanitizer --tool $tool --error-exitcode 9 \
			test/gpu/compare_join --small --cases 8 --seed "$SEED"
	done
fi
if wanted suites; then
	# a folder that those who are not root can write to
	FUZZ_FOUND=$(mktemp -d /tmp/gpustr-fuzz.XXXXXX)
	chmod 1777 "$FUZZ_FOUND"
	export FUZZ_FOUND
	export TAP_JOBS=${TAP_JOBS:-6}
	stage suites test/run unit regress isolation tap leftovers
	tar -czf "$LOGS/fuzz.tgz" -C "$FUZZ_FOUND" . && rm -rf "$FUZZ_FOUND"
fi
wanted redact && stage redact test/bench/redact/redact_bench
wanted dfa && stage dfa test/bench/dfa/dfa_bench
wanted text && stage text test/bench/text/text_bench
wanted find && stage find test/bench/find/find_bench
wanted hash && stage hash test/bench/hash/hash_bench
wanted logs && stage logs env BUILT=1 test/bench/logs.sh "${ROWS:-20000000}"
wanted sqljoins && stage sqljoins env BUILT=1 test/bench/joins.sh "${ROWS:-20000000}"

wanted redact && cat "$LOGS/redact.log"
wanted dfa && cat "$LOGS/dfa.log"
wanted text && cat "$LOGS/text.log"
wanted find && cat "$LOGS/find.log"
wanted hash && cat "$LOGS/hash.log"
wanted logs && sed -n '/^heap/,$p' "$LOGS/logs.log"
wanted sqljoins && sed -n '/^heap/,$p' "$LOGS/sqljoins.log"
echo
printf '%s\n' "${TABLE[@]}"
exit $FAILED
