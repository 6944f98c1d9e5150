
# What PostgreSQL has learnt since 15 gives PostgreSQL's answer with gpustr, too.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('majors', 'autovacuum' => 'off', 'gpustr.device_startup_cost' => 0, 'gpustr.device_row_cost' => 0,
	'gpustr.batch_bytes' => '64kB');
my $major = $node->pg_version;
plan skip_all => 'there is nothing later than 15 here' if $major < 16;

# same(), same_join(); but for the file that the first includes, of which a new database has no need
$node->safe_psql('postgres', "SET client_min_messages = warning;\n"
	  . (slurp_file("$GpustrTest::top/test/same.sql") =~ s/^\\ir .*//mr) . slurp_file("$GpustrTest::top/test/same_join.sql"));
my $join_costs = 'SET gpustr.table_row_cost = 0; SET gpustr.probe_row_cost = 0;';

# Each query must be computed by gpustr, wholly or in part, and give these many rows.
sub same_ok
{
	my ($what, $rows, @queries) = @_;

	is($node->safe_psql('postgres', "SELECT same(\$q\$$_\$q\$)"), "same $rows rows", "$what: $_") foreach @queries;
}

# Each must have a GpuJoin.
sub same_join_ok
{
	my ($what, $rows, @queries) = @_;

	is($node->safe_psql('postgres', "$join_costs SELECT same_join(\$q\$$_\$q\$)"), "same $rows rows", "$what: $_") foreach @queries;
}

# 16: integers in other bases, and with underscores
$node->safe_psql('postgres', q{
	CREATE TABLE numbers AS SELECT g AS id, (array['0x1F', '-0b101', '0o17', '1_000', ' 7 ', '12', '0XfF'])[1 + g % 7] AS s FROM generate_series(0, 699) g;
	ANALYZE numbers;
});
same_ok('numbers as texts', 400, 'SELECT id, s FROM numbers WHERE s::int > 14');
same_ok('numbers as texts', 700, 'SELECT id, upper(s) AS u, s::int AS i FROM numbers WHERE s::int8 <> 13 AND length(s) > 0');

if ($major >= 17)
{
	# infinite intervals
	$node->safe_psql('postgres', q{
		CREATE TABLE spans AS SELECT g AS id, (array['infinity', '-infinity', '1 day', '178000000 years', '-178000000 years', NULL])[1 + g % 6]::interval AS i
			FROM generate_series(0, 599) g;
		ANALYZE spans;
	});
	same_ok('intervals', 100, q{SELECT id FROM spans WHERE i = 'infinity'}, q{SELECT id FROM spans WHERE i < '-178000000 years'},
		q{SELECT id FROM spans WHERE i > '178000000 years'});
	same_ok('intervals', 400, q{SELECT id FROM spans WHERE i <> 'infinity'});
	same_join_ok('intervals', 100, q{SELECT a.id, b.i FROM spans a JOIN spans b ON a.id = b.id WHERE a.i < '-178000000 years'});

	# rows of the target that the source does not have
	$node->safe_psql('postgres', q{
		CREATE TABLE source AS SELECT g AS id, 'word ' || g % 10 AS s FROM generate_series(1, 1000) g;
		CREATE TABLE target1 AS SELECT g AS id, 'old' AS s FROM generate_series(500, 1500) g;
		CREATE TABLE target2 AS TABLE target1;
		ANALYZE;
	});
	my $merge = q{MERGE INTO target%d t USING (SELECT * FROM source WHERE s LIKE '%%1') x ON t.id = x.id
		WHEN MATCHED THEN UPDATE SET s = upper(x.s) WHEN NOT MATCHED THEN INSERT VALUES (x.id, x.s)
		WHEN NOT MATCHED BY SOURCE AND t.id %% 2 = 0 THEN DELETE RETURNING merge_action(), t.*};
	is( $node->safe_psql('postgres', 'SELECT with_gpu($q$' . sprintf($merge, 1) . '$q$)'),
		$node->safe_psql('postgres', "SET gpustr.enabled = off; WITH m AS (" . sprintf($merge, 2) . ') SELECT count(*) FROM m'),
		'MERGE does as much with gpustr');
	is( $node->safe_psql('postgres', '(TABLE target1 EXCEPT ALL TABLE target2) UNION ALL (TABLE target2 EXCEPT ALL TABLE target1)'),
		'', 'and the same');
	like( $node->safe_psql('postgres', q{SET gpustr.debug_require = require;
			EXPLAIN (ANALYZE, SERIALIZE, MEMORY, COSTS OFF) SELECT upper(s) FROM source WHERE s LIKE '%1'}),
		qr/GpuScan.*GPU Filter.*Serialization: /s, 'EXPLAIN with what is sent and planned');
}

if ($major >= 18)
{
	# columns that are computed when they are read
	$node->safe_psql('postgres', q{
		CREATE TABLE computed (v text GENERATED ALWAYS AS (upper(s)) VIRTUAL, id int, n int GENERATED ALWAYS AS (id % 100) VIRTUAL,
			s text, stored int GENERATED ALWAYS AS (id * 2) STORED);
		INSERT INTO computed (id, s) SELECT g, CASE WHEN g % 10 > 0 THEN 'name ' || g % 10 END FROM generate_series(1, 1000) g;
		ALTER TABLE computed ADD late text GENERATED ALWAYS AS (lower(s) || id) VIRTUAL, ADD missing int DEFAULT 5;
		ANALYZE computed;
	});
	same_ok('virtual columns', 100, q{SELECT id FROM computed WHERE v LIKE '%ME 1'}, 'SELECT c, v, lower(v) AS l FROM computed c WHERE v IS NULL',
		q{SELECT c.*, c FROM computed c WHERE s LIKE '%3'});
	same_ok('virtual columns', 10, 'SELECT * FROM computed WHERE n = 17 AND stored > 0', 'SELECT v, n, upper(late) FROM computed WHERE n = 17');
	same_ok('virtual columns', 900, q{SELECT v || late AS x FROM computed WHERE missing = 5 AND late LIKE 'name%'});
	same_join_ok('virtual columns', 10000, 'SELECT a.id, b.v, b.late FROM computed a JOIN computed b ON a.n = b.n WHERE a.id > 0 AND b.id > 0');
	same_join_ok('virtual columns', 1000, 'SELECT a.id, b.v, b.late, b FROM computed a LEFT JOIN computed b ON a.late = b.late AND a.id = b.id AND b.n > 5');
	$node->safe_psql('postgres', 'CREATE TABLE changed AS SELECT id, s FROM computed');
	is( $node->safe_psql('postgres', q{SET gpustr.debug_require = require; UPDATE changed SET s = upper(s) WHERE s LIKE '%1' AND id < 30
			RETURNING id, old.s, new.s}),
		"1|name 1|NAME 1\n11|name 1|NAME 1\n21|name 1|NAME 1", 'the old row beside the new one');

	# NULLs in a column that is to have no more of them
	$node->safe_psql('postgres', 'ALTER TABLE computed ADD CONSTRAINT no_more NOT NULL s NOT VALID');
	same_ok('a constraint that is not valid', 100, 'SELECT id FROM computed WHERE s IS NULL AND id > 0');
	same_ok('a constraint that is not valid', 900, q{SELECT id, upper(s) AS u FROM computed WHERE s >= '' COLLATE "C"});

	# what the planner makes of a query now
	$node->safe_psql('postgres', 'ALTER TABLE computed ADD PRIMARY KEY (id)');
	same_ok('lists', 30, 'SELECT id FROM computed WHERE n IN (VALUES (1), (2), (3))', 'SELECT id FROM computed WHERE n = 1 OR n = 2 OR n = 3');
	same_ok('a table joined with itself', 100, q{SELECT a.id, b.v FROM computed a JOIN computed b ON a.id = b.id WHERE b.s LIKE '%4' AND a.n > 1});
	same_ok('groups', 9, q{SELECT upper(s) AS u, count(*) FROM computed WHERE s LIKE 'name%' GROUP BY upper(s) HAVING upper(s) LIKE 'NAME%'});
	same_ok('sets of groups', 21, q{SELECT upper(s) AS u, id % 2 AS m, count(*), grouping(upper(s)) AS g FROM changed WHERE s LIKE 'name%'
		GROUP BY GROUPING SETS ((upper(s)), (upper(s), id % 2), (id % 2), ()) HAVING upper(s) IS NULL OR upper(s) LIKE 'NAME%'});

	# functions and casts that have come
	same_ok('new functions', 900, q{SELECT id, reverse(s::bytea) AS r, id::bytea AS b, casefold(s) AS f, crc32(s::bytea) AS c FROM computed WHERE s LIKE 'n%'});
	same_ok('new functions', 100, q{SELECT id FROM computed WHERE casefold(s) = 'name 5' AND s LIKE '%5'});
}

is($node->safe_psql('postgres', 'SELECT batches > 0 FROM gpustr.stat_device'), 't', 'the device had its part');
idle_ok($node, 'in the end');
log_ok($node, 'majors', qr/^\b$/);
$node->stop;

done_testing();
