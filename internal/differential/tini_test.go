package differential

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// onTini marks rows that are tini's alone.
func onTini(rows ...scenario) []scenario { return mark(tini, rows) }

var ofTini = onTini(
	scenario{name: "docker's version probe", options: []string{"--version"}, play: tellsVersion, differs: []difference{
		{fact: "stdout", theirs: "tini version N\n", ours: "tini version N (sbinit N)\n", why: versionLine},
	}},
	scenario{name: "--help", options: []string{"--help"}, play: speaks, differs: []difference{
		{fact: "status", theirs: "status 1", ours: "status 0", why: moreOptions},
		{fact: "stdout", theirs: "nothing", ours: "something", why: moreOptions},
		{fact: "stderr", theirs: "something", ours: "nothing", why: moreOptions},
	}},
	scenario{name: "-l", options: []string{"-l"}, play: speaks},
	scenario{name: "options after the program", program: []string{"echo", "-n", "-g"}, play: speaks, differs: []difference{
		{fact: "status", theirs: "status 1", ours: "status 0", why: argumentsAfter},
		{fact: "stdout", theirs: "nothing", ours: "something", why: argumentsAfter},
		{fact: "stderr", theirs: "something", ours: "nothing", why: argumentsAfter},
	}},

	scenario{name: "-e 143", options: []string{"-e", "143"}, program: []string{"--", "$TOOL", "die", "15"}, play: ends},
	scenario{name: "-e3 -e5", options: []string{"-e3", "-e5"}, program: sh("exit 5"), play: ends},
	scenario{name: "-e of another status", options: []string{"-e", "143"}, program: sh("exit 3"), play: ends},
	scenario{name: "-e 256", options: []string{"-e", "256"}, program: sh("exit 3"), play: speaks},
	scenario{name: "-e -1", options: []string{"-e", "-1"}, program: sh("exit 3"), play: speaks},
	scenario{name: "-e TERM", options: []string{"-e", "TERM"}, program: sh("exit 3"), play: speaks},
	scenario{name: "-e without a code", options: []string{"-e"}, play: speaks},

	scenario{name: "-p SIGTERM", options: []string{"-p", "SIGTERM"}, program: record, setup: asChild,
		shell: `"$@" & wait`, play: losesParent},
	scenario{name: "-p SIGUSR2", options: []string{"-p", "SIGUSR2"}, program: record, setup: asChild,
		shell: `"$@" & wait`, play: losesParent},
	scenario{name: "no -p", program: record, setup: asChild, shell: `"$@" & wait`, play: losesParent},
	scenario{name: "-p SIGNONSENSE", options: []string{"-p", "SIGNONSENSE"}, program: sh("exit 3"), play: speaks},
	scenario{name: "-p TERM", options: []string{"-p", "TERM"}, program: sh("exit 3"), play: speaks, differs: []difference{
		{fact: "status", theirs: "status 1", ours: "status 3", why: moreOptions},
		{fact: "stderr", theirs: "something", ours: "nothing", why: moreOptions},
	}},

	scenario{name: "-g", options: []string{"-g"}, program: twoRecords, play: forwardsToGroup(unix.SIGTERM)},
	scenario{name: "TINI_KILL_PROCESS_GROUP", env: []string{"TINI_KILL_PROCESS_GROUP="}, program: twoRecords,
		play: forwardsToGroup(unix.SIGTERM)},

	scenario{name: "log line", program: sh("exit 3"), shell: below, play: logs, differs: []difference{
		{fact: "log line", theirs: "[WARN  tini", ours: "sbinit", why: ownLog},
	}},
	scenario{name: "not PID 1, -s", options: []string{"-s"}, program: sh("exit 3"), shell: below, play: speaks},
	scenario{name: "not PID 1, TINI_SUBREAPER", env: []string{"TINI_SUBREAPER="}, program: sh("exit 3"), shell: below, play: speaks},
	scenario{name: "zombies with -w", options: []string{"-w"}, program: litter, play: reports},
	scenario{name: "zombies with -w, TINI_VERBOSITY=0", options: []string{"-w"}, env: []string{"TINI_VERBOSITY=0"}, program: litter, play: reports},
	scenario{name: "zombies as a child with -sw", options: []string{"-sw"}, program: litter, shell: below, play: reports},
	scenario{name: "orphan as a child with -s", options: []string{"-s"}, program: withOrphan, env: atOnce, setup: asChild, play: keepsOrphan},
	scenario{name: "the rest at the end as a child with -s", options: []string{"-s"}, program: leftBehind, setup: asChild, play: leaves},

	scenario{name: "-v", options: []string{"-v"}, program: sh("exit 3"), play: speaks, differs: []difference{
		{fact: "stdout", theirs: "something", ours: "nothing", why: ownLog},
		{fact: "stderr", theirs: "nothing", ours: "something", why: ownLog},
	}},
	scenario{name: "-vvv", options: []string{"-vvv"}, program: sh("exit 3"), play: speaks, differs: []difference{
		{fact: "stdout", theirs: "something", ours: "nothing", why: ownLog},
		{fact: "stderr", theirs: "nothing", ours: "something", why: ownLog},
	}},
	scenario{name: "not PID 1, TINI_VERBOSITY=0", env: []string{"TINI_VERBOSITY=0"}, program: sh("exit 3"), shell: below, play: speaks},
	scenario{name: "TINI_VERBOSITY=2", env: []string{"TINI_VERBOSITY=2"}, program: sh("exit 3"), play: speaks, differs: []difference{
		{fact: "stdout", theirs: "something", ours: "nothing", why: ownLog},
		{fact: "stderr", theirs: "nothing", ours: "something", why: ownLog},
	}},
	scenario{name: "TINI_VERBOSITY=nonsense", env: []string{"TINI_VERBOSITY=nonsense"}, program: sh("exit 3"), play: ends},

	scenario{name: "TSTP", program: record, play: forwards(unix.SIGTSTP)},
	scenario{name: "TTIN and TTOU", program: record, play: forwards(unix.SIGTTIN, unix.SIGTTOU), differs: []difference{
		{fact: "signals", theirs: "", ours: "21-22", why: everySignal},
	}},
	scenario{name: "TSTP, TTIN and TTOU as a child", program: record, setup: asChild, play: forwards(jobControl...), differs: []difference{
		{fact: "signals", theirs: "20", ours: "20-22", why: everySignal},
	}},
	scenario{name: "ctrl-Z as PID 1", program: []string{"--", "$TOOL", "answer"}, setup: onTerminal, play: isStopped, differs: []difference{
		{fact: "stays stopped", theirs: "true", ours: "false", why: keyStop},
	}},
	scenario{name: "ctrl-Z below a shell", program: []string{"--", "$TOOL", "answer"}, setup: childOnTerminal,
		shell: `set -m; "$@"; read -r line`, play: stopsByKey, differs: []difference{
			{fact: "init stops", theirs: "false", ours: "true", why: keyStop},
		}},
	scenario{name: "in the background of a terminal", program: record, setup: childOnTerminal,
		shell: `set -m; "$@" & wait`, play: placed, differs: []difference{
			{fact: "foreground", theirs: "the program", ours: "another", why: background},
		}},
	scenario{name: "stdin is a pipe, stdout a terminal", program: record,
		setup: testns.Options{Stdin: testns.Pipe, Stdout: testns.Terminal}, play: placed},
)
