
# A statement can be cancelled while it is planned: while regular expressions are compiled,
# automata made and joined, and PostgreSQL asked about all characters.  Each of these
# takes minutes if it is not, so that it is seen to be cancelled however slow the machine is;
# how long that took is printed, and not judged.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $node = new_node('cancel_planning', 'log_min_error_statement' => 'panic');
my $dir = temp_folder;
my $database = "dbname=utf8 host=" . $node->host . " port=" . $node->port;

$node->safe_psql('postgres', q{CREATE DATABASE utf8 TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'});
$node->safe_psql('utf8', q{
	CREATE EXTENSION gpustr;
	CREATE TABLE lines AS SELECT i AS id, 'line ' || i AS s FROM generate_series(1, 10) i;
	ANALYZE lines;

	-- plan a query with a clause made of i, again and again: nothing of it is known
	CREATE PROCEDURE plan(clause text, extra text DEFAULT '''''') LANGUAGE plpgsql AS $$
	DECLARE
		made text;
	BEGIN
		FOR i IN 1 .. 1000000 LOOP
			EXECUTE 'SELECT ' || extra USING i INTO made;
			BEGIN
				EXECUTE 'EXPLAIN SELECT FROM lines WHERE ' || replace(replace(clause, '<i>', i::text), '<made>', made);
			EXCEPTION WHEN invalid_regular_expression OR object_not_in_prerequisite_state OR feature_not_supported THEN NULL;
			END;
		END LOOP;
	END $$;

	-- run one under one collation after the other
	CREATE PROCEDURE collate_all(clause text) LANGUAGE plpgsql AS $$
	DECLARE
		name text;
	BEGIN
		FOR i IN 1 .. 1000 LOOP
			FOR name IN SELECT collname FROM pg_collation WHERE collprovider = 'i' AND collisdeterministic ORDER BY 1 LOOP
				EXECUTE format('CREATE COLLATION IF NOT EXISTS %I FROM %I', name || i, name);
				EXECUTE 'SELECT FROM lines WHERE ' || replace(clause, '<c>', format('s COLLATE %I', name || i));
			END LOOP;
		END LOOP;
	END $$;
});

my $words = q{(SELECT string_agg('''%' || md5(($1 * g)::text) || '%''', ',') FROM generate_series(1, 100000) g)};
my $expressions = q{(SELECT string_agg('''a.*b' || 100 * $1 + g || '(x|y)''', ',') FROM generate_series(1, 60) g)};
my @statements = (
	[ 'many expressions in a list', "CALL plan('s ~ ANY (ARRAY[<made>])', \$\$$expressions\$\$)" ],
	[ 'many expressions in an OR', q{DO $$ BEGIN EXECUTE 'EXPLAIN SELECT FROM lines WHERE ' ||
		(SELECT string_agg('s ~ ''a.*b' || g || '(x|y){3,20}z''', ' OR ') FROM generate_series(1, 100000) g); END $$} ],
	[ 'many literals', "CALL plan('s LIKE ANY (ARRAY[<made>])', \$\$$words\$\$)" ],
	[ 'an expression that PostgreSQL compiles for long', q{EXPLAIN SELECT FROM lines WHERE s ~ '(x?){200}(y?z?){200}\w{100}'} ],
	[ 'expressions of 1 MB', q{CALL plan('s ~ ''<made>''', $$repeat('abcdefg' || $1, 125000)$$)} ],
	[ 'classes of 1 MB', q{CALL plan('s ~ ''[<made>]<i>''', $$(SELECT string_agg(chr(i), '') FROM generate_series(160, 1000000, 3) i WHERE i NOT BETWEEN 55296 AND 57343)$$)} ],
	[ 'automata that are too large', q{CALL plan('s ~ ''(a|b)*a(a|b){30}<i>''')} ],
	[ 'automata that are joined', q{CALL plan('s ~ ''[a-m].{5}x<i>'' OR s ~ ''[k-z].{6}y<i>'' OR s ~ ''[c-p].{5}z<i>''')} ],
	[ 'classes of characters', q{CALL collate_all($$<c> ~ '[[:alpha:]][[:punct:]]\w\s[[:upper:]][[:lower:]][[:graph:]]'$$)} ],
	[ 'case of characters', q{CALL collate_all($$upper(<c>) = lower(<c>)$$)} ]);

# Start a statement, see it work, cancel it.
sub cancel_ok
{
	my ($name, $sql) = @_;
	my ($out, $err) = ('', '');
	my $file = "$dir/statement.sql";
	my $active = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%/* $name */%'";

	unlink $file;
	append_to_file($file, "SET gpustr.engine = local;\nSET gpustr.debug_require = 'require';\n"
		. "SET max_parallel_workers_per_gather = 0;\n$sql /* $name */;\nSELECT 'alive';\n");
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-d', $database, '-f', $file ],
		'<', '/dev/null', '>', \$out, '2>', \$err,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my $seen = $node->poll_query_until('utf8', "SELECT count(*) = 1 $active");
	usleep(200_000 + int(rand(1_500_000)));
	my $start = time;
	my $sent = $node->safe_psql('utf8', "SELECT pg_cancel_backend(pid) $active AND backend_type = 'client backend'");
	eval { $session->finish; 1 } or $session->kill_kill;
	my $ms = 1000 * (time - $start);
	ok($seen && $sent eq 't' && $err =~ /ERROR:  canceling statement due to user request/ && $out =~ /^alive$/m,
		"$name: cancelled");
	note(sprintf("result: %s: the session ended %.0f ms after it was told, a start of psql included", $name, $ms));
	diag("out '$out', err '$err'") if $out !~ /alive/ || $err !~ /canceling/;
}

cancel_ok(@$_) foreach @statements;
idle_ok($node, 'after all that');
log_ok($node, 'in the end');
$node->stop;
done_testing();
