
# Installations of PostgreSQL with gpustr of a test's own, in which files can be changed.

package InstallationTest;

use strict;
use warnings;

use Exporter 'import';
use File::Basename;
use File::Path 'make_path';
use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_installation new_library write_file node_of extension_objects golden_ok documented shell);

# Where that pg_config, or the one in the path, says that something is
sub pg_config
{
	my ($what, $pg_config) = @_;

	$pg_config //= 'pg_config';
	my $path = `$pg_config --$what`;

	chomp $path;
	return $path;
}

# A copy of the installation that pg_config names, the one in the path unless one is given:
# the programs, links to all other files, and copies of gpustr's own.  Programs look for
# the rest beside themselves.
sub new_installation
{
	my ($pg_config) = @_;
	my $root = temp_folder;
	my ($bin, $lib, $share) = map { pg_config($_, $pg_config) } ('bindir', 'pkglibdir', 'sharedir');

	foreach my $dir ($bin, $lib, $share)
	{
		make_path(dirname("$root$dir"));
		system_or_bail('cp', $dir eq $bin ? '-rL' : '-rs', $dir, "$root$dir");
	}
	# what extensions are built with
	my $include = pg_config('includedir-server', $pg_config);
	make_path(dirname("$root$include"));
	symlink($include, "$root$include") or die "$include: $!";
	my $own = { install_path => dirname("$root$bin"), lib => "$root$lib", extension => "$root$share/extension" };

	foreach my $file (glob("$own->{lib}/gpustr*.so"), glob("$own->{extension}/gpustr*"))
	{
		system_or_bail('cp', '--remove-destination', readlink $file, $file);
	}
	return $own;
}

# What a version of the extension consists of, one object a line
sub extension_objects
{
	my ($node, $db) = @_;

	return $node->safe_psql($db, q{
		WITH member AS (SELECT classid, objid, pg_describe_object(classid, objid, objsubid) AS name FROM pg_depend
			WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
				AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpustr'))
		SELECT name, obj_description(objid, classid::regclass::name), CASE classid
			WHEN 'pg_proc'::regclass THEN (SELECT concat_ws(E'\n', pg_get_functiondef(p.oid), prosrc, proacl, proallargtypes, proargmodes,
					proargnames, i.initprivs, pg_get_userbyid(proowner))
				FROM pg_proc p LEFT JOIN pg_init_privs i ON i.classoid = classid AND i.objoid = p.oid WHERE p.oid = objid)
			WHEN 'pg_class'::regclass THEN (SELECT concat_ws(E'\n', pg_get_viewdef(c.oid), relacl, i.initprivs, pg_get_userbyid(relowner),
					(SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
						FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0))
				FROM pg_class c LEFT JOIN pg_init_privs i ON i.classoid = classid AND i.objoid = c.oid WHERE c.oid = objid)
			END
		FROM member WHERE classid <> 'pg_type'::regclass ORDER BY 1;
		SELECT nspacl FROM pg_namespace WHERE nspname = 'gpustr';
		SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend WHERE refclassid = 'pg_extension'::regclass
			AND deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpustr') ORDER BY 1;
		SELECT extversion, extrelocatable, extnamespace::regnamespace, extconfig FROM pg_extension WHERE extname = 'gpustr';
	});
}

# What docs/upgrading.md has in that section in blocks of that language, sh or sql
sub documented
{
	my ($section, $language) = @_;
	my ($text) = slurp_file("$GpustrTest::top/docs/upgrading.md") =~ /^##? \Q$section\E\n(.*?)(?:^## |\z)/ms;

	return join '', $text =~ /^ *```$language\n(.*?)^ *```/msg;
}

# Run a command of the shell in that folder; true if it did what it should, and what it said
sub shell
{
	my ($folder, $command, %environment) = @_;
	my ($out, $err) = ('', '');
	local %ENV = (%ENV, %environment);

	print "# $command\n";
	my $ok = IPC::Run::run([ 'bash', '-c', "cd '$folder' && $command" ], '<', \undef, '>', \$out, '2>', \$err);
	return ($ok, "$out$err");
}

# What psql makes of a file of sql/ is what expected/ has
sub golden_ok
{
	my ($node, $own, $db, $what) = @_;
	my $expected = slurp_file("$GpustrTest::top/expected/golden.out");
	my ($out, $err) = ('', '');

	$node->run_log([ "$own->{install_path}/bin/psql", '-X', '-a', '-q', '-d', $node->connstr($db),
			'-f', "$GpustrTest::top/sql/golden.sql" ], '>', \$out, '2>', \$err);
	ok($out eq $expected && $err eq '', "$what: no value has changed") or diag($err);
}

# A cluster of that installation, with a device process of the host engine, and
# nothing but what it starts with.
sub node_of
{
	my ($own, $name, %setting) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $own->{install_path});

	$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
	configure($node, 'shared_preload_libraries' => 'gpustr', 'gpustr.devices' => 'host', %setting);
	return $node;
}

sub write_file
{
	my ($path, $text) = @_;

	open(my $fh, '>', $path) or die "$path: $!";
	print $fh $text;
	close $fh or die "$path: $!";
}

# A library in place of gpustr.so that has these C functions and no others, of this
# major of PostgreSQL or of another one.  Each function answers NULL.
sub new_library
{
	my ($path, $other_major, @functions) = @_;
	my $source = temp_folder . '/library.c';
	my $magic = "PG_MODULE_MAGIC;\n";

	# the version is the block's second int in all majors
	$magic = q{
#undef PG_MAGIC_FUNCTION_NAME
#define PG_MAGIC_FUNCTION_NAME own_magic
PG_MODULE_MAGIC;
extern PGDLLEXPORT const Pg_magic_struct *Pg_magic_func(void);
const Pg_magic_struct *
Pg_magic_func(void)
{
	static Pg_magic_struct magic;

	magic = *own_magic();
	((int *) &magic)[1] = 1400;
	return &magic;
}
} if $other_major;
	write_file($source, "#include \"postgres.h\"\n#include \"fmgr.h\"\n$magic"
		  . join('', map { "PG_FUNCTION_INFO_V1($_);\nDatum\n$_(PG_FUNCTION_ARGS)\n{\n\tPG_RETURN_NULL();\n}\n" } @functions));
	system_or_bail('cc', '-shared', '-fPIC', '-w', '-I' . pg_config('includedir-server'), '-o', $path, $source);
}

1;
