
# pg_upgrade of a cluster that uses gpustr, by the commands of docs/upgrading.md as they
# stand there, with copies of files and with links: answers, indexes and stored values
# are what they were, and the databases what they were if they were made anew.  And what
# stops pg_upgrade: the library is missing, or another one; prepared transactions.
#
# test/upgrade/run runs it: OLD_PG_CONFIG and NEW_PG_CONFIG name the two majors.

use strict;
use warnings;

use Digest::MD5;
use File::Basename;
use GpustrTest;
use InstallationTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $work = temp_folder;
my %version = (made_by_1_0 => '1.0', made_by_1_1 => '1.1');
my @dbs = sort keys %version;

# A copy of that installation of PostgreSQL, without gpustr
sub bare_installation
{
	my ($pg_config) = @_;
	my $own = new_installation($pg_config);

	unlink glob("$own->{lib}/gpustr*"), glob("$own->{extension}/gpustr*");
	return $own;
}

# A new cluster, as empty as pg_upgrade wants it
sub new_cluster
{
	my ($own, $name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $own->{install_path});

	$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ], no_data_checksums => 1);
	return $node;
}

# What OLD, NEW and so on stand for in the commands
sub places
{
	my ($old_own, $old, $new_own, $new) = @_;

	return (OLD => "$old_own->{install_path}/bin", NEW => "$new_own->{install_path}/bin", PGDATA => $old->data_dir,
		NEW_PGDATA => $new->data_dir, PGHOST => $new->host, PGPORT => $new->port, PATH => "$new_own->{install_path}/bin:$ENV{PATH}");
}

# Files of pg_upgrade's output whose names match
sub output_files
{
	my ($new, $pattern) = @_;

	return join "\n", map { slurp_file($_) } glob($new->data_dir . "/pg_upgrade_output.d/*/$pattern");
}

my %query = (
	'a scan' => q{SELECT count(*), sum(id) FROM people WHERE note LIKE '%host3%' AND shown ~ '1'},
	'long texts' => q{SELECT count(*), sum(id) FROM people WHERE long ILIKE '%NEEDLE AND%' OR long LIKE '%9f%'},
	'an output' => q{SELECT md5(string_agg(r, '|' ORDER BY id)) FROM
		(SELECT id, gpustr.redact(name, 'public') AS r FROM people WHERE note LIKE '%9%' OFFSET 0) q},
	'generated columns' => q{SELECT count(*), min(masked), max(id) FROM people WHERE masked LIKE '%é%é%4' AND shown LIKE '%1%'},
	'a view' => q{SELECT count(*), sum(length(m)) FROM hidden WHERE f >= 9},
	'a barrier' => q{SELECT count(*), sum(n) FROM hidden_more},
	'partitions' => q{SELECT count(*), sum(id) FROM events WHERE what LIKE '%9%'},
	'a function' => q{SELECT count(*), min(h), max(h) FROM (SELECT hide(name) AS h FROM people WHERE note LIKE '%9%' OFFSET 0) q},
	'a materialized view' => q{SELECT count(*), sum(id) FROM digests WHERE gpustr.find(d, 'ab') > 10},
	'a join' => q{SELECT count(*), sum(p.id), min(h.place) FROM people p JOIN hosts h ON h.host = substr(p.note, strpos(p.note, 'host'), 5) WHERE p.name LIKE '%9%'},
	'a join of partitions' => q{SELECT count(*), sum(e.id), min(p.shown) FROM events e LEFT JOIN people p USING (id) WHERE e.what LIKE '%9%'});
my %mode = (
	'forbidden' => 'SET gpustr.debug_require = forbid; SET gpustr.enabled = off;',
	'required, here' => 'SET gpustr.enabled = on; SET gpustr.enable_join = on; SET gpustr.engine = local; SET gpustr.debug_require = require;',
	'required, on a device' => 'SET gpustr.enabled = on; SET gpustr.enable_join = on; SET gpustr.engine = device; SET gpustr.debug_require = require;');

# what is looked up: in which index, and how
my %lookup = (
	people_pii => q{SELECT id FROM people WHERE gpustr.redact_pii(note, '{email,phone}') = (SELECT gpustr.redact_pii(note, '{email,phone}') FROM people WHERE id = 24)},
	people_find => q{SELECT id FROM people WHERE gpustr.find(note, '@') BETWEEN 8 AND 9 AND gpustr.contains_any(note, '{host1,host3}')},
	people_masked => q{SELECT id FROM people WHERE gpustr.mask(note, 11, 11) = (SELECT gpustr.mask(note, 11, 11) FROM people WHERE id = 1234)},
	people_hash => q{SELECT id FROM people WHERE gpustr.redact(name, 'public') = (SELECT gpustr.redact(name, 'public') FROM people WHERE id = 77)},
	people_gin => q{SELECT id FROM people WHERE gpustr.matching(note, '{u1,u2,host3,9}') @> '{2,3}'},
	people_brin => q{SELECT id FROM people WHERE gpustr.count_matches(note, '漢') = 3},
	people_shown => q{SELECT id FROM people WHERE shown = (SELECT shown FROM people WHERE id = 78)},
	digests_d => q{SELECT id FROM digests WHERE gpustr.mask(d, 2, 2) = (SELECT gpustr.mask(d, 2, 2) FROM digests WHERE id = 500)},
	redact_pattern => q{SELECT id FROM events WHERE gpustr.redact_pattern(what, '[0-9]+', '#') = 'event #!! of #'});
my $stored = q{
	SELECT md5(string_agg(people::text, '|' ORDER BY id)) FROM people;
	SELECT tableoid::regclass, count(*), md5(string_agg(e::text, '|' ORDER BY id)) FROM events e GROUP BY 1 ORDER BY 1;
	SELECT md5(string_agg(hidden::text, '|' ORDER BY id)) FROM hidden;
	SELECT md5(string_agg(digests::text, '|' ORDER BY id)) FROM digests;
	SELECT at, (device).id FROM seen;
	SELECT hide('Jane Doe'), hide_atomic('Jane Doe'), hide_late('a@b.cd');
	SET ROLE app;
	SELECT count(*), sum(id) FROM secrets;
	SELECT gpustr.fuzzy_find('a needle', 'neddle', 1);
	RESET ROLE;
};
# computed from the other columns, they are what is stored
my $computed = q{
	SELECT count(*) FROM people WHERE shown IS DISTINCT FROM gpustr.redact(name, CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END)
		OR masked IS DISTINCT FROM gpustr.mask(name, 1, 1, '*é') OR near IS DISTINCT FROM gpustr.edit_distance_within(name, 'name 17', 11)
		OR places IS DISTINCT FROM gpustr.find_all(note, '0')};
my $btrees = q{
	SELECT count(bt_index_check(c.oid, true)) FROM pg_class c JOIN pg_am a ON a.oid = relam
	WHERE relkind = 'i' AND amname = 'btree' AND relnamespace = 'public'::regnamespace};
# Minors of November 2026 keep an option of columns, the version of their table's row type, that
# earlier ones refuse.  PostgreSQL would have the new major brought up to date first; where a mirror
# has no such minor, the option goes, and with it the table that has a column of a row type.
my $without_versions = '';
if (slurp_file(dirname($ENV{OLD_PG_CONFIG}) . '/pg_dump') =~ /pg_attver/ && slurp_file(dirname($ENV{NEW_PG_CONFIG}) . '/pg_dump') !~ /pg_attver/)
{
	note('the new major is of an earlier date than the old one: without pg_attver');
	$without_versions = 'UPDATE pg_attribute SET attoptions = NULL WHERE attrelid >= 16384 AND attoptions IS NOT NULL';
	$stored =~ s/^.* FROM seen;$//m or die;
}
my (%answer, %found, %kept, %setting);

# Answers, with and without gpustr; looked up and scanned; stored values; damage
sub answers_ok
{
	my ($node, $db, $what) = @_;

	foreach my $name (sort keys %query)
	{
		$answer{$db}{$name} //= $node->safe_psql($db, "$mode{forbidden} $query{$name}");
		foreach my $mode (sort keys %mode)
		{
			my $set = $mode{$mode};

			$set =~ s/= require;/= require_join;/ if $name =~ /join/;
			is($node->safe_psql($db, "$set $query{$name}"), $answer{$db}{$name}, "$what, $db: $name, gpustr $mode");
		}
	}
	foreach my $index (sort keys %lookup)
	{
		my $set = 'SET gpustr.enabled = off; SET enable_seqscan = off;';
		my $rows = $node->safe_psql($db, "$set $lookup{$index}");

		$rows = join ',', sort { $a <=> $b } split /\n/, $rows;
		$found{$db}{$index} //= $rows;
		like($node->safe_psql($db, "$set EXPLAIN $lookup{$index}"), qr/Index.* (?:using|on) \w*$index/, "$what, $db: $index is looked into");
		is($rows, $found{$db}{$index}, "$what, $db: $index has the rows that it had");
		$set = 'SET gpustr.enabled = off; SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;';
		is($rows, join(',', sort { $a <=> $b } split /\n/, $node->safe_psql($db, "$set $lookup{$index}")), "$what, $db: $index has those of a scan");
		isnt($rows, '', "$what, $db: $index has some");
	}
	my $values = $node->safe_psql($db, $stored);
	$kept{$db} //= $values;
	is($values, $kept{$db}, "$what, $db: stored values, views and functions");
	is($node->safe_psql($db, $computed), '0', "$what, $db: generated columns are what they would be now");
	cmp_ok($node->safe_psql($db, $btrees), '>=', 9, "$what, $db: amcheck finds all rows in the indexes");
	is($node->safe_psql($db, 'SELECT id, work >= 0 FROM busy; SELECT id FROM everything; SELECT id FROM direct'), "0|t\n0\n0", "$what, $db: views over gpustr's");
}

# Settings of each kind, where each role sees them; what is granted
sub settings_ok
{
	my ($node, $what) = @_;

	foreach my $db (@dbs)
	{
		foreach my $role ('app', 'watcher')
		{
			my $settings = $node->safe_psql($db, q{
				SELECT name, setting, source FROM pg_settings WHERE name LIKE 'gpustr.%' ORDER BY 1;
				SELECT has_parameter_privilege('gpustr.debug_hash_bits', 'SET'), has_function_privilege('gpustr.calibrate()', 'EXECUTE WITH GRANT OPTION'),
					has_function_privilege('gpustr.fuzzy_find(text, text, int)', 'EXECUTE'), has_table_privilege('gpustr.stat_device', 'SELECT'),
					has_function_privilege('gpustr.staging()', 'EXECUTE'), has_table_privilege('people', 'SELECT')},
				extra_params => [ '-U', $role ]);

			$setting{"$db, $role"} //= $settings;
			is($settings, $setting{"$db, $role"}, "$what, $db: what $role has set, and may");
		}
	}
}

# Files of tables and indexes of all databases
sub files_of
{
	my ($node) = @_;

	return map { split /\n/, $node->safe_psql($_, q{
		SELECT pg_relation_filepath(c.oid) FROM pg_class c WHERE relfilenode <> 0
			AND (relnamespace = 'public'::regnamespace OR c.oid IN (SELECT reltoastrelid FROM pg_class WHERE relnamespace = 'public'::regnamespace)) ORDER BY 1}) } @dbs;
}

# What is in them, while nobody writes them
sub digest_of
{
	my ($node, @files) = @_;

	return map { Digest::MD5->new->addfile(IO::File->new($node->data_dir . "/$_", 'r') // die "$_: $!")->hexdigest . " $_" } @files;
}

# A dump of the definitions, less what each dump has of its own
sub definitions
{
	my ($node, $own, $db) = @_;
	my ($dump) = shell_ok("'$own->{install_path}/bin/pg_dump' -s -d '" . $node->connstr($db) . "'", "$db: dumped");

	return $dump =~ s/^\\(?:un)?restrict .*\n//mgr;
}

sub shell_ok
{
	my ($command, $what, %environment) = @_;
	my ($ok, $out) = shell($work, $command, %environment);

	ok($ok, $what) or diag($out);
	return $out;
}

# A database with the extension at that version (the default, if there is none) and all objects
sub make_database
{
	my ($node, $own, $db, $version) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, 'CREATE EXTENSION amcheck; CREATE EXTENSION gpustr' . ($version ? " VERSION '$version'" : ''));
	shell_ok("'$own->{install_path}/bin/psql' -X -q -v ON_ERROR_STOP=1 -d '" . $node->connstr($db)
		  . "' -f $GpustrTest::top/test/upgrade/objects.sql", "$db is made");
	$node->safe_psql($db, 'DROP TABLE seen') if $without_versions;
}

# All of it works on: rows come and go, in both databases alike
sub life_goes_on
{
	my ($node, $db, $what) = @_;
	my %error = (
		"INSERT INTO people VALUES (9000, 'a ferret')" => qr/violates check constraint "no_ferret"/,
		"INSERT INTO people (id, note) VALUES (9000, 'so forbidden')" => qr/value for domain polite violates check constraint/,
		'INSERT INTO people (id) VALUES (1)' => qr/duplicate key value violates unique constraint "people_pkey"/);

	foreach my $query (sort keys %error)
	{
		my ($ret, $out, $err) = $node->psql($db, $query);

		like($err, $error{$query}, "$what, $db: $query");
	}
	$node->safe_psql($db, q{
		INSERT INTO people (id, name, long) SELECT i, 'new name ' || i, repeat('new ' || i, 900) FROM generate_series(9001, 9200) i;
		UPDATE people SET note = note || ' 007', name = reverse(name) WHERE id % 7 = 0;
		DELETE FROM people WHERE note LIKE '%host2%';
		INSERT INTO events SELECT i, repeat('!', i % 3) || ' new ' || repeat('!', i % 5) FROM generate_series(9000, 9300) i;
		UPDATE events SET what = what || '!' WHERE id % 5 = 0;
		INSERT INTO secrets VALUES (1000, 'open secret'), (1001, 'plain');
		REFRESH MATERIALIZED VIEW CONCURRENTLY digests;
		VACUUM});
	return $node->safe_psql($db, "SELECT string_agg(s, '|' ORDER BY s) FROM secrets WHERE id >= 1000; $stored $btrees");
}

my $old_own = bare_installation($ENV{OLD_PG_CONFIG});
my $new_own = bare_installation($ENV{NEW_PG_CONFIG});
my @upgrade = split /\n/, documented('A new major of PostgreSQL', 'sh');
my ($install) = grep { /make install|make PG_CONFIG=.* install/ } @upgrade;
@upgrade = grep { !/^OLD=/ && $_ ne $install } @upgrade;
is(scalar(grep { /pg_upgrade/ } @upgrade), 2, 'docs/upgrading.md has the commands');
my ($check) = grep { /pg_upgrade --check/ } @upgrade;
my ($run) = grep { /pg_upgrade -b/ } @upgrade;

# The old cluster
shell_ok("cd $GpustrTest::top && $install", 'gpustr for the old major', NEW => "$old_own->{install_path}/bin");
my $old = node_of($old_own, 'old', 'max_prepared_transactions' => 2);
$old->start;
$old->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE ROLE watcher LOGIN; CREATE EXTENSION gpustr; CREATE EXTENSION pg_buffercache');
make_database($old, $old_own, $_, $version{$_}) foreach @dbs;
$old->safe_psql('postgres', qq{
	ALTER DATABASE $dbs[0] SET gpustr.engine = local;
	ALTER DATABASE $dbs[1] SET gpustr.enable_join = on;
	ALTER ROLE app SET gpustr.enable_scan = off;
	ALTER ROLE app IN DATABASE $dbs[1] SET gpustr.enabled = off;
	ALTER ROLE watcher SET gpustr.debug_poison = 90;
	GRANT SET ON PARAMETER gpustr.debug_hash_bits TO app;
	GRANT pg_monitor TO watcher});
$old->safe_psql('postgres', 'ALTER SYSTEM SET gpustr.batch_depth = 3');

$old->safe_psql($_, $without_versions) foreach 'postgres', @dbs;
$old->restart;
wait_for_device($old);
answers_ok($old, $_, 'before') foreach @dbs;
golden_ok($old, $old_own, $_, "before, $_") foreach @dbs;
settings_ok($old, 'before');
like($setting{"$dbs[1], app"}, qr/gpustr\.batch_depth\|3\|configuration file.*gpustr\.enable_scan\|off\|user.*gpustr\.enabled\|off\|database user/s, 'before: settings are what was set');

# A library that is not there, and the wrong ones
my $bare_own = bare_installation($ENV{NEW_PG_CONFIG});
my $bare = new_cluster($bare_own, 'bare');
my %bare = places($old_own, $old, $bare_own, $bare);
my ($ok, $out);

$old->stop;
($ok, $out) = shell($work, $check, %bare);
ok(!$ok, 'pg_upgrade --check fails without gpustr in the new installation');
like($out, qr/Your installation references loadable libraries that are missing/, 'and says so');
like(output_files($bare, 'loadable_libraries.txt'), qr/could not load library "\$libdir\/gpustr": ERROR:  could not access file "\$libdir\/gpustr": No such file or directory\n(?:In database: (?:made_by_1_[01]|postgres)\n){3}/,
	'loadable_libraries.txt names it, and the databases');
system_or_bail('rm', '-r', $bare->data_dir . '/pg_upgrade_output.d');
system_or_bail('cp', "$old_own->{lib}/gpustr.so", $bare_own->{lib});
($ok, $out) = shell($work, $check, %bare);
ok(!$ok, "it fails with the old major's library");
like(output_files($bare, 'loadable_libraries.txt'), qr/could not load library "\$libdir\/gpustr": ERROR:  (?:incompatible library ".*gpustr\.so": version mismatch|could not load library ".*gpustr\.so": .*undefined symbol: \w+)/,
	'loadable_libraries.txt says why');
unlink "$bare_own->{lib}/gpustr.so" or die;
system_or_bail('rm', '-r', $bare->data_dir . '/pg_upgrade_output.d');
configure($bare, 'shared_preload_libraries' => 'gpustr');
($ok, $out) = shell($work, $check, %bare);
ok(!$ok, 'it fails where the new cluster preloads what is not there');
like($out, qr/could not connect to target postmaster|could not start|target/, 'and says that the new server does not start');
like(output_files($bare, 'log/pg_upgrade_server.log'), qr/FATAL:  could not access file "gpustr": No such file or directory/, "the server's log says why");
system_or_bail('rm', '-r', $bare->data_dir . '/pg_upgrade_output.d');
configure($bare, 'shared_preload_libraries' => undef);

# A library that is older than the databases: --check does not know, the restore fails, the old cluster lives
$old->start;
my @symbols = split /\n/, $old->safe_psql($dbs[0], "SELECT DISTINCT prosrc FROM pg_proc WHERE probin LIKE '%gpustr' ORDER BY 1");
$old->stop;
new_library("$bare_own->{lib}/gpustr.so", 0, @symbols);
($ok, $out) = shell($work, $run, %bare);
ok(!$ok, 'pg_upgrade fails with an older library');
like(output_files($bare, 'log/pg_upgrade_dump_*.log'), qr/could not find function "gpustr_\w+" in file ".*gpustr\.so"/, "the restore's log names the function");

# Prepared transactions are refused until they are ended
my $new = new_cluster($new_own, 'new_copy');
my %new = places($old_own, $old, $new_own, $new);

shell_ok("cd $GpustrTest::top && $install", 'gpustr for the new major', %new);
$old->start;
$old->safe_psql($dbs[0], "BEGIN; INSERT INTO hosts VALUES ('host4', 'prepared'); PREPARE TRANSACTION 'more'");
$old->safe_psql($dbs[1], "BEGIN; DELETE FROM people WHERE id = 17; PREPARE TRANSACTION 'fewer'");
$old->stop;
($ok, $out) = shell($work, $check, %new);
ok(!$ok, 'pg_upgrade --check fails while there are prepared transactions');
like($out, qr/The source cluster contains prepared transactions/, 'and says so');
unlike(output_files($new, 'log/pg_upgrade_server.log'), qr/gpustr device/, 'pg_upgrade starts no device process');
$old->start;
$old->safe_psql($dbs[0], "COMMIT PREPARED 'more'");
$old->safe_psql($dbs[1], "ROLLBACK PREPARED 'fewer'");
%answer = %found = %kept = ();
answers_ok($old, $_, 'prepared transactions are ended') foreach @dbs;
my @files = files_of($old);
cmp_ok(scalar(@files), '>', 50, 'there are files');
$old->stop;
$old->backup_fs_cold('cold');
my @digests = digest_of($old, @files);

# upgrade_ok NODE, NODE, MODE, OPTIONS: by the commands, in their order
sub upgrade_ok
{
	my ($old, $new, $mode, $options) = @_;
	my %place = places($old_own, $old, $new_own, $new);

	# where the command to start the new server has its log go
	symlink($new->logfile, "$work/upgraded.log") or die "$work/upgraded.log: $!";
	$old->start;
	foreach my $line (@upgrade)
	{
		my $command = $line =~ s/\s+#.*$//r;
		my $is_upgrade = $command =~ /pg_upgrade -b/;

		if ($command =~ /\$DB/)
		{
			foreach my $db (@dbs)
			{
				answers_ok($new, $db, "$mode, not updated");
				make_database($new, $new_own, "fresh_$db", $version{$db});
				is(extension_objects($new, $db), extension_objects($new, "fresh_$db"), "$mode, $db: gpustr's objects are as created at $version{$db}");
				$new->safe_psql('postgres', "DROP DATABASE fresh_$db");
				shell_ok($command, "$mode, $db: $command", %place, DB => $db);
			}
			next;
		}
		shell_ok($command . ($is_upgrade ? " $options" : ''), "$mode: $command", %place);
		$old->_update_pid(0) if $command =~ /stop$/;
		if ($is_upgrade)
		{
			is_deeply([ digest_of($new, @files) ], \@digests, "$mode: tables and indexes are the same, byte for byte");
			is_deeply([ device_processes($old), device_processes($new) ], [], "$mode: pg_upgrade leaves no device process");
			like(slurp_file("$work/update_extensions.sql"), qr/ALTER EXTENSION "gpustr" UPDATE/, "$mode: update_extensions.sql names gpustr");
		}
		if ($command =~ /start$/)
		{
			$new->_update_pid(1);
			wait_for_device($new);
		}
	}
	settings_ok($new, $mode);
	foreach my $db (@dbs)
	{
		is($new->safe_psql($db, "SELECT extversion = gpustr.library_version() AND extversion = (SELECT default_version FROM pg_available_extensions WHERE name = 'gpustr')
			FROM pg_extension WHERE extname = 'gpustr'"), 't', "$mode, $db: the version is the current one");
		answers_ok($new, $db, $mode);
		golden_ok($new, $new_own, $db, "$mode, $db");
		# with the views that a database of that version could make
		make_database($new, $new_own, "fresh_$db", $version{$db});
		$new->safe_psql("fresh_$db", 'ALTER EXTENSION gpustr UPDATE');
		is(shell_ok("psql -X -d $db -c '\\dx+ gpustr'", "$mode, $db: \\dx+", %place),
			shell_ok("psql -X -d fresh_$db -c '\\dx+ gpustr'", "$mode, fresh_$db: \\dx+", %place), "$mode, $db: and so \\dx+ says");
		is(definitions($new, $new_own, $db), definitions($new, $new_own, "fresh_$db"), "$mode, $db: all definitions are as created");
	}
	make_database($new, $new_own, 'fresh');
	is(extension_objects($new, $_), extension_objects($new, 'fresh'), "$mode, $_: gpustr's objects are as created") foreach @dbs;
	my $fresh = life_goes_on($new, 'fresh', $mode);
	is(life_goes_on($new, $_, $mode), $fresh, "$mode, $_: it goes on as a new database does") foreach @dbs;
	$new->restart;
	wait_for_device($new);
	idle_ok($new, $mode);
	log_ok($new, $mode);
	$new->stop;
	is_deeply([ device_processes($new) ], [], "$mode: no device process is left");
	unlink "$work/upgraded.log", "$work/update_extensions.sql";
}

upgrade_ok($old, $new, 'copy', '');
$old->start;
answers_ok($old, $_, 'the old cluster, after its copy') foreach @dbs;
$old->stop;
my $linked = PostgreSQL::Test::Cluster->new('linked', install_path => $old_own->{install_path});
$linked->init_from_backup($old, 'cold');
my $last = new_cluster($new_own, 'new_link');
upgrade_ok($linked, $last, 'link', '--link');

# And out it goes, by the commands
$last->start;
$last->safe_psql($_, 'DROP EXTENSION gpustr CASCADE; DROP SCHEMA gpustr') foreach 'postgres', 'fresh', map { ($_, "fresh_$_") } @dbs;
is($last->safe_psql($dbs[0], "SELECT to_regclass('hidden') IS NULL, to_regclass('people_pii') IS NULL, count(*) > 5000 FROM people"), 't|t|t',
	'removed: views and indexes are gone, tables are not');
configure($last, 'shared_preload_libraries' => undef);
foreach my $command (split /\n/, documented('Removal', 'sh'))
{
	# packages are tools/check-packages' to remove
	next if $command =~ /^(?:#|apt-get)/;
	$command =~ s/\s+#.*//;
	$command = "cd $GpustrTest::top && $command" if $command =~ /^make/;
	shell_ok(($command =~ /restart$/ ? "$command -l restarted.log" : $command), "removed: $command", PATH => "$new_own->{install_path}/bin:$ENV{PATH}", PGDATA => $last->data_dir,
		PG_CONFIG => "$new_own->{install_path}/bin/pg_config");
}
is_deeply([ glob("$new_own->{lib}/gpustr* $new_own->{extension}/gpustr*") ], [], 'removed: no file is left');
$last->_update_pid(1);
is($last->safe_psql($dbs[0], "SHOW shared_preload_libraries; SELECT count(*) > 100 FROM people WHERE long LIKE '%a%'"), "\nt", 'removed: the server goes on');
$last->stop;

done_testing();
