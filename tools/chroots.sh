# shellcheck shell=bash
#
# chroots.sh
#	Shared by tools/check-versions and tools/check-upgrade: Debians of their own
#	for the majors of PostgreSQL that this one has not.
#
# Sourced from the top of the source tree, under "set -euo pipefail".  The chroots are made by debootstrap (minutes)
# where they are not there yet, and kept: 2 GB each.
#
# From the environment, all optional:
#	CHROOTS			where they are, each under its major's number; default:
#					/var/tmp/gpustr-chroots
#	DEBIAN_MIRROR	default: http://deb.debian.org/debian
#	STALE_MIRROR=yes	apt takes lists whose time is up, as a mirror that is not
#					brought up to date has them; signatures are checked all the same

CHROOTS=${CHROOTS:-/var/tmp/gpustr-chroots}
MIRROR=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
# what the tests need in there: contrib comes with the server
CHROOT_PACKAGES=ca-certificates,gcc,make,perl,libipc-run-perl,python3,procps,locales

# which Debian has which major
declare -A SUITE_OF=([15]=bookworm [17]=trixie [18]=sid)

# make_chroot MAJOR: unless it is there; a half-made one has another name
make_chroot()
{
	local root=$CHROOTS/$1 suite=${SUITE_OF[$1]}

	[ -d "$root" ] && return 0
	command -v debootstrap >/dev/null || {
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
	}
	echo "==> PostgreSQL $1: making $root ($suite)"
	mkdir -p "$CHROOTS"
	rm -rf "$root.new"
	debootstrap --variant=minbase \
		--include="$CHROOT_PACKAGES,postgresql-$1,postgresql-server-dev-$1" \
		"$suite" "$root.new" "$MIRROR" >"$CHROOTS/$1.debootstrap.log" 2>&1 || {
		tail -n 20 "$CHROOTS/$1.debootstrap.log"
		return 1
	}
	mv "$root.new" "$root"
}

# add_major MAJOR OLDER: PostgreSQL OLDER in the chroot of MAJOR, from the Debian that
# has it, beside the other one; without a cluster
add_major()
{
	local root=$CHROOTS/$1 log=$CHROOTS/$1.add-$2.log stale=no status=0
	local conf=$root/etc/postgresql-common/createcluster.d/gpustr.conf list=$root/etc/apt/sources.list.d/gpustr.list

	[ -x "$root/usr/lib/postgresql/$2/bin/postgres" ] && [ -d "$root/usr/lib/postgresql/$2/lib/pgxs" ] && return 0
	echo "==> PostgreSQL $1: installing PostgreSQL $2 of ${SUITE_OF[$2]} beside it"
	[ "${STALE_MIRROR:-}" != yes ] || stale=yes
	echo "deb $MIRROR ${SUITE_OF[$2]} main" >"$list"
	mkdir -p "$(dirname "$conf")"
	echo 'create_main_cluster = false' >"$conf"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	# shellcheck disable=SC2016
	in_chroot "$root" bash -c '
		[ "$2" = no ] || stale="-o Acquire::Check-Valid-Until=false"
		export DEBIAN_FRONTEND=noninteractive
		apt-get ${stale:-} -qq update && apt-get install -y -qq --no-install-recommends --no-remove \
			"postgresql-$1" "postgresql-server-dev-$1"
	' add_major "$2" $stale >"$log" 2>&1 || status=$?
	rm -f "$conf" "$list"
	[ $status -eq 0 ] || tail -n 20 "$log"
	return $status
}

# copy_tree FOLDER: the sources, less what a build left in them
copy_tree()
{
	rm -rf "$1"
	mkdir -p "$1"
	tar -cf - --exclude-vcs --exclude='*.o' --exclude='*.bc' --exclude='*.so' \
		--exclude=./.gpu --exclude=test/unit/build . | tar -xf - -C "$1" --no-same-owner
}

# in_chroot ROOT COMMAND...: with processes and mounts that end with it
in_chroot()
{
	local root=$1

	shift
	# shellcheck disable=SC2016
	unshare --mount --propagation private --pid --fork --kill-child -- bash -c '
		set -e
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount -t tmpfs -o mode=755 tmpfs "$root/dev"
		for dev in null zero full random urandom; do
			touch "$root/dev/$dev"
			mount --bind "/dev/$dev" "$root/dev/$dev"
		done
		ln -s /proc/self/fd "$root/dev/fd"
		ln -s /proc/self/fd/0 "$root/dev/stdin"
		ln -s /proc/self/fd/1 "$root/dev/stdout"
		ln -s /proc/self/fd/2 "$root/dev/stderr"
		mkdir -m 1777 "$root/dev/shm"
		mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
		exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 WITH_CUDA=no MAKEFLAGS=with_llvm=no \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
	' in_chroot "$root" "$@" </dev/null
}

passed_all=0
failed_all=0
lines=()

die()
{
	printf 'error: %s\n' "$*" >&2
	echo "$passed_all passed, $((failed_all + 1)) failed"
	exit 1
}

# report LOG TITLE: add up what $CHROOTS/LOG.log says; a line of that title for the end.
# True if nothing has failed.
report()
{
	local line

	line=$(tail -n 1 "$CHROOTS/$1.log" | grep -E '^[0-9]+ passed, [0-9]+ failed$' || true)
	# one that said nothing, or failed without a count, has failed
	if [ -z "$line" ]; then line='0 passed, 1 failed'; fi
	lines+=("$2: $line")
	passed_all=$((passed_all + ${line%% *}))
	line=${line#*, }
	failed_all=$((failed_all + ${line%% *}))
	[ "${line%% *}" -eq 0 ]
}
