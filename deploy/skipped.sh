#!/bin/sh
# What tests were skipped for: a line for each reason, from the file that testns.Refuse
# writes (SBINIT_SKIPPED), if there is one.
set -eu

[ ! -e "$1" ] || awk -F '\t' '
	{ tests[$3]++; packages[$3] += !seen[$3, $1]++ }
	END {
		for (reason in tests)
			printf "make test: %d tests in %d packages were skipped, not possible here: %s\n", tests[reason], packages[reason], reason
	}' "$1"
