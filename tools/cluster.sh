# shellcheck shell=bash
#
# cluster.sh
#	Shared by test/run and test/demo/run: install what is missing, build,
#	and run a private PostgreSQL cluster as an unprivileged user.
#
# Sourced from the top of the source tree, under "set -euo pipefail".  The
# cluster listens on a Unix socket in its own folder only.  Whoever sources
# this calls cluster_begin NAME first; from then on an exit of any kind stops
# the server and, unless KEEP=1 is set, removes the folder, $WORK.
#
# From the environment, all optional:
#	PG_CONFIG			which PostgreSQL; default: pg_config, else Debian's 15
#	GPUSTR_RUNAS		a command that runs its arguments as an unprivileged
#						user; default: as root, user postgres through runuser;
#						else nothing
#	GPUSTR_DEVICES		value of gpustr.devices for the cluster
#	GPUSTR_INSTALLED=yes	gpustr is installed already: build nothing
#	KEEP=1				keep the cluster's folder
#
# A caller that sets LEAVE_RUNNING leaves server and folder behind on purpose.

PG_MAJOR=15

say()
{
	printf '==> %s\n' "$*"
}

die()
{
	printf 'error: %s\n' "$*" >&2
	exit 1
}

is_root()
{
	[ "$(id -u)" -eq 0 ]
}

# Set PG_CONFIG, PG_BINDIR, PG_PGXS where there is a PostgreSQL to build for.
find_postgres()
{
	local candidate

	for candidate in "${PG_CONFIG:-pg_config}" "/usr/lib/postgresql/$PG_MAJOR/bin/pg_config"; do
		if { [ -n "${GPUSTR_INSTALLED:-}" ] || [ -f "$("$candidate" --pgxs 2>/dev/null)" ]; } &&
			[ -x "$("$candidate" --bindir)/postgres" ]; then
			export PG_CONFIG=$candidate
			PG_BINDIR=$("$candidate" --bindir)
			# shellcheck disable=SC2034
			PG_PGXS=$(dirname "$(dirname "$(dirname "$("$candidate" --pgxs)")")")
			return 0
		fi
		# one that was asked for by name is not replaced
		if [ "${PG_CONFIG:-pg_config}" != pg_config ]; then
			die "\"$PG_CONFIG\" names no PostgreSQL with server and PGXS"
		fi
	done
	return 1
}

# Install the Debian packages that are missing of those named as COMMAND:PACKAGE
# or perl=MODULE:PACKAGE.
install_missing()
{
	local pair module missing=()
	local common=/etc/postgresql-common/createcluster.d/gpustr-build.conf

	if ! find_postgres; then
		missing+=("postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR")
	fi
	for pair in "$@"; do
		case $pair in
			perl=*)
				module=${pair#perl=}
				# the unprivileged user may not exist yet
				${GPUSTR_RUNAS:-} perl -M"${module%:*}" -e1 2>/dev/null ||
					missing+=("${pair##*:}")
				;;
			*) command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}") ;;
		esac
	done
	if [ ${#missing[@]} -gt 0 ]; then
		command -v apt-get >/dev/null || die "missing, and this is no Debian to install it on: ${missing[*]}"
		is_root || die "missing: run \"sudo apt-get install ${missing[*]}\" first"
		say "installing ${missing[*]}"
		# a fresh server package would start a cluster of its own
		mkdir -p "$(dirname $common)"
		echo 'create_main_cluster = false' >$common
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			"${missing[@]}" >/dev/null
		rm -f $common
		find_postgres || die "no PostgreSQL $PG_MAJOR with server and PGXS after installing it"
	fi
	say "PostgreSQL: $("$PG_CONFIG" --version) ($PG_BINDIR)"
}

# Run a command as the unprivileged user.
as_user()
{
	if [ -n "${GPUSTR_RUNAS:-}" ]; then
		$GPUSTR_RUNAS "$@"
	elif is_root; then
		runuser -u postgres -- env HOME="$WORK" "$@"
	else
		"$@"
	fi
}

# Build and install the extension.
build_and_install()
{
	local dir has_nvcc=no

	dir=$("$PG_CONFIG" --pkglibdir)
	if [ -n "${GPUSTR_INSTALLED:-}" ]; then
		[ -f "$dir/gpustr.so" ] || die "GPUSTR_INSTALLED is set, but there is no $dir/gpustr.so"
		say "gpustr is installed: $dir/gpustr.so"
		return
	fi
	[ -w "$dir" ] || die "cannot install to $dir: run as root, or set PG_CONFIG to a PostgreSQL of your own"
	[ -x "${NVCC:-${CUDA_HOME:-/usr/local/cuda}/bin/nvcc}" ] && has_nvcc=yes
	if [ "${WITH_CUDA:-$has_nvcc}" = yes ]; then
		say "building gpustr.so, and gpustr_cuda.so with nvcc (minutes the first time)"
	else
		say "building gpustr.so (no nvcc, or WITH_CUDA=no: without the CUDA engine)"
	fi
	make -j"$(nproc)" all >"$WORK/build.log" 2>&1 || {
		tail -n 60 "$WORK/build.log" >&2
		die "the build failed"
	}
	make install >>"$WORK/build.log" 2>&1 || {
		tail -n 20 "$WORK/build.log" >&2
		die "the installation failed"
	}
}

# Make the folder that everything lives in, and see to its end.
cluster_begin()
{
	WORK=$(mktemp -d "/tmp/$1.XXXXXX")
	PGDATA=$WORK/data
	PGPORT=5432
	trap cluster_end EXIT
	trap 'exit 130' INT TERM HUP
}

# Hand the folder to the unprivileged user.
give_work_to_user()
{
	local user

	is_root || return 0
	if [ -n "${GPUSTR_RUNAS:-}" ]; then
		user=$($GPUSTR_RUNAS id -un)
	else
		user=postgres
		id postgres >/dev/null 2>&1 || die "no user postgres to run the server as: set GPUSTR_RUNAS"
	fi
	chown -R "$user" "$WORK"
}

# cluster_start CONF: initdb with CONF appended, start, wait.
cluster_start()
{
	give_work_to_user
	as_user "$PG_BINDIR/initdb" -D "$PGDATA" -U postgres -A trust -E UTF8 \
		--locale=C.UTF-8 --no-sync >"$WORK/initdb.log" 2>&1 || {
		cat "$WORK/initdb.log" >&2
		die "initdb failed"
	}
	as_user tee -a "$PGDATA/postgresql.conf" <"$1" >/dev/null
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$WORK'"
		echo "port = $PGPORT"
		[ -z "${GPUSTR_DEVICES:-}" ] || echo "gpustr.devices = '$GPUSTR_DEVICES'"
	} | as_user tee -a "$PGDATA/postgresql.conf" >/dev/null
	as_user "$PG_BINDIR/pg_ctl" -D "$PGDATA" -w -t 60 -l "$WORK/server.log" start \
		>"$WORK/pg_ctl.log" 2>&1 || {
		cat "$WORK/pg_ctl.log" "$WORK/server.log" >&2
		die "the server did not start"
	}
}

cluster_stop()
{
	if [ -f "$PGDATA/postmaster.pid" ]; then
		as_user "$PG_BINDIR/pg_ctl" -D "$PGDATA" -w -t 60 -m "${1:-fast}" stop >/dev/null 2>&1 || true
	fi
}

# Pids of processes that live in a data directory under $WORK.
cluster_leftovers()
{
	local proc

	for proc in /proc/[0-9]*; do
		case $(readlink "$proc/cwd" 2>/dev/null || true) in
			"$WORK"/*) basename "$proc" ;;
		esac
	done
}

# On exit: stop, remove.
cluster_end()
{
	local status=$? pid

	trap - EXIT
	cd /
	[ -z "${LEAVE_RUNNING:-}" ] || exit $status
	cluster_stop immediate
	for pid in $(cluster_leftovers); do
		kill -9 "$pid" 2>/dev/null || true
	done
	[ -n "${KEEP:-}" ] || rm -rf "$WORK"
	exit $status
}

# sql DATABASE [psql option...]: psql on the cluster, quietly, stopping at errors
sql()
{
	local database=$1

	shift
	as_user "$PG_BINDIR/psql" -X -q -v ON_ERROR_STOP=1 -h "$WORK" -p "$PGPORT" \
		-U postgres -d "$database" "$@"
}

# wait_for_device DATABASE SECONDS: until a device process is up there.  False
# if none is by then, or as soon as every one has found no device.
wait_for_device()
{
	local i

	for ((i = 0; i < $2 * 10; i++)); do
		case $(sql "$1" -At -c "SELECT CASE WHEN bool_or(state = 'up') THEN 'up'
				WHEN bool_and(state = 'absent') THEN 'none' END FROM gpustr.devices()") in
			up) return 0 ;;
			none) return 1 ;;
		esac
		sleep 0.1
	done
	return 1
}
