
# A statement can be cancelled at any time: whatever it is at, in the session or in
# a device process.  Each of these takes minutes if it is not, so that
# it is seen to be cancelled however slow the machine is; how long that took is
# printed, and not judged.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = new_node('cancel', 'autovacuum' => 'off', 'log_min_error_statement' => 'panic');
my $dir = temp_folder;

# Rows that fill a page each, and two values that are far apart.
$node->safe_psql('postgres', q{
	CREATE TABLE pages (id int, msg text);
	ALTER TABLE pages ALTER msg SET STORAGE PLAIN;
	INSERT INTO pages SELECT i, repeat(md5(i::text) || ' one two three ', 150) FROM generate_series(1, 20000) i;
	VACUUM ANALYZE pages;
	CREATE TABLE long (pair text, pair2 text);
	INSERT INTO long SELECT string_agg(md5(i::text), ''), string_agg(md5((-i)::text), '')
		FROM generate_series(1, 65536) i;

	-- cancel a backend; in how many ms does it leave its statement?
	CREATE FUNCTION cancel(pid int, statement text) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE
		start timestamptz := clock_timestamp();
	BEGIN
		IF NOT pg_cancel_backend(pid) THEN
			RAISE 'no backend %', pid;
		END IF;
		LOOP
			PERFORM pg_stat_clear_snapshot();
			EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = cancel.pid
				AND a.state = 'active' AND a.query LIKE '%/* ' || statement || ' */%');
			PERFORM pg_sleep(0.002);
		END LOOP;
		RETURN extract(epoch FROM clock_timestamp() - start) * 1000;
	END $$;
});

my $many = "(SELECT array_agg(md5((-i)::text)) FROM generate_series(1, 5000) i)";

# Clauses of a scan, each over texts that it makes of a row.
my @scans = (
	[ 'like', q{repeat(msg, 200) LIKE '%e%wo_three%zz%' } ],
	[ 'like of one text', q{repeat(msg, 200) LIKE repeat('%a_', 900) || 'zz%' } ],
	[ 'ilike', q{repeat(msg, 200) ILIKE '%E%WO_THREE%zz%' } ],
	[ 'regex', q{repeat(msg, 200) ~ 'one (two|three)+ [a-f]{3}zz'} ],
	[ 'replace', q{replace(repeat(msg, 150), 'e', 'EEE') = 'x'} ],
	[ 'replace of little by much', q{length(replace(msg, 'e', repeat('y', 2000))) = 1} ],
	[ 'upper', q{upper(repeat(msg, 200)) = 'x'} ],
	[ 'digest', q{md5(repeat(msg, 200)) = 'x'} ],
	[ 'translate', q{translate(repeat(msg, 200), 'abc', 'xyz') = 'x'} ],
	[ 'position', q{strpos(repeat(msg, 200), 'three two') > 0} ],
	[ 'find', q{gpustr.find(repeat(msg, 200), 'three two') > 0} ],
	[ 'count_matches', q{gpustr.count_matches(repeat(msg, 200), 'three') = 1} ],
	[ 'edit_distance', q{gpustr.edit_distance(msg, repeat(md5('x'), 200)) = 1} ],
	[ 'edit_distance_within', q{gpustr.edit_distance_within(repeat(msg, 70), 'x' || repeat(msg, 70), 450) IS NULL} ],
	[ 'fuzzy_find', q{gpustr.fuzzy_find(repeat(msg, 180), repeat(md5('x'), 9), 20) > 0} ],
	[ 'contains_any', qq{gpustr.contains_any(repeat(msg, 200), ARRAY['zero', 'nine', 'ten', 'eleven', 'twelve'])} ],
	[ 'redact_pii', q{gpustr.redact_pii(repeat(msg, 200), ARRAY['email', 'ipv4']) = 'x'} ]);

# Calls: what is called, and with what.
my $value = q{(SELECT repeat('ab abc 10.0.0.1 ', 2500000) AS v OFFSET 0) s};
my $pairs = q{(SELECT pair || pair AS v, pair2 || pair2 AS w FROM long OFFSET 0) s};
my $texts = q{(SELECT array_fill(repeat(md5('x') || ' ab ', 1700), ARRAY[500]) AS v OFFSET 0) s};
my $names = q{(SELECT array_fill('First Last'::text, ARRAY[500000]) AS v, array_fill('public'::text, ARRAY[500000]) AS w OFFSET 0) s};
my @calls = (
	# name, call, of what
	[ 'edit_distance()', 'gpustr.edit_distance(v, w)', $pairs ],
	[ 'edit_distance_within()', 'gpustr.edit_distance_within(v, w, 3000000)', $pairs ],
	[ 'fuzzy_find()', q{gpustr.fuzzy_find(v, repeat('xyz', 30000), 100)}, $value ],
	[ 'find()', q{gpustr.find(v, 'abd')}, $value ],
	[ 'find_all()', q{cardinality(gpustr.find_all(v, 'c 1'))}, $value ],
	[ 'count_matches()', q{gpustr.count_matches(v, 'ab')}, $value ],
	[ 'contains_any()', qq{gpustr.contains_any(v, p)}, "$value, (SELECT $many AS p OFFSET 0) p" ],
	[ 'matching()', qq{gpustr.matching(v, p)}, "$value, (SELECT $many AS p OFFSET 0) p" ],
	[ 'redact_pii()', q{length(gpustr.redact_pii(v, ARRAY['ipv4']))}, $value ],
	[ 'redact_pattern()', q{length(gpustr.redact_pattern(v, 'c [0-9]', 'x'))}, '(SELECT pair || pair AS v FROM long OFFSET 0) s' ],
	[ 'mask()', q{length(gpustr.mask(v, 10, 10, '*'))}, $value ],
	[ 'find() of an array', q{cardinality(gpustr.find(v, 'abd'))}, $texts ],
	[ 'count_matches() of an array', q{cardinality(gpustr.count_matches(v, 'ab'))}, $texts ],
	[ 'edit_distance() of an array', q{cardinality(gpustr.edit_distance(v, repeat('xyz', 1000)))}, $texts ],
	[ 'edit_distance_within() of an array', q{cardinality(gpustr.edit_distance_within(v, repeat('xyz', 1000), 60000))}, $texts ],
	[ 'fuzzy_find() of an array', q{cardinality(gpustr.fuzzy_find(v, repeat('xyz', 300), 20))}, $texts ],
	[ 'redact() of an array', q{cardinality(gpustr.redact(v, w))}, $names ],
	[ 'redact_pii() of an array', q{cardinality(gpustr.redact_pii(v, ARRAY['email', 'phone']))}, $texts ]);

# Start a statement, see it work, cancel it.
sub cancel_ok
{
	my ($engine, $name, $sql) = @_;
	my ($out, $err) = ('', '');
	my $file = "$dir/statement.sql";
	my $what = "$name, engine $engine";

	unlink $file;
	append_to_file($file, "SET gpustr.engine = $engine;\n$sql /* $name */;\nSELECT 'alive';\n");
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $file ],
		'<', '/dev/null', '>', \$out, '2>', \$err,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my $active = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%/* $name */%'";
	my $seen = $node->poll_query_until('postgres', "SELECT count(*) = 1 $active");
	usleep(300_000);
	my $pid = $node->safe_psql('postgres', "SELECT pid $active AND backend_type = 'client backend'");
	my $ms = $pid eq '' ? -1 : $node->safe_psql('postgres', "SELECT cancel($pid, '$name')");
	eval { $session->finish; 1 } or $session->kill_kill;
	ok($seen && $pid ne '' && $err =~ /ERROR:  canceling statement due to user request/ && $out eq "alive\n",
		"$what: cancelled");
	note("$what: $ms ms") if $pid ne '';
	diag("out '$out', err '$err'") if $out ne "alive\n" || $err !~ /canceling/;
	return $ms;
}

foreach my $engine ('local', 'device')
{
	my @all;

	wait_for_device($node);
	push @all, cancel_ok($engine, $_->[0], "SET max_parallel_workers_per_gather = 0;\n"
		. "SET gpustr.debug_require = 'require';\nSELECT count(*) FROM pages WHERE $_->[1]")
	  foreach @scans;
	push @all, cancel_ok($engine, $_->[0],
		"SET max_parallel_workers_per_gather = 0;\nSELECT count($_->[1]) FROM $_->[2], generate_series(1, 100000) i")
	  foreach @calls;
	@all = sort { $a <=> $b } @all;
	note("result: engine $engine: cancelled in $all[0] to $all[-1] ms, half of them in $all[@all / 2] ms");
	idle_ok($node, "engine $engine");
}
is($node->safe_psql('postgres', 'SELECT coalesce(sum(restarts), 0) FROM gpustr.stat_device'), '0',
	'no device process had to be restarted');
log_ok($node, 'in the end');
$node->stop;
done_testing();
