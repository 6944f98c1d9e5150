
# GpuScan against PostgreSQL's own scan, on random tables and random clauses: in
# the session, and through a device process.  See test/fuzz/scan_fuzz.py.
#
# FUZZ_SECONDS: how long, for each engine.  FUZZ_JOBS: how many processes beside
# each other.  FUZZ_ENGINES: which engines, 'local device' if not set.
# FUZZ_FOUND: a folder for what they print and find.  GPUSTR_TEST_SEED: the seed.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{FUZZ_SECONDS} || 30;
my $jobs = $ENV{FUZZ_JOBS} || 1;
my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));
my $found = $ENV{FUZZ_FOUND} || "$PostgreSQL::Test::Utils::log_path/fuzz_scan";

plan skip_all => 'there is no python3' if system('python3 -c 0 2>/dev/null') != 0;

# small batches, so that small tables make several
my $node = new_node('fuzz_scan', 'autovacuum' => 'off', 'gpustr.batch_bytes' => '64kB',
	'log_statement' => 'none', 'log_min_error_statement' => 'panic', 'log_min_messages' => 'warning',
	'restart_after_crash' => 'on', 'max_worker_processes' => 8 + 4 * $jobs);

$ENV{PYTHONDONTWRITEBYTECODE} = 1;
foreach my $engine (split ' ', $ENV{FUZZ_ENGINES} || 'local device')
{
	my ($out, $err);
	my $ok = IPC::Run::run(
		[ 'python3', "$GpustrTest::top/test/fuzz/scan_fuzz.py", '--dsn', $node->connstr('postgres'),
			'--engine', $engine, '--seconds', $seconds, '--seed', $seed, '--jobs', $jobs, '--need-output',
			'--found', "$found/$engine" ],
		'>', \$out, '2>', \$err);

	ok($ok, "no difference, engine $engine, seed $seed");
	# 'result' is what test/run shows
	note("result: $_") foreach $out =~ /^(all \d+ jobs: .*)/m;
	next if $ok;
	diag($err);
	diag($out);
}
idle_ok($node, 'after all that');
log_ok($node, 'in the end', qr/(?:ERROR|DETAIL|HINT|CONTEXT):/);
note("what the jobs printed and found is in $found");
$node->stop;
done_testing();
