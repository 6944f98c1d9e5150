
# GpuScan against PostgreSQL's own scan, on random tables and random clauses: in
# the session, and through a device process.  See test/fuzz/scan_fuzz.py, and
# FuzzTest.pm for what the environment says.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use FuzzTest;

fuzz_begin('scan', 30);
foreach my $engine (fuzz_engines())
{
	fuzz_ok('postgres', $engine, fuzz_seconds(), '', fuzz_jobs($engine), '--need-output');
}
fuzz_end();
