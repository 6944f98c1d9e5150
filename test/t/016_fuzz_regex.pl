
# Regular expressions against PostgreSQL's own matcher, by random expressions and
# texts, in each kind of encoding.  See test/fuzz/regex_fuzz.py, and FuzzTest.pm for
# what the environment says; the seconds are those of each line below.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use FuzzTest;

# batches with room for large automata
fuzz_begin('regex', 15, 'gpustr.batch_bytes' => undef);
foreach (
	[ 'UTF8', 'C.UTF-8', 'local', 1 ],
	[ 'UTF8', 'C.UTF-8', 'device', 1 ],
	[ 'LATIN1', 'C', 'local', 1 / 3 ],
	[ 'SQL_ASCII', 'C', 'local', 1 / 3 ])
{
	my ($encoding, $locale, $engine, $share) = @$_;

	fuzz_ok(fuzz_database("${encoding}_$engine", $encoding, $locale), $engine, $share * fuzz_seconds(),
		" in $encoding");
}
fuzz_end();
