package differential

import "golang.org/x/sys/unix"

// onDumbInit marks rows that are dumb-init's alone.
func onDumbInit(rows ...scenario) []scenario { return mark(dumbInit, rows) }

var ofDumbInit = onDumbInit(
	scenario{name: "--version", options: []string{"--version"}, play: tellsVersion, differs: []difference{
		{fact: "stderr", theirs: "dumb-init vN", ours: "dumb-init vN (sbinit N)", why: versionLine},
	}},
	scenario{name: "-V", options: []string{"-V"}, play: tellsVersion, differs: []difference{
		{fact: "stderr", theirs: "dumb-init vN", ours: "dumb-init vN (sbinit N)", why: versionLine},
	}},
	scenario{name: "--help", options: []string{"--help"}, play: speaks},
	scenario{name: "options after the program", program: []string{"echo", "-n", "-g"}, play: ends},
	scenario{name: "-v", options: []string{"-v"}, program: sh("exit 3"), play: speaks},
	scenario{name: "DUMB_INIT_DEBUG=1", env: []string{"DUMB_INIT_DEBUG=1"}, program: sh("exit 3"), play: speaks},
	scenario{name: "DUMB_INIT_DEBUG=0", env: []string{"DUMB_INIT_DEBUG=0"}, program: sh("exit 3"), play: speaks},

	scenario{name: "-c", options: []string{"-c"}, program: twoRecords, play: forwardsToGroup(unix.SIGTERM)},
	scenario{name: "--single-child", options: []string{"--single-child"}, program: twoRecords, play: forwardsToGroup(unix.SIGTERM)},
	scenario{name: "DUMB_INIT_SETSID=0", env: []string{"DUMB_INIT_SETSID=0"}, program: twoRecords, play: forwardsToGroup(unix.SIGTERM)},
	scenario{name: "DUMB_INIT_SETSID=1", env: []string{"DUMB_INIT_SETSID=1"}, program: twoRecords, play: forwardsToGroup(unix.SIGTERM)},
	scenario{name: "DUMB_INIT_SETSID=nonsense", env: []string{"DUMB_INIT_SETSID=nonsense"}, program: record, play: placed},
	scenario{name: "place with -c", options: []string{"-c"}, program: record, play: placed, differs: []difference{
		{fact: "group", theirs: "the init's", ours: "its own", why: ownGroup},
	}},
	scenario{name: "place with -c on a terminal", options: []string{"-c"}, program: record, setup: onTerminal, play: placed, differs: []difference{
		{fact: "group", theirs: "the init's", ours: "its own", why: ownGroup},
	}},
	scenario{name: "the rest at the end as a child with -c", options: []string{"-c"}, program: leftBehind, setup: asChild, play: leaves},

	scenario{name: "-r 15:2", options: []string{"-r", "15:2"}, program: record, play: forwards(unix.SIGTERM, unix.SIGUSR1)},
	scenario{name: "-r 15:0", options: []string{"-r", "15:0"}, program: record, play: forwards(unix.SIGTERM, unix.SIGUSR1)},
	scenario{name: "--rewrite 10:12 -r 12:10", options: []string{"--rewrite", "10:12", "-r", "12:10"}, program: record,
		play: forwards(unix.SIGUSR1)},
	scenario{name: "-r 15:2 -r 15:3", options: []string{"-r", "15:2", "-r", "15:3"}, program: record, play: forwards(unix.SIGTERM)},
	scenario{name: "-r x", options: []string{"-r", "x"}, program: sh("exit 3"), play: speaks},
	scenario{name: "-r 15", options: []string{"-r", "15"}, program: sh("exit 3"), play: speaks},
	scenario{name: "-r 99:1", options: []string{"-r", "99:1"}, program: sh("exit 3"), play: speaks},
	scenario{name: "-r TERM:INT", options: []string{"-r", "TERM:INT"}, program: sh("exit 3"), play: speaks, differs: []difference{
		{fact: "status", theirs: "status 1", ours: "status 3", why: moreOptions},
		{fact: "stderr", theirs: "something", ours: "nothing", why: moreOptions},
	}},
	scenario{name: "-r 40:1", options: []string{"-r", "40:1"}, program: sh("exit 3"), play: speaks, differs: []difference{
		{fact: "status", theirs: "status 1", ours: "status 3", why: moreOptions},
		{fact: "stderr", theirs: "something", ours: "nothing", why: moreOptions},
	}},
	scenario{name: "-r without a pair", options: []string{"-r"}, play: speaks},

	scenario{name: "TSTP", program: record, play: suspends(unix.SIGTSTP)},
	scenario{name: "TTIN", program: record, play: suspends(unix.SIGTTIN)},
	scenario{name: "TSTP as a child", program: record, setup: asChild, play: suspends(unix.SIGTSTP)},
	scenario{name: "TTIN as a child", program: record, setup: asChild, play: suspends(unix.SIGTTIN)},
	scenario{name: "TTOU as a child", program: record, setup: asChild, play: suspends(unix.SIGTTOU)},
	scenario{name: "TSTP as a child with -c", options: []string{"-c"}, program: record, setup: asChild, play: suspends(unix.SIGTSTP)},
	scenario{name: "TSTP as a child with -r 20:20", options: []string{"-r", "20:20"}, program: record, setup: asChild,
		play: suspends(unix.SIGTSTP)},
	scenario{name: "ctrl-Z below a shell", program: []string{"--", "$TOOL", "answer"}, setup: childOnTerminal,
		shell: `set -m; "$@"; read -r line`, play: stopsByKey},
	scenario{name: "interactive shell as a child", program: []string{"--", "sh", "-i"}, setup: childOnTerminal, play: converses},
)
