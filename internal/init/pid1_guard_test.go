package pid1_test

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestAgentEnds: by SIGKILL, and nothing that it started outlives it, also what lost
// its parents, left its session, or does not want to.
func TestAgentEnds(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		a := newAgent(t, "agent")
		c := startAgents(t, o, guarded(), string(a))
		lines := map[string]string{
			"child":   named(t, "child") + " &",
			"orphan":  "(" + named(t, "orphan") + " &)",
			"deep":    fmt.Sprintf("sh -c 'sh -c \"%s & :\" & :'", named(t, "deep")),
			"session": "setsid " + deaf(t, "session") + " &",
			"daemon":  unseen(t, named(t, "daemon")),
			"stopped": testns.As(t, "stopped", testns.Tool(t)) + " stop &",
		}
		a.marked(t, c)
		for name, line := range lines {
			a.tell(t, c, "%s", line)
			c.One(name)
		}
		a.kill(t, c)
		for name := range lines {
			gone(t, c, name)
		}
		said(t, c, `warn: guarded daemon has ended.*"guard": "agent"`)
		nobodyElse(t, c)
	})
}

// TestAgentLives: what it put in the background stays as long as it does, whatever
// SBINIT_ORPHANS says, and goes with it. Of main's own only that policy decides.
func TestAgentLives(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		a := newAgent(t, "agent")
		c := startAgents(t, o, guarded("SBINIT_ORPHANS=terminate"), string(a), "sh -c '"+named(t, "mains")+" &'")
		a.marked(t, c)
		a.tell(t, c, "sh -c 'nohup %s >/dev/null 2>&1 &'", named(t, "dev"))
		a.tell(t, c, "%s", unseen(t, named(t, "far")))
		c.One("dev")
		c.One("far")
		gone(t, c, "mains")
		time.Sleep(time.Second) // several times the grace
		c.One("dev")
		c.One("far")
		a.kill(t, c)
		gone(t, c, "dev")
		gone(t, c, "far")
		nobodyElse(t, c)
	})
}

// TestAgentNearest: the end of an inner guard is not the outer one's, and the outer
// one's is that of both.
func TestAgentNearest(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		a, h := newAgent(t, "agent"), newAgent(t, "helper")
		c := startAgents(t, o, guarded(), string(a))
		outer := a.marked(t, c)
		for _, end := range []agent{h, a} {
			a.tell(t, c, "%s &", h)
			if inner := h.marked(t, c); inner == outer {
				c.WaitFor(t, "a mark of its own", func() bool { return markOf(t, h.process(c)) != outer })
			}
			if len(c.Find("mine")) == 0 {
				a.tell(t, c, "%s", unseen(t, named(t, "mine")))
			}
			h.tell(t, c, "%s", unseen(t, named(t, "inners")))
			h.tell(t, c, "(%s &)", deaf(t, "other"))
			c.One("mine")
			c.One("inners")
			c.One("other")
			end.kill(t, c)
			gone(t, c, "inners")
			gone(t, c, "other")
			if end == h {
				a.process(c)
				c.One("mine")
			}
		}
		gone(t, c, string(h))
		gone(t, c, "mine")
		nobodyElse(t, c)
	})
}

// TestAgentHandsOver to one of the same name: a launcher, or a daemon that forks, seen
// by then or not.
func TestAgentHandsOver(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, unseen := range []bool{false, true} {
			a, second := newAgent(t, "agent"), newAgent(t, "agent")
			c := startAgents(t, o, guarded(), string(a))
			a.marked(t, c)
			a.tell(t, c, "(%s &)", named(t, "server"))
			c.One("server")
			if unseen {
				a.tell(t, c, "setsid %s & kill -9 $$", second)
			} else {
				a.tell(t, c, "%s &", second)
				second.marked(t, c)
				a.kill(t, c)
			}
			said(t, c, `info: guard handed over.*"guard": "agent"`)
			second.tell(t, c, "(%s &)", named(t, "later"))
			c.One("later")
			c.One("server")
			second.kill(t, c)
			gone(t, c, "server")
			gone(t, c, "later")
			nobodyElse(t, c)
		}
	})
}

// TestAgentHandsOverToNoOther: a descendant that bears the name of another entry is
// no heir.
func TestAgentHandsOverToNoOther(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		a, h := newAgent(t, "agent"), newAgent(t, "helper")
		c := startAgents(t, o, guarded(), string(a))
		a.tell(t, c, "%s &", h)
		h.marked(t, c)
		a.kill(t, c)
		gone(t, c, string(h))
		nobodyElse(t, c)
	})
}

// TestAgentExecElse: a program of another name owns nothing.
func TestAgentExecElse(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		a := newAgent(t, "agent")
		c := startAgents(t, o, guarded(), string(a))
		a.marked(t, c)
		a.tell(t, c, "%s &", named(t, "server"))
		c.One("server")
		a.tell(t, c, "exec %s", named(t, "else"))
		other := c.One("else")
		said(t, c, fmt.Sprintf(`guard is none any more.*"pid": %d`, other.PID))
		c.Kill(other, unix.SIGKILL)
		c.WaitFor(t, "the server to be an orphan", func() bool { return c.One("server").PPID != other.PID })
		said(t, c, `orphan adopted.*"name": "server"`)
		time.Sleep(time.Second) // several looks
		nobodyElse(t, c, "server")
	})
}

// TestAgentOfOneName end with what is theirs, and with nothing else.
func TestAgentOfOneName(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		var agents []agent
		var commands []string
		for range 3 {
			a := newAgent(t, "agent")
			agents, commands = append(agents, a), append(commands, string(a))
		}
		c := startAgents(t, o, guarded(), commands...)
		for i, a := range agents {
			a.marked(t, c)
			a.tell(t, c, "(%s &)", named(t, fmt.Sprint("seen", i)))
			a.tell(t, c, "%s", unseen(t, named(t, fmt.Sprint("unseen", i))))
		}
		left := func(i int) (names []string) {
			for ; i < len(agents); i++ {
				names = append(names, fmt.Sprint("seen", i), fmt.Sprint("unseen", i))
			}
			return names
		}
		for _, name := range left(0) {
			c.One(name)
		}
		for i, a := range agents {
			a.kill(t, c)
			gone(t, c, fmt.Sprint("seen", i))
			gone(t, c, fmt.Sprint("unseen", i))
			for _, name := range left(i + 1) {
				c.One(name)
			}
		}
		nobodyElse(t, c)
	})
}

// TestAgentEndsWhoIsKept: a name, or SBINIT_KEEP, is a matter of SBINIT_ORPHANS.
func TestAgentEndsWhoIsKept(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		a := newAgent(t, "agent")
		mains := "sh -c 'SBINIT_KEEP=1 " + named(t, "mains") + " &'"
		c := startAgents(t, o, guarded("SBINIT_ORPHANS=terminate"), string(a), mains)
		a.marked(t, c)
		a.tell(t, c, "SBINIT_KEEP=1 sh -c '%s &'", named(t, "opted"))
		a.tell(t, c, "(%s &)", named(t, "ssh-agent"))
		c.One("opted")
		c.One("ssh-agent")
		said(t, c, `orphan kept.*"name": "mains"`)
		a.kill(t, c)
		gone(t, c, "opted")
		gone(t, c, "ssh-agent")
		nobodyElse(t, c, "mains")
	})
}

// TestAgentExecJob: what docker exec leaves in the background is nobody's.
func TestAgentExecJob(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		a := newAgent(t, "agent")
		c := startAgents(t, o, guarded(), string(a))
		a.marked(t, c)
		c.Exec(t, "sh", "-c", named(t, "job")+" </dev/null >/dev/null 2>&1 &").Wait(t)
		c.Exec(t, testns.As(t, "visitor", testns.Tool(t)), "mute")
		a.tell(t, c, "%s &", named(t, "child"))
		c.One("child")
		said(t, c, `orphan adopted`)
		a.kill(t, c)
		gone(t, c, "child")
		nobodyElse(t, c, "job", "visitor")
	})
}

// TestAgentNumberAgain: the number of a guard that has ended, while the last of what
// it started is still being ended, is that of a stranger with a child.
func TestAgentNumberAgain(t *testing.T) {
	testns.RequirePidMax(t)
	each(t, func(t *testing.T, o testns.Options) {
		o.PidMax = 400
		a := newAgent(t, "agent")
		c := startAgents(t, o, guarded("SBINIT_KILL_GRACE=10m"))
		// Numbers below 300 do not come again (kernel/pid.c, RESERVED_PIDS). A shell reaps
		// the agent, and no group is called by its number: that is free then.
		c.Exec(t, "sh", "-c", "i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done; "+string(a)+"; :")
		a.marked(t, c)
		a.tell(t, c, "%s &", deaf(t, "deaf"))
		c.One("deaf")
		number := a.process(c).PID
		a.kill(t, c)
		said(t, c, "guarded daemon has ended")
		c.Exec(t, "sh", "-c", fmt.Sprintf(
			`while :; do sh -c '[ $$ = %d ] || exit 1; %s & wait' && break; done`,
			number, named(t, "heir")))
		if p := c.One("heir"); p.PPID != number {
			t.Fatalf("the number did not come again: %v", p)
		}
		time.Sleep(time.Second) // several looks
		c.Kill(c.One("deaf"), unix.SIGKILL)
		said(t, c, "terminated processes have ended")
		nobodyElse(t, c, "heir")
	})
}
