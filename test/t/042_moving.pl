
# Databases that use gpustr go elsewhere: by dumps of each format, and by logical
# replication from and to a server that has no gpustr.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use InstallationTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $source = new_node('source', 'wal_level' => 'logical', 'max_wal_senders' => '5');

# where a subscription connects to
sub connection
{
	my ($node, $db) = @_;

	return sprintf('host=%s port=%s dbname=%s', $node->host, $node->port, $db);
}

# gpustr is there, but not preloaded
my $unloaded = PostgreSQL::Test::Cluster->new('unloaded');
$unloaded->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
$unloaded->start;

# gpustr is not there
my $own = new_installation();
unlink "$own->{lib}/gpustr.so", glob("$own->{extension}/gpustr*") or die;
my $bare = node_of($own, 'bare', 'shared_preload_libraries' => undef, 'gpustr.devices' => undef, 'wal_level' => 'logical', 'max_wal_senders' => '5');
$bare->start;

$source->safe_psql('postgres', q{
	CREATE ROLE watcher;
	CREATE DATABASE old;
	CREATE DATABASE new;
});
$unloaded->safe_psql('postgres', 'CREATE ROLE watcher');
$bare->safe_psql('postgres', 'CREATE ROLE watcher');
my $objects = q{
	CREATE TABLE people (id int PRIMARY KEY, name text, note text,
		shown text GENERATED ALWAYS AS (gpustr.redact(name, CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END)) STORED,
		CHECK (NOT gpustr.contains_any(name, '{forbidden}')));
	INSERT INTO people SELECT i, 'first' || i || ' name ' || i % 50, 'mail u' || i || '@host' || i % 5 || '.com ' || repeat('é', i % 70)
		FROM generate_series(1, 5000) i;
	CREATE INDEX people_pii ON people (gpustr.redact_pii(note, '{email}'));
	CREATE VIEW hidden AS SELECT id, gpustr.mask(name, 1, 1) AS m, gpustr.find(note, '@') AS f FROM people;
	CREATE MATERIALIZED VIEW near AS SELECT id FROM people WHERE gpustr.edit_distance_within(name, 'first1 name 1', 2);
	CREATE VIEW busy AS SELECT id, batches FROM gpustr.stat_device;
	CREATE FUNCTION hide(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT gpustr.redact($1, 'public') $$;
	GRANT SELECT ON gpustr.stat_device TO watcher;
	GRANT EXECUTE ON FUNCTION gpustr.stat_get_device() TO watcher;
};
$source->safe_psql('old', "CREATE EXTENSION gpustr VERSION '1.0'; $objects");
$source->safe_psql('new', "CREATE EXTENSION gpustr; $objects");

my $digest = q{
	SELECT md5(string_agg(people::text, '|' ORDER BY id)) FROM people;
	SELECT md5(string_agg(hidden::text, '|' ORDER BY id)) FROM hidden;
	SELECT string_agg(id::text, ',' ORDER BY id) FROM near;
	SELECT count(*), sum(id) FROM people WHERE note LIKE '%host3%' AND shown ~ '1';
	SELECT hide('Jane Doe');
	SET gpustr.enabled = off; SET enable_seqscan = off;
	SELECT count(*) FROM people WHERE gpustr.redact_pii(note, '{email}') = 'mail [EMAIL] é';
};
my $answer = $source->safe_psql('new', "SET gpustr.enabled = off; $digest");
my $version = $source->safe_psql('new', "SELECT extversion FROM pg_extension WHERE extname = 'gpustr'");
like($answer, qr/\n72\z|\n71\z/, 'the index finds rows');

# Every format, and from either version, to a server that has gpustr preloaded and one that has not
my $dir = temp_folder;
my $n = 0;
foreach my $from ('old', 'new')
{
	foreach my $format ($from eq 'old' ? 'custom' : ('plain', 'custom', 'directory'))
	{
		my $file = "$dir/$from.$format";

		$source->command_ok([ 'pg_dump', '-F', $format, ($format eq 'directory' ? ('-j', 2) : ()), '-f', $file, '-d', $from ],
			"$from, $format: dumped");
		foreach my $target ($source, $unloaded)
		{
			my $what = "$from, $format, to " . ($target == $source ? 'a server with gpustr preloaded' : 'one without');
			my $db = 'copy' . ++$n;

			$target->safe_psql('postgres', "CREATE DATABASE $db");
			$target->command_ok($format eq 'plain'
				? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-d', $db ]
				: [ 'pg_restore', '-e', ($format eq 'directory' ? ('-j', 2) : ()), '-d', $db, $file ], "$what: restored");
			is($target->safe_psql($db, $digest), $answer, "$what: the same answers");
			is($target->safe_psql($db, "SELECT extversion FROM pg_extension WHERE extname = 'gpustr'"), $version,
				"$what: it has the version of the target");
			is($target->safe_psql($db, q{SELECT has_table_privilege('watcher', 'gpustr.stat_device', 'SELECT'),
					has_function_privilege('watcher', 'gpustr.stat_get_device()', 'EXECUTE')}), 't|t', "$what: what was granted");
		}
	}
}
unlike($unloaded->safe_psql('copy2', q{SELECT hide('Jane Doe'); EXPLAIN SELECT count(*) FROM people WHERE note LIKE '%host3%'}), qr/GpuScan/,
	"where it is not preloaded plans are PostgreSQL's, also when its functions have been called");
is($source->safe_psql('copy1', 'SET gpustr.debug_require = require; SELECT count(*) FROM people WHERE note LIKE \'%host3%\''), '1000',
	'a GpuScan of a restored table');

# Settings of a database go with a dump of all of it, to a server that has not loaded what knows them, too
$source->safe_psql('postgres', 'ALTER DATABASE new SET gpustr.engine = local; ALTER DATABASE new SET gpustr.enable_scan = off; ALTER ROLE watcher IN DATABASE new SET gpustr.enabled = off');
$source->command_ok([ 'pg_dump', '-C', '-F', 'custom', '-f', "$dir/all", '-d', 'new' ], 'a database with its settings is dumped');
$unloaded->command_ok([ 'pg_restore', '-e', '-C', '-d', 'postgres', "$dir/all" ], 'and restored where gpustr is not preloaded');
is($unloaded->safe_psql('new', "SHOW gpustr.engine; LOAD 'gpustr'; SHOW gpustr.engine; SHOW gpustr.enable_scan; $digest"), "local\nlocal\noff\n$answer",
	'with the settings, which the library takes when it comes');
$source->safe_psql('postgres', 'ALTER DATABASE new RESET ALL; ALTER ROLE watcher IN DATABASE new RESET ALL');

# A dump to a server that has no gpustr names it; the data alone go anywhere
$bare->safe_psql('postgres', 'CREATE DATABASE copy');
$bare->command_fails_like([ 'pg_restore', '-e', '-d', 'copy', "$dir/new.custom" ], qr/extension "gpustr" is not available/,
	'a restore without gpustr names it');
$bare->safe_psql('postgres', 'CREATE TABLE people (id int PRIMARY KEY, name text, note text)');
$bare->command_ok([ 'pg_restore', '-e', '-a', '-t', 'people', '-d', 'postgres', "$dir/new.custom" ], 'its data alone');
my $data = "SELECT count(*), md5(string_agg(id || name || note, '|' ORDER BY id)) FROM people";
is($bare->safe_psql('postgres', $data), $source->safe_psql('new', $data), 'are the same');

# The commands of docs/upgrading.md, as they stand there: which databases have it
my %at_source = (PGHOST => $source->host, PGPORT => $source->port);
my %at_bare = (PGHOST => $bare->host, PGPORT => $bare->port);
my $commands = temp_folder;
my ($ok, $out) = shell($commands, documented('Upgrading, moving and removing gpustr', 'sh'), %at_source);
is(join(' ', grep { /^(?:new|old|postgres)\|/ } sort split /\n/, $out), "new|$version old|1.0 postgres|$version", 'documented: which database has which version');

# a dump, and its way back
($ok, $out) = shell($commands, documented('Dumps', 'sh'), %at_source, DB => 'new');
is("$ok $out", '1 ', 'documented: a dump, restored');
is($source->safe_psql('copy', $digest), $answer, 'documented: with the same answers');

# without gpustr, a database whose tables need none of its functions; and the data of others
my ($dump) = split /\n/, documented('Dumps', 'sh');
my %advice = slurp_file("$GpustrTest::top/docs/upgrading.md") =~ /^\| gpustr not installed, ([^|]*) \| [^`]*`(.*)` \|$/mg;
s/\\\|/|/g foreach values %advice;
$source->safe_psql('postgres', 'CREATE DATABASE free');
$source->safe_psql('free', 'CREATE EXTENSION gpustr; CREATE TABLE t AS SELECT 17 AS n');
foreach my $case ([ 'free', 'tables need none of its functions', 'TABLE t' ],
	[ 'new', 'generated columns or indexes over its functions', $data ])
{
	my ($db, $when, $query) = @$case;

	$bare->safe_psql('postgres', 'DROP DATABASE copy');
	$bare->safe_psql('postgres', 'CREATE DATABASE copy');
	$bare->safe_psql('copy', 'CREATE TABLE people (id int PRIMARY KEY, name text, note text)') if $db eq 'new';
	($ok, $out) = shell($commands, $dump, %at_source, DB => $db);
	is("$ok $out", '1 ', "documented, $when: a dump");
	($ok, $out) = shell($commands, $advice{$when}, %at_bare);
	is("$ok $out", '1 ', "documented, $when: restored without gpustr");
	is($bare->safe_psql('copy', $query), $source->safe_psql($db, $query), "documented, $when: the same rows");
}

# replication
my ($publish, $table, $subscribe) = documented('Replication', 'sql') =~ /^(CREATE [^;]*;)/mg;
$source->safe_psql('postgres', 'CREATE DATABASE published');
$source->safe_psql('published', "CREATE EXTENSION gpustr; CREATE TABLE people (id int PRIMARY KEY, name text, shown text GENERATED ALWAYS AS (gpustr.redact(name, 'public')) STORED);
	INSERT INTO people SELECT i, 'name ' || i FROM generate_series(1, 100) i; $publish");
$bare->safe_psql('postgres', 'CREATE DATABASE subscribed');
$subscribe =~ s/'host=\.\.\. dbname=\.\.\.'/"'" . connection($source, 'published') . "'"/e or die $subscribe;
$bare->safe_psql('subscribed', $table);
$bare->safe_psql('subscribed', $subscribe);
$bare->wait_for_subscription_sync($source, 's', 'subscribed');
is($bare->safe_psql('subscribed', 'SELECT count(*), max(name) FROM people'), '100|name 99', 'documented: a subscription');
$bare->safe_psql('subscribed', 'DROP SUBSCRIPTION s');

# removal
$source->safe_psql('postgres', 'CREATE DATABASE db');
$source->safe_psql('db', 'CREATE EXTENSION gpustr');
$source->safe_psql('db', documented('Removal', 'sql'));
is($source->safe_psql('db', "SHOW gpustr.enabled; SELECT to_regnamespace('gpustr') IS NULL"), "off\nt", 'documented: switched off, and removed');
$source->safe_psql('db', 'ALTER SYSTEM RESET gpustr.enabled');
$source->reload;

# Logical replication to a server without gpustr
$bare->safe_psql('postgres', 'TRUNCATE people; CREATE TABLE back (id int PRIMARY KEY, name text); CREATE PUBLICATION b FOR TABLE back');
$source->safe_psql('new', 'CREATE PUBLICATION p FOR TABLE people');
$bare->safe_psql('postgres', sprintf("CREATE SUBSCRIPTION s CONNECTION '%s' PUBLICATION p", connection($source, 'new')));
$bare->wait_for_subscription_sync($source, 's');
is($bare->safe_psql('postgres', $data), $source->safe_psql('new', $data), 'replicated to a server without gpustr');
$source->safe_psql('new', q{
	SET gpustr.debug_require = require;
	UPDATE people SET name = name || '!' WHERE note LIKE '%host3%' AND name LIKE '%9';
	DELETE FROM people WHERE note LIKE '%host2%';
	SET gpustr.debug_require = allow;
	INSERT INTO people VALUES (10000, 'late', 'mail late@host9.com')});
$source->wait_for_catchup('s');
is($bare->safe_psql('postgres', $data), $source->safe_psql('new', $data), 'changes are, too');
$bare->safe_psql('postgres', 'DROP SUBSCRIPTION s');

# and from one: values that are computed are those of the subscriber
$source->safe_psql('new', q{
	CREATE TABLE back (id int PRIMARY KEY, name text, shown text GENERATED ALWAYS AS (gpustr.redact(name, 'public')) STORED);
	CREATE INDEX back_find ON back (gpustr.find(name, 'name'));
});
$bare->safe_psql('postgres', "INSERT INTO back SELECT id, name FROM people");
$source->safe_psql('new', sprintf("CREATE SUBSCRIPTION s CONNECTION '%s' PUBLICATION b", connection($bare, 'postgres')));
$source->wait_for_subscription_sync($bare, 's');
$bare->safe_psql('postgres', "UPDATE back SET name = 'Jane Doe' WHERE id % 10 = 4; DELETE FROM back WHERE id % 10 = 5");
$bare->wait_for_catchup('s');
is($source->safe_psql('new', 'SELECT count(*) FROM back'), $bare->safe_psql('postgres', 'SELECT count(*) FROM back'),
	'replicated from a server without gpustr');
is($source->safe_psql('new', q{SELECT count(*) FILTER (WHERE shown IS DISTINCT FROM gpustr.redact(name, 'public')), count(*) FILTER (WHERE shown = 'D Jane') > 0 FROM back}),
	'0|t', 'generated columns follow');
my $find = "SELECT count(*) FROM back WHERE gpustr.find(name, 'name') = 0";
is($source->safe_psql('new', "SET enable_seqscan = off; SET gpustr.enabled = off; $find"),
	$source->safe_psql('new', "SET enable_indexscan = off; SET enable_bitmapscan = off; $find"), 'and expression indexes');
$source->safe_psql('new', 'DROP SUBSCRIPTION s');
idle_ok($source, 'in the end');
log_ok($source, 'source');
$_->stop foreach $source, $unloaded, $bare;

done_testing();
