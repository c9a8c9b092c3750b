# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Debian packages that freshet needs, and how to get those that are missing. Sourced, not run:
#   . scripts/deps.sh; deps_install build; deps_install tests
# A word `a|b` is met by any of its packages; the first one is what would be installed.

deps_build="libdpdk-dev meson ninja-build pkg-config gcc g++ libnuma-dev libpcap-dev python3"

deps_tests="libgtest-dev libgmock-dev clang clang-format libclang-rt-14-dev shellcheck codespell
	tshark tcpdump iproute2 nftables ethtool iputils-ping procps binutils curl sqlite3
	nginx-light|nginx|nginx-core|nginx-full haproxy squid|squid-openssl
	wrk apache2-utils httperf valgrind python3-scapy"

deps_policy=/usr/sbin/policy-rc.d

deps_installed()
{
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# deps_missing SET: print, one a line, what would have to be installed.
deps_missing()
{
	local word name met

	# shellcheck disable=SC2086 # lists of words
	case $1 in
	build) set -- $deps_build ;;
	tests) set -- $deps_tests ;;
	*) echo "deps: no set '$1'" >&2 && return 2 ;;
	esac
	for word; do
		met=no
		for name in ${word//|/ }; do
			if deps_installed "$name"; then
				met=yes
				break
			fi
		done
		[ $met = yes ] || echo "${word%%|*}"
	done
}

deps_as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

deps_can_root()
{
	[ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

# Install packages with no daemon started: a test machine does not want a proxy on port 3128. The
# policy file is only ours when we made it.
deps_apt()
(
	if [ ! -e "$deps_policy" ]; then
		# shellcheck disable=SC2016 # expanded by the inner shell
		deps_as_root sh -c 'printf "#!/bin/sh\nexit 101\n" >"$1" && chmod 755 "$1"' sh "$deps_policy" ||
			exit
		trap 'deps_as_root rm -f "$deps_policy"' EXIT
	fi
	apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300
		-o Acquire::Retries=3)
	deps_as_root "${apt[@]}" update
	deps_as_root "${apt[@]}" install -y --no-install-recommends "$@"
)

# deps_install SET: nothing when all is there; else install, or name what is missing and return 3.
deps_install()
{
	local missing log

	missing=$(deps_missing "$1") || return
	[ -n "$missing" ] || return 0
	# shellcheck disable=SC2086 # a list of words
	set -- "$1" $missing
	if ! command -v apt-get >/dev/null || ! deps_can_root; then
		echo "deps: missing packages for $1: ${*:2}" >&2
		echo "deps: neither root nor password-less sudo with apt-get: install them by hand" >&2
		return 3
	fi
	echo "deps: installing for $1: ${*:2}"
	log=$(mktemp)
	if deps_apt "${@:2}" >"$log" 2>&1; then
		rm -f "$log"
		return 0
	fi
	tail -n 15 "$log" >&2
	rm -f "$log"
	echo "deps: missing packages for $1: $(deps_missing "$1" | tr '\n' ' ')" >&2
	return 3
}
