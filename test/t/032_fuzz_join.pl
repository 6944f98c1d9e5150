
# GpuJoin against PostgreSQL's own joins, on random tables and random joins: in the
# session, and through a device process.  See test/fuzz/join_fuzz.py, and FuzzTest.pm for
# what the environment says.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use FuzzTest;

fuzz_begin('join', 30);
foreach my $engine (fuzz_engines())
{
	fuzz_ok('postgres', $engine, fuzz_seconds(), '', fuzz_jobs($engine));
}
fuzz_end();
