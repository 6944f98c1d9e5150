#!/bin/bash
# variants.sh [BENCH]: a table of variants of the one-pass redact kernel, a line each.
#
# Each variant is checked first in a process of its own, on hard data and on
# 600,000 rows; one that fails, hangs or gives a wrong answer gets a line that says
# so and is left out of the rest.  Then all others are timed side by side in one
# process, twice at 600,000 and 10 M rows and once at 100 M: the better of both is
# shown, with the other behind a slash.  BENCH: redact_bench beside this file.
#
# Exit status: 0, or 1 if a variant was left out.

set -u
cd "$(dirname "$0")" || exit 2
BENCH=${1:-./redact_bench}

# texts that one-pass names have, and no other (redact_bench --only)
VARIANTS=(wave20 base20 wave23 wave28)
KNOWN="1536 = 768 x 2, 3 st/3072 = 768 x 4, 2 st, 21+8 B, 1 bl, b later 2"	# to compare with
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
good=$KNOWN
bad=0

for v in "${VARIANTS[@]}"; do
	timeout -k 1 20 "$BENCH" --only "$v" --sizes 600000 >"$TMP/check" 2>&1
	rc=$?
	if [ $rc -eq 0 ]; then
		good=$good/$v
	else
		bad=1
		echo "LEFT OUT: $v (exit status $rc): $(grep -E 'WRONG|cuda|error|does not fit' "$TMP/check" | head -3 | tr '\n' ';')"
	fi
	grep -E "^hard data|does not fit" "$TMP/check" | sed "s|^|$v: |"
done
timeout -k 1 60 "$BENCH" --no-hard --only "$good" \
	--sizes 600000,10000000,600000,10000000,100000000 >"$TMP/times" 2>&1
rc=$?
if [ $rc -ne 0 ]; then
	bad=1
	echo "the timed run ended with exit status $rc:"
	tail -3 "$TMP/times"
fi
grep -E "^redact_bench: |^copy from" "$TMP/times"
awk '
function better(a, b) { return a == "" ? b : a + 0 < b + 0 ? a "/" b : b "/" a }
function higher(a, b) { return a == "" ? b : a + 0 > b + 0 ? a "/" b : b "/" a }
/^[0-9]+ rows:/ { rows = $1 }
/^\(a copy of as many bytes\)/ { copy[rows] = $(NF - 4) }
/^one pass/ {
	wrong = $NF == "WRONG"
	n = NF - wrong
	if ($n + 0 == 0)
		next
	name = $3
	for (i = 4; i <= n - 7; i++)
		name = name " " $i
	if (!(name in seen)) { seen[name] = 1; order[++count] = name }
	cold[name, rows] = better(cold[name, rows], $(n - 6))
	warm[name, rows] = better(warm[name, rows], $(n - 5))
	share[name, rows] = higher(share[name, rows], $(n - 1))
	if (wrong) fault[name] = "  WRONG"
}
END {
	printf "%-48s %13s %13s | %13s %11s | %8s %6s\n", "variant", "600 K cold us", "warm us", "10 M us", "% copy", "100 M us", "% copy"
	printf "%-48s %13s %13s | %13s %11s | %8s %6s\n", "(a copy of as many bytes)", copy[600000], "", copy[10000000], "", copy[100000000], ""
	for (i = 1; i <= count; i++) {
		v = order[i]
		printf "%-48s %13s %13s | %13s %11s | %8s %6s%s\n", v, cold[v, 600000], warm[v, 600000], cold[v, 10000000], share[v, 10000000], cold[v, 100000000], share[v, 100000000], fault[v]
	}
}' "$TMP/times"
exit $bad
