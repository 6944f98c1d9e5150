
# A GpuJoin whose device is lost, full or hangs, before its tables are there and in the
# middle of its rows, that is canceled, whose staging slots are small and few: the answer
# is PostgreSQL's, no row is lost or doubled, and nothing stays behind.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('join_node',
	'gpustr.batch_bytes' => '64kB', 'gpustr.staging_memory' => '512kB',
	'gpustr.device_timeout' => '2s', 'jit' => 'off', 'autovacuum' => 'off',
	'gpustr.engine' => 'device', 'gpustr.enable_join' => 'on',
	'max_parallel_workers_per_gather' => 0,
	(map { ("gpustr.$_" => 0) } qw(device_row_cost device_startup_cost table_row_cost probe_row_cost)));

# With no joins but ours, or with PostgreSQL's.
my $ours = 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off';
my $theirs = 'SET gpustr.enabled = off';

$node->safe_psql('postgres', q{
	CREATE TABLE big AS SELECT g AS id, g % 2000 AS k, 'text ' || g AS t, g % 13 AS n FROM generate_series(1, 20000) g;
	CREATE TABLE small AS SELECT g AS k, 'inner ' || g AS t FROM generate_series(0, 1500) g;
	INSERT INTO small SELECT * FROM small WHERE k % 3 = 0;
	CREATE TABLE long AS SELECT k, CASE k % 300 WHEN 0 THEN repeat(t || ' ', 12000) ELSE t END AS t FROM small;
	ANALYZE big, small, long;

	-- the rows of a join; at row 'first' the device begins to fail
	CREATE FUNCTION join_rows(query text, fault text, first int) RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		c refcursor;
		r text;
		i int := 0;
	BEGIN
		IF first = 0 THEN
			PERFORM set_config('gpustr.debug_device_fault', fault, true);
		END IF;
		OPEN c FOR EXECUTE query;
		LOOP
			FETCH c INTO r;
			EXIT WHEN NOT FOUND;
			RETURN NEXT r;
			i := i + 1;
			IF i = first THEN
				PERFORM set_config('gpustr.debug_device_fault', fault, true);
			END IF;
		END LOOP;
	END $$;
});

my %query = (
	inner => q{SELECT md5(row(b.id, b.t, s.t)::text) FROM big b JOIN small s ON b.k = s.k},
	full => q{SELECT md5(row(b.id, s.*)::text) FROM big b FULL JOIN small s ON b.k = s.k + 700 AND b.n <> 5 AND md5(b.t) < 'c'},
	anti => q{SELECT md5(b.t) FROM big b WHERE NOT EXISTS (SELECT FROM small s WHERE b.k = s.k AND b.n > s.k % 11)},
	star => q{SELECT md5(row(b.id, s.t, u.t)::text) FROM big b JOIN small s ON b.k = s.k JOIN small u ON u.k = b.n},
	'long texts' => q{SELECT md5(row(b.id, l.t)::text) FROM big b JOIN long l ON b.k = l.k WHERE b.id < 5000},
	'long outer texts' => q{SELECT md5(row(b.id, l.t)::text) FROM long l LEFT JOIN big b ON b.k = l.k});
my %expected;

sub digest
{
	my ($rows) = @_;

	return "SELECT count(*), sum(('x' || left(r, 8))::bit(32)::int8), sum(('x' || right(r, 8))::bit(32)::int8) FROM $rows AS r";
}

foreach my $name (sort keys %query)
{
	$expected{$name} = $node->safe_psql('postgres', "$theirs; " . digest("($query{$name})") =~ s/AS r$/AS q(r)/r);
	my $plan = $node->safe_psql('postgres', "$ours; EXPLAIN ANALYZE $query{$name}");
	like($plan, qr/GpuJoin/, "$name: a GpuJoin");
	# a text that is longer than a slot makes a join the session's
	if ($name =~ /long/) { like($plan, qr/GPU Batches Local/, "$name: here"); }
	else { unlike($plan, qr/GPU Batches Local/, "$name: on the device"); }
}

sub same_ok
{
	my ($name, $fault, $first, $set) = @_;
	my ($ret, $out, $err) = $node->psql('postgres',
		"$ours; " . ($set // 'SELECT') . '; ' . digest("join_rows(\$q\$$query{$name}\$q\$, '$fault', $first)"));

	is($out =~ s/^\n//r, $expected{$name}, "$name, $fault at row $first" . ($set ? ", $set" : ''));
	is($err, '', '... without a message') if $err;
	wait_for_device($node) if $fault ne 'none';
}

foreach my $name (sort keys %query)
{
	same_ok($name, 'none', 0);
	same_ok($name, 'none', 0, 'SET gpustr.engine = local');
	same_ok($name, 'none', 0, "SET work_mem = '64kB'");
	foreach my $fault (qw(lost out_of_memory crash))
	{
		same_ok($name, $fault, 0) if $fault ne 'crash' || $name eq 'star';
		same_ok($name, $fault, 1);
		same_ok($name, $fault, 2000, $fault eq 'lost' ? "SET work_mem = '64kB'" : undef);
	}
}
same_ok('full', 'hang', 100);

# killed between two fetches
my $session = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);
$session->query_safe($ours);
$session->query_safe("BEGIN; DECLARE c CURSOR FOR $query{full}");
my @rows = split /\n/, $session->query_safe('FETCH 1000 FROM c');
is(pinned_buffers($node), 0, 'a cursor at rest pins nothing');
kill 'KILL', device_pid($node);
push @rows, split /\n/, $session->query_safe('FETCH 1000 FROM c');
push @rows, split /\n/, $session->query_safe('FETCH ALL FROM c');
$session->query_safe('COMMIT');
my @theirs = split /\n/, $node->safe_psql('postgres', "$theirs; $query{full}");
is_deeply([ sort @rows ], [ sort @theirs ], 'a device that is killed between two fetches');
wait_for_device($node);

# cursors over fused joins with rows that only PostgreSQL can judge, or whose keys it has to read
$session->query_safe(q{
	CREATE TABLE hard AS SELECT id, k, CASE id % 5 WHEN 0 THEN repeat(t || ' ', 800) ELSE t END AS t FROM big WHERE id <= 6000;
	CREATE TABLE hard_keys AS SELECT t, k FROM hard WHERE id % 3 <> 0;
	ANALYZE hard, hard_keys});
my %rechecked = (
	'a filter' => q{SELECT h.id, s.t FROM hard h JOIN small s ON h.k = s.k WHERE h.t LIKE '%text%'},
	'toasted keys' => q{SELECT h.id, s.k FROM hard h LEFT JOIN hard_keys s ON h.t = s.t});
foreach my $engine (qw(device local))
{
	$session->query_safe("SET gpustr.engine = $engine");
	foreach my $name (sort keys %rechecked)
	{
		my (@got, @pinned, $n);
		my $plan = $session->query_safe("EXPLAIN (ANALYZE) $rechecked{$name}");
		like($plan, qr/GPU Rows Rechecked: [1-9]/, "rows that PostgreSQL judges: $name, $engine");
		$session->query_safe("BEGIN; DECLARE c CURSOR FOR $rechecked{$name}");
		do
		{
			my @some = split /\n/, $session->query_safe('FETCH 300 FROM c');
			push @pinned, $session->query_safe(
				'SELECT count(*) FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode >= 16384');
			push @got, @some;
			$n = @some;
		} while ($n == 300);
		is_deeply([ grep { $_ != 0 } @pinned ], [], '... and a cursor at rest pins nothing, ' . @pinned . ' times');
		$session->query_safe('COMMIT');
		is_deeply([ sort @got ], [ sort split /\n/, $node->safe_psql('postgres', "$theirs; $rechecked{$name}") ],
			'... and its rows are the same');
	}
}
$session->query_safe('RESET gpustr.engine');

# a batch whose results come in pieces has larger ones where memory is this session's
$session->query_safe(q{
	CREATE TABLE long_rows AS SELECT g AS id, g % 2 AS k,
		(SELECT string_agg(md5((g * 100 + i)::text), '') FROM generate_series(1, 60) i) AS t FROM generate_series(1, 40) g;
	CREATE TABLE matches AS SELECT g AS id, g % 2 AS k FROM generate_series(1, 900) g;
	ANALYZE long_rows, matches});
foreach my $side ('long_rows', '(SELECT * FROM long_rows OFFSET 0)')
{
	my $query = "SELECT count(*), sum(length(l.t)) FROM $side l WHERE EXISTS (SELECT FROM matches m WHERE l.k = m.k AND quote_literal(l.t) < m.id::text)";
	my $plan = $session->query_safe("SET gpustr.engine = local; EXPLAIN (ANALYZE) $query");
	my ($batches) = $plan =~ /GpuJoin.*?GPU Batches: (\d+)/s;
	cmp_ok($batches, '<', 30, "$side: pieces are few");
	is($session->query_safe($query), $node->safe_psql('postgres', "$theirs; $query"), '... and the answer is the same');
	$session->query_safe('RESET gpustr.engine');
}

# others have all slots
my @others;
foreach (1 .. 3)
{
	my $other = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);
	$other->query_safe($ours);
	$other->query_until(qr/started/, "\\echo started\n" . digest("($query{inner} UNION ALL $query{star})") =~ s/AS r$/AS q(r)/r . ";\n");
	push @others, $other;
}
same_ok('inner', 'none', 0);
same_ok('star', 'none', 0);
$_->quit foreach @others;

# canceled at any time
foreach my $ms (1, 5, 10, 20, 30, 50, 80)
{
	my ($ret, $out, $err) = $node->psql('postgres',
		"$ours; SET statement_timeout = $ms; SELECT count(*) FROM big a JOIN big b ON a.k = b.k JOIN small s ON s.k = a.n");
	ok($err eq '' || $err =~ /statement timeout/, "canceled after $ms ms");
}
$session->quit;
idle_ok($node, 'in the end');
$node->stop;

# nodes of one query have all slots, and go on only when the one that wants another one does
$node->append_conf('postgresql.conf', "gpustr.batch_bytes = '512kB'\ngpustr.staging_memory = '1MB'");
$node->start;
wait_for_device($node);
$session = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);
$session->query_safe(q{
	CREATE TABLE wide AS SELECT g AS id, g % 10 AS k, repeat('x', 4000) || g AS t FROM generate_series(1, 200) g;
	CREATE TABLE narrow AS SELECT g AS id, g % 10 AS k, repeat('y', 50) || g AS t FROM generate_series(1, 2000) g;
	ANALYZE wide, narrow});
my $pairs = '(SELECT a.id FROM narrow a JOIN narrow b ON a.k = b.k OFFSET 0)';
my $three = qq{
	SELECT w.id, w.other, md5(w.t) FROM (SELECT a.id, b.id AS other, a.t FROM (SELECT * FROM wide OFFSET 0) a JOIN narrow b ON a.k = b.k OFFSET 0) w
	WHERE EXISTS (SELECT FROM $pairs x WHERE x.id <> w.id)
	AND CASE WHEN w.other > 50 THEN EXISTS (SELECT FROM $pairs y WHERE y.id <> w.id + w.other * 10000) ELSE true END LIMIT 300};
$session->query_safe(q{SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET gpustr.enable_scan = off; SET gpustr.debug_require = 'require_join';
	SET statement_timeout = '100s'});
is(() = $session->query_safe("EXPLAIN $three") =~ /GpuJoin/g, 3, 'three joins, and two slots');
$session->query_safe("BEGIN; DECLARE c CURSOR FOR $three");
@rows = split /\n/, $session->query_safe('FETCH 3 FROM c');
push @rows, split /\n/, $session->query_safe('FETCH ALL FROM c');
$session->query_safe('COMMIT');
is(scalar @rows, 300, '... come to an end');
$session->quit;
$node->stop;
done_testing();
