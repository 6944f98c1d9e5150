
# What the tests that run a fuzzer of test/fuzz have in common.
#
# FUZZ_SECONDS: how long, for each engine.  FUZZ_JOBS: how many processes beside
# each other.  FUZZ_ENGINES: which engines, 'local device' if not set.
# FUZZ_FOUND: a folder in which each makes one for what it prints and finds.
# GPUSTR_TEST_SEED: the seed.

package FuzzTest;

use strict;
use warnings;

use Exporter 'import';
use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(fuzz_begin fuzz_seconds fuzz_engines fuzz_database fuzz_jobs fuzz_ok fuzz_end);

my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));
my ($name, $node, $seconds);

# A cluster to fuzz, for so many seconds unless the environment says something else.
sub fuzz_begin
{
	($name, $seconds, my %setting) = @_;
	my $jobs = $ENV{FUZZ_JOBS} || 1;

	plan skip_all => 'there is no python3' if system('python3 -c 0 2>/dev/null') != 0;
	$seconds = $ENV{FUZZ_SECONDS} || $seconds;
	$ENV{PYTHONDONTWRITEBYTECODE} = 1;

	# small batches, so that small tables make several
	$node = new_node("fuzz_$name", 'autovacuum' => 'off', 'gpustr.batch_bytes' => '64kB',
		'log_statement' => 'none', 'log_min_error_statement' => 'panic', 'log_min_messages' => 'warning',
		'restart_after_crash' => 'on', 'max_worker_processes' => 8 + 4 * $jobs, %setting);
}

sub fuzz_seconds
{
	return $seconds;
}

sub fuzz_engines
{
	return split ' ', $ENV{FUZZ_ENGINES} || 'local device';
}

# A new database of an encoding, with the extension; its name.
sub fuzz_database
{
	my ($what, $encoding, $locale) = @_;
	my $database = lc("fuzz_${name}_$what");

	$node->safe_psql('postgres',
		"CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE '$locale'");
	$node->safe_psql($database, 'CREATE EXTENSION gpustr');
	return $database;
}

# Run the fuzzer in a database, for an engine and a while.  $what: where, in words;
# @more: further arguments, such as those of fuzz_jobs().
sub fuzz_ok
{
	my ($database, $engine, $time, $what, @more) = @_;
	my ($out, $err);
	my $program = "$GpustrTest::top/test/fuzz/${name}_fuzz.py";
	my $ok = IPC::Run::run(
		[ 'python3', $program, '--dsn', $node->connstr($database), '--engine', $engine, '--seconds', $time,
			'--seed', $seed, @more ],
		'>', \$out, '2>', \$err);

	ok($ok, "no difference$what, engine $engine, seed $seed");
	# 'result' is what test/run shows
	note("result:$what $_") foreach $out =~ /^(all \d+ jobs: .*|seed \d+[:,].*)/m;
	return if $ok;
	diag($err);
	diag($out);
}

# Arguments: several processes, which write what they print and find to a folder.
sub fuzz_jobs
{
	my ($folder) = @_;

	return ('--jobs', $ENV{FUZZ_JOBS} || 1, '--found', fuzz_found() . "/$folder");
}

sub fuzz_found
{
	return ($ENV{FUZZ_FOUND} || $PostgreSQL::Test::Utils::log_path) . "/fuzz_$name";
}

sub fuzz_end
{
	idle_ok($node, 'after all that');
	log_ok($node, 'in the end', qr/(?:ERROR|DETAIL|HINT|CONTEXT):/);
	note('what the jobs printed and found is in ' . fuzz_found()) if -d fuzz_found();
	$node->stop;
	done_testing();
}

1;
