#!/bin/sh
# What the targets of the Makefile need beside Go and make, in one list.
#
#   packages.sh need TARGET          end with 1 and one line if something is missing
#   packages.sh install TARGET...    install what is missing, by apt-get; `all` is for every target
#
# The last target's needs, `ci`, are those of .ci/run itself. A name with a slash is a file, any other a command.
set -eu

# NAME PACKAGE-OF-DEBIAN TARGET...
list='git                                git              test
cc                                 gcc              test race soak
/usr/include/stdio.h               libc6-dev        test race soak
setsid                             util-linux       test incident
nsenter                            util-linux       test
script                             bsdutils         test
bash                               bash             test e2e
top                                procps           test
less                               less             test
vi                                 vim-tiny         test
groff                              groff-base       test
mandoc                             mandoc           test
tini                               tini             test incident
dumb-init                          dumb-init        test
catatonit                          catatonit        test
dockerd                            docker.io        e2e
docker                             docker.io        e2e
containerd                         containerd       e2e
runc                               runc             e2e
docker-compose                     docker-compose   e2e
busybox                            busybox-static   e2e
tini-static                        tini             e2e
ldd                                libc-bin         e2e
mount                              mount            e2e
cmp                                diffutils        e2e
python3                            python3          examples
node                               nodejs           examples incident
npm                                npm              incident
unshare                            util-linux       incident
qemu-aarch64-static                qemu-user-static release-test
shellcheck                         shellcheck       ci
/etc/ssl/certs/ca-certificates.crt ca-certificates  ci'

there() {
	case $1 in
	*/*) [ -e "$1" ] ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# missing TARGET... sets names and packages.
missing() {
	names='' packages=''
	while read -r name package targets; do
		for target; do
			case " $targets all " in *" $target "*) ;; *) continue ;; esac
			if there "$name"; then continue; fi
			case ", $names, " in *", $name, "*) ;; *) names=${names:+$names, }$name ;; esac
			case " $packages " in *" $package "*) ;; *) packages=${packages:+$packages }$package ;; esac
		done
	done <<END
$list
END
}

need() {
	missing "$1"
	[ -n "$names" ] || return 0
	verb=is for=''
	case $names in *,*) verb=are ;; esac
	[ "$1" = test ] || for=" FOR=$1"
	echo "make $1: $names $verb not installed: run \"make packages$for\" as root (Debian: apt-get install $packages)" >&2
	exit 1
}

install() {
	missing "$@"
	[ -n "$packages" ] || return 0
	if ! command -v apt-get >/dev/null; then
		echo "make packages: there is no apt-get here; $names not installed (Debian's packages: $packages)" >&2
		exit 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		echo "make packages: only root can install $packages" >&2
		exit 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q
	# shellcheck disable=SC2086 # names of packages
	apt-get install -y -q --no-install-recommends $packages
}

usage() {
	echo "usage: packages.sh need TARGET | install TARGET..." >&2
	exit 2
}

[ $# -ge 2 ] || usage
action=$1
shift
case $action in
need | install) "$action" "$@" ;;
*) usage ;;
esac
