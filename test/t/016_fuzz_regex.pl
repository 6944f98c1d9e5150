
# Regular expressions against PostgreSQL's own matcher, by random expressions and
# texts, in each kind of encoding.  See test/fuzz/regex_fuzz.py.
#
# FUZZ_SECONDS: how long, for each encoding.  GPUSTR_TEST_SEED: the seed.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{FUZZ_SECONDS} || 15;
my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));

plan skip_all => 'there is no python3' if system('python3 -c 0 2>/dev/null') != 0;

my $node = new_node('fuzz_regex', 'log_statement' => 'none', 'log_min_error_statement' => 'panic',
	'log_min_messages' => 'warning');

$ENV{PYTHONDONTWRITEBYTECODE} = 1;
foreach (
	[ 'UTF8', 'C.UTF-8', 'local', $seconds ],
	[ 'UTF8', 'C.UTF-8', 'device', $seconds ],
	[ 'LATIN1', 'C', 'local', $seconds / 3 ],
	[ 'SQL_ASCII', 'C', 'local', $seconds / 3 ])
{
	my ($encoding, $locale, $engine, $time) = @$_;
	my $database = lc("fuzz_${encoding}_$engine");
	my ($out, $err);

	$node->safe_psql('postgres',
		"CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE '$locale'");
	my $ok = IPC::Run::run(
		[ 'python3', "$GpustrTest::top/test/fuzz/regex_fuzz.py", '--dsn', $node->connstr($database),
			'--engine', $engine, '--seconds', $time, '--seed', $seed ],
		'>', \$out, '2>', \$err);

	ok($ok, "no difference in $encoding, engine $engine, seed $seed");
	note("result: $_") foreach $out =~ /^(seed .*)/m;
	next if $ok;
	diag($err);
	diag($out);
}
idle_ok($node, 'after all that');
$node->stop;
done_testing();
