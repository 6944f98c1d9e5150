
# LIKE's and ILIKE's row functions against PostgreSQL's own, on random patterns
# and texts, in each kind of encoding and under collations that fold differently.  The full fuzzer is test/unit/fuzz_like_pg.c.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{GPUSTR_TEST_FUZZ_SECONDS} // 5;
my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));
my $node = new_node('fuzz', 'gpustr.devices' => 'none');
my $build = temp_folder;

system_or_bail('make', '-s', '-C', "$GpustrTest::top/test/unit", "BUILD=$build", 'fuzz_like_pg');
foreach my $encoding ('UTF8', 'LATIN1', 'SQL_ASCII')
{
	my $database = lc("fuzz_$encoding");
	$node->safe_psql('postgres',
		"CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	command_ok([ "$build/fuzz_like_pg", $node->connstr($database), $seconds, $seed ],
		"no difference in $encoding, seed $seed");
}
# ILIKE: what folds ASCII alone, what folds it as English does, what does not.
$node->safe_psql('postgres',
	"CREATE DATABASE fuzz_ctype TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'");
my @ilike = (
	[ 'fuzz_utf8', 'default' ], [ 'fuzz_ctype', 'C' ], [ 'fuzz_ctype', 'default' ],
	[ 'fuzz_ctype', 'en-x-icu' ], [ 'fuzz_ctype', 'tr-x-icu' ], [ 'fuzz_latin1', 'default' ],
	[ 'fuzz_latin1', 'tr-x-icu' ], [ 'fuzz_sql_ascii', 'C' ]);
foreach (@ilike)
{
	my ($database, $collation) = @$_;

	command_ok([ "$build/fuzz_like_pg", $node->connstr($database), $seconds, $seed, $collation ],
		"no difference for ILIKE in $database under $collation, seed $seed");
}
$node->stop;
done_testing();
