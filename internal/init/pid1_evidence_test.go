package pid1_test

import (
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// noMarks has nobody be marked, as a seccomp profile does.
func noMarks(o testns.Options) testns.Options {
	o.SeccompErrno = map[int]syscall.Errno{unix.SYS_PRLIMIT64: unix.EPERM}
	return o
}

// TestUnseenMark: an orphan whose line nobody saw, in a session of its own, goes with
// the guard whose mark it bears; also if that ended before anybody looked.
func TestUnseenMark(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, late := range []bool{false, true} {
			a := newAgent(t, "agent")
			c := startAgents(t, o, guarded(), string(a))
			mark := a.marked(t, c)
			if late {
				a.tell(t, c, "%s; kill -9 $$", unseen(t, named(t, "server")))
			} else {
				a.tell(t, c, "%s", unseen(t, named(t, "server")))
				if got := markOf(t, c.One("server")); got != mark {
					t.Errorf("it bears %q, its guard %q", got, mark)
				}
				a.kill(t, c)
			}
			said(t, c, `guarded daemon has ended`)
			gone(t, c, "server")
			nobodyElse(t, c)
		}
	})
}

// TestUnseenMarkOfOtherUser: root under docker's capabilities marks a guard of
// another user.
func TestUnseenMarkOfOtherUser(t *testing.T) {
	t.Parallel()
	testns.RequireRoot(t)
	a := newAgent(t, "agent")
	c := startAgents(t, testns.Options{DockerCapabilities: true}, guarded(), testns.Tool(t)+" as 1000 "+string(a))
	a.marked(t, c)
	a.tell(t, c, "%s", unseen(t, named(t, "server")))
	if p := c.One("server"); p.UID != 1000 {
		t.Fatalf("%v", p)
	}
	a.kill(t, c)
	gone(t, c, "server")
	nobodyElse(t, c)
}

// TestUnseenWithoutMarks: where nobody can be marked, which is said once, a session
// and an environment still tell, each if it is the guard's own.
func TestUnseenWithoutMarks(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for name, start := range map[string]string{
			"session":     "setsid ",
			"environment": "env RUN=1 ",
			"nothing":     "env ",
			"main's":      "env MAIN=1 ",
		} {
			t.Run(name, func(t *testing.T) {
				a := newAgent(t, "agent")
				c := startAgents(t, noMarks(o), guarded("MAIN=1"), start+string(a))
				p := a.process(c)
				said(t, c, `guard found`)
				if mark := markOf(t, p); mark != "" {
					t.Fatalf("it bears %s", mark)
				}
				owned := name == "session" || name == "environment"
				server := unseen(t, named(t, "server"))
				if name == "session" {
					server = "(" + named(t, "server") + " &)"
				}
				a.tell(t, c, "%s", server)
				c.One("server")
				said(t, c, `orphan adopted`)
				if owned {
					said(t, c, `orphan attributed to a guard.*"by": "(group|environment)"`)
				}
				said(t, c, `info: guarded processes cannot be marked`)
				a.kill(t, c)
				if owned {
					gone(t, c, "server")
					nobodyElse(t, c)
					return
				}
				time.Sleep(time.Second) // several looks
				nobodyElse(t, c, "server")
			})
		}
	})
}

// TestUnseenShared: a variable that two living guards have says nothing.
func TestUnseenShared(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		a, b := newAgent(t, "agent"), newAgent(t, "agent")
		c := startAgents(t, noMarks(o), guarded(), "env RUN=1 "+string(a), "env RUN=1 "+string(b))
		said(t, c, `(?s)guard found.*guard found`)
		a.tell(t, c, "%s", unseen(t, named(t, "server")))
		c.One("server")
		said(t, c, `orphan adopted`)
		a.kill(t, c)
		b.kill(t, c)
		time.Sleep(time.Second) // several looks
		nobodyElse(t, c, "server")
	})
}

// TestUnseenYoungerGuard: who was there before it is not its own, whatever variable
// they share.
func TestUnseenYoungerGuard(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		a := newAgent(t, "agent")
		c := startAgents(t, noMarks(o), guarded(), "env RUN=1 "+unseen(t, named(t, "early")))
		said(t, c, `orphan adopted`)
		time.Sleep(20 * time.Millisecond) // start times count hundredths of a second (proc_pid_stat(5))
		c.Exec(t, "env", "RUN=1", string(a))
		p := a.process(c)
		said(t, c, "guard found")
		a.tell(t, c, "%s &", named(t, "child"))
		c.One("child")
		c.Kill(p, unix.SIGKILL)
		gone(t, c, "child")
		nobodyElse(t, c, "early")
	})
}

// TestUnseenNestedGuard: an orphan that is a guard itself goes to the outer one by
// the mark that it bore before its own; one that was below none stays.
func TestUnseenNestedGuard(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		a, inner, alone := newAgent(t, "agent"), newAgent(t, "helper"), newAgent(t, "helper")
		c := startAgents(t, o, guarded(), string(a), unseen(t, string(alone)))
		a.marked(t, c)
		alone.marked(t, c)
		a.tell(t, c, "%s", unseen(t, string(inner)))
		inner.marked(t, c)
		inner.tell(t, c, "%s", unseen(t, named(t, "server")))
		alone.tell(t, c, "%s", unseen(t, named(t, "other")))
		c.One("server")
		c.One("other")
		a.kill(t, c)
		gone(t, c, string(inner))
		gone(t, c, "server")
		nobodyElse(t, c, string(alone), "other")
	})
}
