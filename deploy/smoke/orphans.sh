#!/bin/sh
# The orphan-count smoke test: how many live processes has a container's PID 1 adopted?
#
#   orphans.sh CONTAINER [NAME]
#
# It prints the number, and exits with 1 if there are more than MAX (0), then with their PIDs and command lines on
# standard error; with 2 if it could not look. NAME is a glob: counted are those that have it in their name or command
# line. Run it in CI after an agent's teardown, once the graces are over:
#
#   MAX=0 deploy/smoke/orphans.sh my-sandbox claude-agent-acp
#
# ENGINE is the program whose `exec` enters the container: docker (the default), podman, nerdctl, or kubectl with a pod
# for CONTAINER. The container has to have a `sh`, and nothing else: no ps, no cat. PID 1 may be any init that starts
# one program; what it started first is the main program, which is no orphan, like the workers of sbinit's own terminal
# sessions. Zombies do not count: they are dead.
set -eu

# In the container. Only builtins of sh, which leave out the NULs between the arguments in /proc/PID/cmdline.
# shellcheck disable=SC2016 # expanded there
inside='
name=$1 children= oldest= born= count=0 list=
older() { # STARTTIME PID: than the oldest so far, by clock ticks; within one the lower PID is
  [ -z "$born" ] || [ "$1" -lt "$born" ] || { [ "$1" -eq "$born" ] && [ "$2" -lt "$oldest" ]; }
}
load() { # the lines of standard input, as one
  while IFS= read -r line || [ "$line" ]; do all="$all$line "; done
}
for dir in /proc/[0-9]*; do
  all=
  load 2>/dev/null <"$dir/stat"
  [ "$all" ] || continue # it has ended
  set -- ${all##*") "} # from the third field on, proc(5): state, ppid, ... starttime
  [ "$2" = 1 ] || continue
  pid=${dir#/proc/}
  if older "${20}" "$pid"; then
    oldest=$pid born=${20}
  fi
  case $1 in Z | X) ;; *) children="$children $pid" ;; esac
done
for pid in $children; do
  [ "$pid" != "$oldest" ] || continue
  dir=/proc/$pid
  all=
  load 2>/dev/null <"$dir/cmdline"
  case $all in sbinit-worker*) [ "$dir/exe" -ef /proc/1/exe ] && continue ;; esac
  load 2>/dev/null <"$dir/comm"
  case $all in *$name*) ;; *) continue ;; esac
  count=$((count + 1))
  list="$list
$pid $all"
done
echo "$count$list"
'

fail() {
  echo "orphans.sh: $1" >&2
  exit 2
}

[ $# -eq 1 ] || [ $# -eq 2 ] || fail "usage: orphans.sh CONTAINER [NAME]"
max=${MAX:-0}
case $max in *[!0-9]*) fail "MAX=$max is no number" ;; esac

engine=${ENGINE:-docker}
case $engine in
  *kubectl) found=$("$engine" exec "$1" -- sh -c "$inside" sh "${2:-}") || fail "cannot look into $1" ;;
  *) found=$("$engine" exec "$1" sh -c "$inside" sh "${2:-}") || fail "cannot look into $1" ;;
esac
count=${found%%
*}
case $count in '' | *[!0-9]*) fail "no number came from $1: $found" ;; esac

echo "$count"
[ "$count" -gt "$max" ] || exit 0
echo "orphans.sh: $1 has $count orphans, allowed are $max:" >&2
echo "$found" | sed 1d >&2
exit 1
