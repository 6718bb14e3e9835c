package differential

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

var (
	record     = []string{"--", "$TOOL", "record"}
	twoRecords = sh("$TOOL record & exec $TOOL record")
	withOrphan = sh("$STDIO & exec $TOOL record")
	litter     = sh("$TOOL litter 5; exec $TOOL record")
	leftBehind = sh("trap 'exit 7' USR2; $TOOL record & while :; do wait; done")

	asChild         = testns.Options{NotPID1: true}
	onTerminal      = testns.Options{Stdin: testns.Terminal, Stdout: testns.Terminal, Stderr: testns.Terminal}
	childOnTerminal = testns.Options{Stdin: testns.Terminal, Stdout: testns.Terminal, Stderr: testns.Terminal, NotPID1: true}
	atOnce          = []string{"SBINIT_ORPHAN_GRACE=0", "SBINIT_KILL_GRACE=0", "SBINIT_SCAN_INTERVAL=100ms"}
)

// below is a script that makes the init a child of PID 1, which ends with it: all that was
// said is seen then.
const below = `"$@"; exit $?`

func sh(script string) []string { return []string{"--", "sh", "-c", script} }

// common is what an init does by any name.
var common = []scenario{
	{name: "status 0", program: sh("echo out; exit 0"), play: ends},
	{name: "status 3", program: sh("exit 3"), play: ends},
	{name: "status 125", program: sh("exit 125"), play: ends},
	{name: "status 127", program: sh("exit 127"), play: ends},
	{name: "status 255", program: sh("exit 255"), play: ends},
	{name: "died of TERM", program: []string{"--", "$TOOL", "die", "15"}, play: ends},
	{name: "died of KILL", program: []string{"--", "$TOOL", "die", "9"}, play: ends},
	{name: "died of SEGV", program: []string{"--", "$TOOL", "die", "11"}, play: ends},
	{name: "died of a real-time signal", program: []string{"--", "$TOOL", "die", "40"}, play: ends},
	{name: "no double dash", program: []string{"$TOOL", "exit", "3"}, play: ends},
	{name: "arguments and environment", program: sh(`echo "$0 $*"; env | grep -v ^_= | sort`), play: ends},
	{name: "LISTEN_PID", env: []string{"LISTEN_PID=1"}, program: sh("[ $LISTEN_PID = $$ ] && echo mine || echo $LISTEN_PID"), play: ends,
		differs: []difference{
			{of: tini, fact: "stdout", theirs: "1\n", ours: "mine\n", why: listenPID},
			{of: dumbInit, fact: "stdout", theirs: "1\n", ours: "mine\n", why: listenPID},
		}},
	{name: "descriptors", program: sh("ls /proc/self/fd"), shell: `exec 5</dev/null 7>/dev/null; exec "$@"`, play: ends},
	{name: "standard input", program: []string{"--", "cat"}, shell: `echo in | "$@"; exit $?`, play: ends},
	{name: "stdout alone", program: sh("echo out; echo err >&2"), play: speaks},
	{name: "script without #!", program: []string{"--", "/run/script"},
		shell: `echo 'exit 9' > /run/script; chmod +x /run/script; exec "$@"`, play: ends},

	{name: "program not found", program: []string{"--", "no-such-program"}, play: speaks},
	{name: "program not found by path", program: []string{"--", "/no/such/program"}, play: speaks},
	{name: "program not executable", program: []string{"--", "/etc/passwd"}, play: speaks},
	{name: "program is a folder", program: []string{"--", "/etc"}, play: speaks},
	{name: "no arguments", play: speaks},
	{name: "no program", program: []string{"--"}, play: speaks},
	{name: "unknown option", options: []string{"-Z"}, program: sh("exit 3"), play: speaks},
	{name: "unknown long option", options: []string{"--nonsense"}, program: sh("exit 3"), play: speaks},
	{name: "-h", options: []string{"-h"}, play: speaks},

	{name: "signals 1 to 31", program: record, play: forwards(all(1, 31, jobControl...)...), differs: []difference{
		{of: tini, fact: "signals", theirs: "1-3 10 12-16 18 23-30", ours: "1-8 10-16 18 23-31", why: everySignal},
		{of: catatonit, fact: "signals", theirs: "1-3 10 12-16 18 23-30", ours: "1-8 10-16 18 23-31", why: everySignal},
	}},
	{name: "signals 32 to 62", program: record, play: forwards(all(32, 62)...), differs: []difference{
		{fact: "signals", theirs: "34-62", ours: "32-62", why: everySignal},
	}},
	{name: "signals 1 to 31 as a child", program: record, setup: asChild,
		play: forwards(all(1, 31, append(faults, jobControl...)...)...)},
	{name: "signals 34 to 62 as a child", program: record, setup: asChild, play: forwards(all(34, 62)...)},
	{name: "ILL as a child", program: record, setup: asChild, play: survives(unix.SIGILL), differs: []difference{
		{of: tini, fact: "signals", theirs: "", ours: "4", why: everySignal},
		{of: tini, fact: "status", theirs: "signal 4 (illegal instruction)", ours: "status 0", why: everySignal},
		{of: catatonit, fact: "signals", theirs: "", ours: "4", why: everySignal},
		{of: catatonit, fact: "status", theirs: "signal 4 (illegal instruction)", ours: "status 0", why: everySignal},
	}},
	{name: "SYS as a child", program: record, setup: asChild, play: survives(unix.SIGSYS), differs: []difference{
		{of: tini, fact: "signals", theirs: "", ours: "31", why: everySignal},
		{of: tini, fact: "status", theirs: "signal 31 (bad system call)", ours: "status 0", why: everySignal},
		{of: catatonit, fact: "signals", theirs: "", ours: "31", why: everySignal},
		{of: catatonit, fact: "status", theirs: "signal 31 (bad system call)", ours: "status 0", why: everySignal},
	}},
	{name: "TERM where the group has two", program: twoRecords, play: forwardsToGroup(unix.SIGTERM)},

	{name: "place", program: record, setup: testns.Options{Dir: "/usr"}, play: placed, differs: []difference{
		{of: tini, fact: "cwd of the init", theirs: "/usr", ours: "/", why: ownDirectory},
		{of: catatonit, fact: "cwd of the init", theirs: "/usr", ours: "/", why: ownDirectory},
	}},
	{name: "place as a child", program: record, setup: asChild, play: placed},
	{name: "place on a terminal", program: record, setup: onTerminal, play: placed},
	{name: "place on a terminal as a child", program: record, setup: childOnTerminal, play: placed},
	{name: "keys of a terminal", program: record, setup: onTerminal, play: getsKeys},
	{name: "interactive shell", program: []string{"--", "sh", "-i"}, setup: onTerminal, play: converses},
	{name: "signal mask and ignored signals", program: []string{"--", "$TOOL", "mask"},
		setup: testns.Options{Blocked: []unix.Signal{unix.SIGUSR1, 40}, Ignored: []unix.Signal{unix.SIGHUP, unix.SIGPIPE}}, play: ends, differs: []difference{
			{of: dumbInit, fact: "stdout", theirs: "blocked 0000000000000000\nignored 0000000000000000\n", ours: "blocked 0000008000000200\nignored 0000000000001001\n", why: exactState},
			{of: catatonit, fact: "stdout", theirs: "blocked 0000008000380200\nignored 0000000000001001\n", ours: "blocked 0000008000000200\nignored 0000000000001001\n", why: exactState},
		}},

	{name: "zombies", program: litter, play: reports},
	{name: "zombies as a child", program: litter, setup: asChild, play: reaps},
	{name: "orphan", program: withOrphan, env: atOnce, play: keepsOrphan},
	{name: "orphan as a child", program: withOrphan, env: atOnce, setup: asChild, play: keepsOrphan},
	{name: "the rest at the end", program: sh("$TOOL ignore 15 > /dev/null & exit 3"), play: ends},
	{name: "the rest at the end as a child", program: leftBehind, setup: asChild, play: leaves},
	{name: "not PID 1", program: sh("exit 3"), shell: below, play: speaks},
}
