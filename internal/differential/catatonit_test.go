package differential

import "golang.org/x/sys/unix"

// onCatatonit marks rows that are catatonit's alone.
func onCatatonit(rows ...scenario) []scenario { return mark(catatonit, rows) }

var ofCatatonit = onCatatonit(
	scenario{name: "podman's version probe", options: []string{"--version"}, play: tellsVersion, differs: []difference{
		{fact: "stdout", theirs: "tini version N_catatonit\n", ours: "tini version N_catatonit (sbinit N)\n", why: versionLine},
	}},
	scenario{name: "-V", options: []string{"-V"}, play: tellsVersion, differs: []difference{
		{fact: "stdout", theirs: "tini version N_catatonit\n", ours: "tini version N_catatonit (sbinit N)\n", why: versionLine},
	}},
	scenario{name: "--help", options: []string{"--help"}, play: speaks, differs: []difference{
		{fact: "status", theirs: "status 1", ours: "status 0", why: moreOptions},
	}},
	scenario{name: "-L", options: []string{"-L"}, play: speaks},
	scenario{name: "options after the program", program: []string{"echo", "-n", "-g"}, play: speaks, differs: []difference{
		{fact: "status", theirs: "status 1", ours: "status 0", why: argumentsAfter},
		{fact: "stdout", theirs: "nothing", ours: "something", why: argumentsAfter},
		{fact: "stderr", theirs: "something", ours: "nothing", why: argumentsAfter},
	}},
	scenario{name: "-g", options: []string{"-g"}, program: twoRecords, play: forwardsToGroup(unix.SIGTERM)},
	scenario{name: "TSTP, TTIN and TTOU", program: record, play: forwards(jobControl...), differs: []difference{
		{fact: "signals", theirs: "", ours: "20-22", why: everySignal},
	}},
	scenario{name: "TSTP, TTIN and TTOU as a child", program: record, setup: asChild, play: forwards(jobControl...), differs: []difference{
		{fact: "signals", theirs: "", ours: "20-22", why: everySignal},
	}},
	scenario{name: "in the background of a terminal", program: record, setup: childOnTerminal,
		shell: `set -m; "$@" & wait`, play: placed, differs: []difference{
			{fact: "foreground", theirs: "the program", ours: "another", why: background},
		}},

	scenario{name: "-P and TERM", options: []string{"-P"}, play: pauses(unix.SIGTERM)},
	scenario{name: "-P and INT", options: []string{"-P"}, play: pauses(unix.SIGINT)},
	scenario{name: "-P with a program", options: []string{"-P"}, program: sh("exit 3"), play: pauses(unix.SIGTERM)},
)
