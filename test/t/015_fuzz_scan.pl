
# GpuScan against PostgreSQL's own scan, on random tables and random clauses: in
# the session, and through a device process.  See test/fuzz/scan_fuzz.py.
#
# FUZZ_SECONDS: how long, for each engine.  GPUSTR_TEST_SEED: the seed.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{FUZZ_SECONDS} || 30;
my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));
my $python = '/usr/bin/python3';

plan skip_all => 'python3-psycopg2 is not installed'
  if ($ENV{GPUSTR_TEST_DEVICES} // 'host') ne 'host'
  && system("$python -c 'import psycopg2' 2>/dev/null") != 0;

# small batches, so that small tables make several
my $node = new_node('fuzz_scan', 'autovacuum' => 'off', 'gpustr.batch_bytes' => '64kB');

$ENV{PYTHONDONTWRITEBYTECODE} = 1;
foreach my $engine ('local', 'device')
{
	my $found = PostgreSQL::Test::Utils::tempdir;
	my ($out, $err);
	my $ok = IPC::Run::run(
		[ $python, "$GpustrTest::top/test/fuzz/scan_fuzz.py", '--dsn', $node->connstr('postgres'),
			'--engine', $engine, '--seconds', $seconds, '--seed', $seed, '--found', $found, '--reasons' ],
		'>', \$out, '2>', \$err);

	ok($ok, "no difference, engine $engine, seed $seed");
	note($out);
	next if $ok;
	diag($err);
	diag(slurp_file($_)) foreach sort glob "$found/*.sql";
}
idle_ok($node, 'after all that');
$node->stop;
done_testing();
