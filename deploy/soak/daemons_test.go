//go:build soak

package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/testns"
)

// agent is a daemon whose name is in SBINIT_GUARD. It runs the line that it is told by a
// FIFO, and starts nothing to wait for it.
const agent = "#!/bin/sh\nexec 3<>\"$0.told\"\nwhile read -r line <&3; do eval \"$line\"; done\n"

// children are what a daemon starts, each one process that stays: $TOOL and $TOKEN.
var children = []string{
	`$TOOL mute $TOKEN &`,
	`setsid $TOOL mute $TOKEN &`,
	`($TOOL ignore 15 $TOKEN &);`,
	`$TOOL daemon $TOOL ignore 1 15 $TOKEN;`,
	`$TOOL daemon $TOOL mute $TOKEN;`,
	`$TOOL stop $TOKEN &`,
	`setsid sh -c "setsid $TOOL mute $TOKEN & :" &`,
}

// someChildren is a line that starts some, and how many.
func someChildren(r *rand.Rand) (line string, n int) {
	n = 1 + r.IntN(4)
	for range n {
		line += children[r.IntN(len(children))] + " "
	}
	return line, n
}

// deadly are the signals by which daemons die.
func deadly(r *rand.Rand) unix.Signal { return []unix.Signal{unix.SIGTERM, unix.SIGKILL}[r.IntN(2)] }

// endAgent starts a guarded daemon, has it start others, and ends it alone.
func endAgent(w *world, r *rand.Rand) {
	token := w.token()
	path := filepath.Join(testns.Dir(w.t), "agentd")
	defer os.RemoveAll(filepath.Dir(path))
	if err := unix.Mkfifo(path+".told", 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(agent), 0o755); err != nil {
		w.t.Fatal(err)
	}
	fifo, err := os.OpenFile(path+".told", os.O_RDWR, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer fifo.Close()
	w.run(fmt.Sprintf("TOKEN=%s exec %s %[1]s </dev/null >/dev/null", token, path))
	daemon := w.one(token, path)
	w.WaitFor(w.t, "the guard "+token, func() bool { return guards(w.status(), daemon.PID) })
	line, n := someChildren(r)
	fmt.Fprintln(fifo, line)
	w.count(token, "tool", n)
	w.did("guards")
	w.Kill(daemon, deadly(r))
	w.gone(token)
}

func guards(s *control.Status, pid int) bool {
	for _, g := range s.Guards {
		if g.PID == pid {
			return true
		}
	}
	return false
}

// endPair starts a daemon under `sbinit guard`, and ends one of the three.
func endPair(w *world, r *rand.Rand) {
	token := w.token()
	line, n := someChildren(r)
	w.run(fmt.Sprintf("TOKEN=%s exec %s guard -- sh -c '%s exec $TOOL mute $TOKEN' %[1]s </dev/null >/dev/null", token, testns.Build(w.t), line))
	front := w.one(token, "guard")
	w.count(token, "tool", n+1)
	keeper := w.childOf(front)
	daemon := w.childOf(keeper)
	w.did("pairs")
	switch r.IntN(4) {
	case 0:
		w.Kill(front, unix.SIGKILL)
	case 1:
		w.Kill(keeper, unix.SIGKILL)
	case 2:
		w.Kill(daemon, deadly(r))
	default:
		w.Kill(front, unix.SIGTERM)
	}
	w.gone(token)
}

// childOf waits for the oldest living child of a process.
func (w *world) childOf(parent testns.Process) (child testns.Process) {
	w.WaitFor(w.t, fmt.Sprintf("a child of %v", parent), func() bool {
		for _, p := range w.processes() {
			if p.PPID == parent.PID && p.Alive() {
				child = p
				return true
			}
		}
		return false
	})
	return child
}
