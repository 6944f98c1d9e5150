#!/bin/bash
#
# When does it pay to look for a literal first, and run a regular expression's
# automaton only where that is?  Literals that stand in 0 to 100 % of the rows,
# in the local engine; the peer is the same automaton with an alternative
# that no row has, which leaves it without a literal.  The table has no statistics, so
# that the literal does come first.
#
#	test/bench/literal_share.sh
#
# The last column of numbers is how many times as fast that is.
#
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=test/bench/lib.sh
. test/bench/lib.sh

RUNS=${RUNS:-9}
PEER_RUNS=$RUNS
GPUSTR_DEVICES=none
shares=(0 1 10 25 50 75 90 100)

bench_begin 1GB
marks=
for share in "${shares[@]}"; do
	marks+=" || CASE WHEN i % 100 < $share THEN 'word$share ' ELSE '' END"
done
sql bench -c "CREATE TABLE lines AS SELECT md5(i::text) || ' line ' || i$marks || 'and some text at the end' AS msg
	FROM generate_series(1, 400000) i" -c 'VACUUM lines' >/dev/null
settings="SET gpustr.engine = local; SET gpustr.debug_require = 'require'"
for share in "${shares[@]}"; do
	expression="word$share [a-z]+x9"
	peer "automaton alone" "$settings" "SELECT count(*) FROM lines WHERE msg ~ '($expression|\x01)'"
	figure "literal in $share % of the rows first" "$settings" "SELECT count(*) FROM lines WHERE msg ~ '$expression'"
done
