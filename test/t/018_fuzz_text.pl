
# Functions of texts against PostgreSQL's own, by random nested calls over random
# tables, in each kind of encoding.  See test/fuzz/text_fuzz.py.
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
my $found = $ENV{FUZZ_FOUND} || "$PostgreSQL::Test::Utils::log_path/fuzz_text";

plan skip_all => 'there is no python3' if system('python3 -c 0 2>/dev/null') != 0;

# en_US.utf8 and a single-byte locale, as in 025_encodings
my $has_locales = !$GpustrTest::has_gpu || -e '/usr/share/i18n/locales/en_US';
my $locales = PostgreSQL::Test::Utils::tempdir;
if ($has_locales)
{
	system_or_bail('localedef', '-i', 'en_US', '-f', 'UTF-8', "$locales/en_US.utf8");
	system_or_bail('localedef', '-i', 'de_DE', '-f', 'ISO-8859-1', "$locales/de_DE.iso88591");
}
local $ENV{LOCPATH} = "$locales:/usr/lib/locale";

# small batches, so that small tables make several
my $node = new_node('fuzz_text', 'autovacuum' => 'off', 'gpustr.batch_bytes' => '64kB',
	'log_statement' => 'none', 'log_min_error_statement' => 'panic', 'log_min_messages' => 'warning',
	'restart_after_crash' => 'on', 'max_worker_processes' => 8 + 4 * $jobs);

$ENV{PYTHONDONTWRITEBYTECODE} = 1;
foreach my $engine (split ' ', $ENV{FUZZ_ENGINES} || 'local device')
{
	# database, encoding, locale, its share of the time
	foreach (
		[ 'utf8', 'UTF8', 'C.UTF-8', 0.6 ],
		[ 'latin1', 'LATIN1', $has_locales ? 'de_DE.iso88591' : 'C', 0.2 ],
		[ 'sql_ascii', 'SQL_ASCII', 'C', 0.2 ])
	{
		my ($name, $encoding, $locale, $share) = @$_;
		my $database = "fuzz_text_${name}_$engine";
		my ($out, $err);

		$node->safe_psql('postgres',
			"CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE '$locale'");
		$node->safe_psql($database, 'CREATE EXTENSION gpustr');
		my $ok = IPC::Run::run(
			[ 'python3', "$GpustrTest::top/test/fuzz/text_fuzz.py", '--dsn', $node->connstr($database),
				'--engine', $engine, '--seconds', $seconds * $share, '--seed', $seed, '--jobs', $jobs,
				'--found', "$found/${engine}_$name" ],
			'>', \$out, '2>', \$err);

		ok($ok, "no difference in $encoding, engine $engine, seed $seed");
		# 'result' is what test/run shows
		note("result: $encoding: $_") foreach $out =~ /^(all \d+ jobs: .*)/m;
		next if $ok;
		diag($err);
		diag($out);
	}
}
idle_ok($node, 'after all that');
log_ok($node, 'in the end', qr/(?:ERROR|DETAIL|HINT|CONTEXT):/);
note("what the jobs printed and found is in $found");
$node->stop;
done_testing();
