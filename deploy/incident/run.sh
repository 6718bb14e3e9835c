#!/bin/sh
# The incident with the real agent programs, below the inits under test.
# Installs the pinned packages when they are missing, then hands over to
# incident.js; "run.sh --help" lists the options.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
stamp=$here/node_modules/.installed

fail() {
	echo "incident: $*" >&2
	exit 2
}

install_packages() {
	echo "incident: installing the pinned packages" >&2
	(cd "$here" && timeout 300 npm ci) >&2 || fail "npm ci failed"
	# With install scripts off nobody else makes the daemon executable.
	chmod 0755 "$here"/node_modules/@sandbox-agent/cli-linux-*/bin/sandbox-agent
	cp "$here/package-lock.json" "$stamp"
}

for option; do
	case $option in
	-h | --help) exec node "$here/incident.js" --help ;;
	esac
done

"$here/../packages.sh" need incident || exit 2
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
	fail "node $(node -v) is too old: 20 or newer is needed"

cmp -s "$here/package-lock.json" "$stamp" || install_packages
exec node "$here/incident.js" "$@"
