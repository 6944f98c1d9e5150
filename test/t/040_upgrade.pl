
# Versions of the extension: every path to one ends at the same objects, what hangs on
# them lives on, and files that do not fit together say so.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use InstallationTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $own = new_installation();
my $node = node_of($own, 'upgrade');
my ($current) = slurp_file("$GpustrTest::top/gpustr.control") =~ /^default_version\s*=\s*'(.*)'/m;

my $n = 0;

sub sql
{
	my ($db, $query, @more) = @_;

	return $node->safe_psql($db, $query, @more);
}

sub fails
{
	my ($db, $query, $pattern, $what) = @_;
	my ($ret, $out, $err) = $node->psql($db, $query);

	like($err, $pattern, $what);
}

# A database of its own in which these commands have run
sub database
{
	my (@commands) = @_;
	my $db = 'db' . ++$n;

	sql('postgres', "CREATE DATABASE $db");
	sql($db, join(';', @commands));
	return $db;
}

$node->start;

# Every version can be created, and every path to it makes the same of it
my @versions = split /\n/, sql('postgres',
	"SELECT version FROM pg_available_extension_versions WHERE name = 'gpustr' ORDER BY 1");
my @paths = split /\n/, sql('postgres',
	"SELECT source, target FROM pg_extension_update_paths('gpustr') WHERE path IS NOT NULL ORDER BY 1, 2");
is(sql('postgres', "SELECT default_version FROM pg_available_extensions WHERE name = 'gpustr'"), $current, 'the version');
is_deeply([ $versions[0], $versions[-1] ], [ '1.0', $current ], 'versions from 1.0 on');
my (%fresh, %database);
foreach my $version (@versions)
{
	$database{$version} = database("CREATE EXTENSION gpustr VERSION '$version'");
	$fresh{$version} = extension_objects($node, $database{$version});
	like($fresh{$version}, qr/function gpustr\.redact\(text,text\)/, "$version: created");
	is(sql($database{$version}, q{SELECT count(*) > 20, string_agg(fmgr_c_validator(p.oid)::text, '') FROM pg_proc p
			JOIN pg_language l ON l.oid = prolang WHERE pronamespace = 'gpustr'::regnamespace AND lanname = 'c'}),
		't|', "$version: the library has all its functions");
	is(sql($database{$version}, "SELECT id FROM gpustr.stat_device UNION SELECT id FROM gpustr.devices()"), '0',
		"$version: the library serves its functions and view");
}
cmp_ok(scalar(@paths), '>=', 1, 'there are paths');
foreach my $path (@paths)
{
	my ($source, $target) = split /\|/, $path;
	my $db = database("CREATE EXTENSION gpustr VERSION '$source'", "ALTER EXTENSION gpustr UPDATE TO '$target'");

	is(extension_objects($node, $db), $fresh{$target}, "$source to $target: as if created");
}

# A database that uses 1.0
sql('postgres', 'CREATE ROLE watcher LOGIN; CREATE ROLE tuner LOGIN');
my $db = database("CREATE EXTENSION gpustr VERSION '1.0'; CREATE EXTENSION amcheck", q{
	GRANT SELECT ON gpustr.stat_device TO watcher;
	GRANT EXECUTE ON FUNCTION gpustr.stat_get_device() TO watcher;
	GRANT EXECUTE ON FUNCTION gpustr.calibrate() TO tuner;
	CREATE VIEW busy AS SELECT id, batches + fallbacks AS work FROM gpustr.stat_device;
	CREATE VIEW everything AS SELECT * FROM gpustr.stat_device;
	CREATE VIEW direct AS SELECT * FROM gpustr.stat_get_device();
	CREATE VIEW whole AS SELECT s, row_to_json(d) ->> 'id' AS d FROM gpustr.stat_device s, gpustr.stat_get_device() d;
	CREATE TABLE kept_rows (at int, device gpustr.stat_device);
	INSERT INTO kept_rows SELECT 1, d FROM gpustr.stat_device d;
	CREATE FUNCTION rows_of_view() RETURNS SETOF gpustr.stat_device LANGUAGE sql AS 'SELECT * FROM gpustr.stat_device';
	CREATE TABLE people (id int, name text, note text,
		shown text GENERATED ALWAYS AS (gpustr.redact(name, CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END)) STORED,
		near bool GENERATED ALWAYS AS (gpustr.edit_distance_within(name, 'name 17', 2)) STORED,
		CHECK (gpustr.find(name, 'forbidden') = 0));
	CREATE INDEX people_pii ON people (gpustr.redact_pii(note, '{email,ssn}'));
	CREATE INDEX people_find ON people (gpustr.find(note, '@')) WHERE gpustr.contains_any(note, '{host1,host3}');
	INSERT INTO people SELECT i, 'first' || i || ' name ' || i % 50, 'mail u' || i || '@host' || i % 5 || '.com' FROM generate_series(1, 2000) i;
	ANALYZE people;
	CREATE MATERIALIZED VIEW masked AS SELECT id, gpustr.mask(name, 1, 1) AS m FROM people;
});
my $stored = 'SELECT id, shown, near FROM people ORDER BY id';
my $by_index = q{SET enable_seqscan = off; SET gpustr.enabled = off;
	SELECT count(*) FROM people WHERE gpustr.redact_pii(note, '{email,ssn}') = 'mail [EMAIL]';
	SELECT sum(id) FROM people WHERE gpustr.find(note, '@') > 7 AND gpustr.contains_any(note, '{host1,host3}')};
my $before = sql($db, "$stored; $by_index; SELECT * FROM masked ORDER BY id");
my $session = $node->background_psql($db, on_error_stop => 0);
$session->query_safe('PREPARE p AS SELECT id, batches >= 0 FROM gpustr.stat_device; SET plan_cache_mode = force_generic_plan; EXECUTE p; EXECUTE p');
is($session->query_safe('EXECUTE p'), '0|t', 'a prepared statement before the update');
golden_ok($node, $own, $db, '1.0 with the new library');
sql($db, 'ALTER EXTENSION gpustr UPDATE');
is(sql($db, "SELECT extversion = gpustr.library_version(), extversion FROM pg_extension WHERE extname = 'gpustr'"), "t|$current",
	'library and SQL are of one version after the update');
is($session->query_safe('EXECUTE p'), '0|t', 'and after it');
$session->quit;
golden_ok($node, $own, $db, "updated to $current");
is(sql($db, "$stored; $by_index; SELECT * FROM masked ORDER BY id"), $before, 'stored values and indexes are as they were');
sql($db, 'CREATE TABLE again (LIKE people INCLUDING GENERATED); INSERT INTO again (id, name, note) SELECT id, name, note FROM people; REFRESH MATERIALIZED VIEW masked');
is(sql($db, 'SELECT count(*) FROM (TABLE people EXCEPT ALL TABLE again) s'), '0', 'computed anew, they are the same');
is(sql($db, "$stored; $by_index; SELECT * FROM masked ORDER BY id"), $before, 'the materialized view, too');
sql($db, "SELECT bt_index_check(i, true) FROM unnest('{people_pii,people_find}'::regclass[]) i");
fails($db, "INSERT INTO people VALUES (0, 'forbidden')", qr/violates check constraint/, 'the constraint holds');
is(sql($db, "SELECT id, work >= 0 FROM busy; SELECT id FROM everything; SELECT id FROM direct; SELECT (s).id, d FROM whole; SELECT id, tables FROM rows_of_view()"),
	"0|t\n0\n0\n0|0\n0|0", 'views and functions over the view and its function');
is(sql($db, 'INSERT INTO kept_rows SELECT 2, d FROM gpustr.stat_device d; SELECT at, (device).id, (device).tables FROM kept_rows ORDER BY 1'), "1|0|\n2|0|0",
	'a column of the row type of a view that got columns');
is(sql($db, 'SELECT id, tables, table_bytes FROM gpustr.stat_device', extra_params => [ '-U', 'watcher' ]), '0|0|0',
	'what was granted is granted');
fails($db, 'SET ROLE tuner; SELECT * FROM gpustr.calibrate()', qr/permission denied to calibrate gpustr/,
	'on a function that stays, too');

# A dump of it has what was granted, and its views come back
my $dump = $node->data_dir . '/../dump.sql';
$node->command_ok([ "$own->{install_path}/bin/pg_dump", '-f', $dump, '-d', $node->connstr($db) ], 'a dump of the updated database');
my $copy = database();
$node->command_ok([ "$own->{install_path}/bin/psql", '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($copy), '-f', $dump ], 'comes back');
is(sql($copy, "$stored; $by_index"), sql($db, "$stored; $by_index"), 'with its values');
is(sql($copy, 'SELECT id, tables FROM gpustr.stat_device', extra_params => [ '-U', 'watcher' ]), '0|0', 'and what was granted');

# An older library than the SQL files: only the functions of 1.0
my $library = "$own->{lib}/gpustr.so";
my $kept = "$own->{lib}/../gpustr.so.kept";
my $old = database("CREATE EXTENSION gpustr VERSION '1.0'");
my @old_symbols = split /\n/, sql($old, "SELECT DISTINCT prosrc FROM pg_proc WHERE probin LIKE '%gpustr' ORDER BY 1");
configure($node, 'shared_preload_libraries' => undef, map { $_ => undef } ('gpustr.devices'));
$node->stop;
rename($library, $kept) or die;
new_library($library, 0, @old_symbols);
$node->start;
my $too_old = qr/the library of gpustr is older than version 1\.1 of its SQL objects.*DETAIL:  .*gpustr_library_version.*HINT:  Install library and SQL files of one version/s;
my $empty = database();
fails($empty, 'CREATE EXTENSION gpustr', $too_old, 'an old library: CREATE EXTENSION');
fails($old, 'ALTER EXTENSION gpustr UPDATE', $too_old, 'an old library: ALTER EXTENSION');
is(sql($old, "SELECT extversion FROM pg_extension WHERE extname = 'gpustr'"), '1.0', 'the version is still the old one');
is(extension_objects($node, $old), $fresh{'1.0'}, 'and so is all of it');
fails($db, 'SELECT gpustr.library_version()', qr/could not find function "gpustr_library_version" in file/,
	'an old library in an updated database');

# No library; 18 leaves out $libdir
my $no_file = qr/could not access file "(?:\$libdir\/)?gpustr": No such file/;
unlink $library or die;
fails($db, "SELECT gpustr.redact('a b', 'public')", $no_file, 'no library: a function');
fails($empty, 'CREATE EXTENSION gpustr', $no_file, 'no library: CREATE EXTENSION');
is(sql($db, 'SELECT count(*) FROM people'), '2000', 'other queries run');

# What an installation that was cut short leaves of it
write_file($library, '');
fails($db, "SELECT gpustr.redact('a b', 'public')", qr/could not load library ".*gpustr\.so": .*file too short/, 'an empty library: a function');
fails($empty, 'CREATE EXTENSION gpustr', qr/could not load library ".*gpustr\.so": .*file too short/, 'an empty library: CREATE EXTENSION');
is(sql($db, 'SELECT count(*) FROM people'), '2000', 'other queries run, too');

# A library of another major of PostgreSQL
new_library($library, 1, @old_symbols);
fails($db, "SELECT gpustr.redact('a b', 'public')", qr/incompatible library ".*gpustr\.so": version mismatch.*DETAIL:  Server is version \d+, library is version 14\./s,
	'a library of another major');
configure($node, 'shared_preload_libraries' => 'gpustr', 'gpustr.devices' => $GpustrTest::devices);
$node->stop;
my $offset = -s $node->logfile;
is($node->start(fail_ok => 1), 0, 'a server does not start with that preloaded');
like(slurp_file($node->logfile, $offset), qr/FATAL:  incompatible library ".*gpustr\.so": version mismatch/, 'and says why');
unlink $library or die;
rename($kept, $library) or die;
$node->start;
is(sql($db, "SELECT gpustr.redact('Jane Doe', 'public')"), 'D Jane', 'with its library again it does');

# A script that was cut short leaves nothing behind
my $script = "$own->{extension}/gpustr--1.0.sql";
my $whole = slurp_file($script);
write_file($script, substr($whole, 0, index($whole, 'LANGUAGE', length($whole) / 2)));
fails($empty, 'CREATE EXTENSION gpustr', qr/ERROR:  (?:no language specified|no function body specified|syntax error at end of input)/,
	'half a script: CREATE EXTENSION');
is(sql($empty, "SELECT count(*) FROM pg_proc WHERE probin LIKE '%gpustr'; SELECT to_regnamespace('gpustr')"), "0\n", 'half a script: nothing is left');
write_file($script, $whole);

# Control and script files
my $control = "$own->{extension}/gpustr.control";
my $text = slurp_file($control);
write_file($control, $text =~ s/\Q'$current'\E/'9.9'/r);
fails($empty, 'CREATE EXTENSION gpustr', qr/extension "gpustr" has no installation script nor update path for version "9\.9"/,
	'a control file of a newer version: CREATE EXTENSION');
fails($db, 'ALTER EXTENSION gpustr UPDATE', qr/extension "gpustr" has no update path from version "\Q$current\E" to version "9\.9"/,
	'a control file of a newer version: ALTER EXTENSION');
write_file("$own->{extension}/gpustr--$current--9.9.sql",
	"UPDATE pg_catalog.pg_proc SET proallargtypes = proallargtypes || 23::oid, proargmodes = proargmodes || 'o'::\"char\", proargnames = proargnames || 'later'::text WHERE proname = 'stat_get_device';");
sql($old, 'ALTER EXTENSION gpustr UPDATE');
fails($old, 'SELECT * FROM gpustr.stat_get_device()', qr/gpustr's SQL objects are of a newer version than its library, \Q$current\E.*HINT:  Install the library of that version, and restart/s,
	'SQL objects newer than the library');
is(sql($old, "SELECT gpustr.redact('Jane Doe', 'public')"), 'D Jane', 'what they share works');
write_file($control, $text);
unlink "$own->{extension}/gpustr--1.0--1.1.sql" or die;
fails($empty, 'CREATE EXTENSION gpustr', qr/no installation script nor update path for version "\Q$current\E"/, 'a missing script');
unlink $control or die;
fails($empty, 'CREATE EXTENSION gpustr', qr/extension "gpustr" is not available|could not open extension control file/, 'no control file');
is(sql($db, "$stored; $by_index"), sql($copy, "$stored; $by_index"), 'databases that have it do not need it');

log_ok($node, 'upgrade', qr/could not (?:access file|find function|load library)|could not open extension control file/i);
$node->stop;

done_testing();
