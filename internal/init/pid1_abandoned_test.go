package pid1_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// A shape is an orphan by its standard descriptors, once its daemon is dead.
type shape struct {
	flags string // of the program stdio (see testns); stderr is the container's own by default
	goes  bool
}

var shapes = map[string]shape{
	// The leak: nobody at either end, whatever stderr is.
	"pipes":        {"", true},
	"pipes-err":    {"-stderr pipe", true},
	"pipes-null":   {"-stderr null", true},
	"sockets":      {"-stdin socket -stdout socket", true},
	"packets":      {"-stdin packet -stdout packet", true},
	"socket-pipe":  {"-stdin socket", true},
	"pipe-socket":  {"-stdout socket", true},
	"both-shut":    {"-stdin socket -stdout socket -hold stdin,stdout -shut stdin=rdwr,stdout=rdwr", true},
	"one-shut":     {"-stdin socket -stdout socket -hold stdin -shut stdin=rdwr", true},
	"err-held":     {"-stderr pipe -hold stderr", true},
	"err-sock":     {"-stderr socket -hold stderr", true},
	"out-err-file": {"-stderr file:/dev/zero", true},

	// Somebody is there: to write, or to read, though it never does.
	"held":          {"-hold stdin,stdout", false},
	"in-held":       {"-hold stdin", false},
	"out-held":      {"-hold stdout", false},
	"sock-held":     {"-stdin socket -stdout socket -hold stdin,stdout", false},
	"sock-in-held":  {"-stdin socket -stdout socket -hold stdin", false},
	"sock-out-held": {"-stdin socket -stdout socket -hold stdout", false},
	"pack-held":     {"-stdin packet -stdout packet -hold stdout", false},
	"half-shut-wr":  {"-stdin socket -stdout socket -hold stdin,stdout -shut stdin=wr,stdout=wr", false},
	"half-shut-rd":  {"-stdin socket -stdout socket -hold stdin,stdout -shut stdin=rd,stdout=rd", false},

	// Put in the background on purpose.
	"dev-server": {"-stdin null -stdout file:/dev/zero", false},
	"null-both":  {"-stdin null -stdout null", false},
	"null-pipe":  {"-stdin null", false},
	"pipe-null":  {"-stdout null", false},
	"pipe-file":  {"-stdout file:/dev/zero", false},
	"pipe-own":   {"-stdout inherit", false},
	"null-sock":  {"-stdin null -stdout socket", false},
}

// canaryName is a shape that goes, and is orphaned after the others: at its end these
// have been looked at several times.
const canaryName = "canary"

// startShapes is a script which starts a daemon for each shape, and one for a canary,
// and then becomes the recorder. A child is the program called by the shape's name,
// below the given wrapper.
func startShapes(t *testing.T, names []string, wrapper string) string {
	t.Helper()
	var s strings.Builder
	for _, name := range append([]string{canaryName}, names...) {
		argv := testns.Self("stdio", strings.Fields(shapes[name].flags)...)
		if !strings.Contains(shapes[name].flags, "-stderr") {
			argv = append(argv, "-stderr", "inherit")
		}
		fmt.Fprintf(&s, "%s -- %s %s mute & ", strings.Join(argv, " "), wrapper, testns.As(t, name, testns.Tool(t)))
	}
	return s.String() + "exec " + testns.Tool(t) + " record"
}

// killDaemons kills those of the given shapes, with all children in place.
func killDaemons(t *testing.T, c *testns.Container, names ...string) {
	t.Helper()
	c.WaitFor(t, "the daemons to be ready", func() bool {
		return strings.Count(c.Stdout(), "ready\n") >= len(c.Find("stdio"))+1
	})
	for _, name := range names {
		child := c.One(name)
		for _, p := range c.Find("stdio") {
			if p.PID == child.PPID {
				c.Kill(p, unix.SIGKILL)
			}
		}
	}
}

// canary leaves an abandoned process, and waits for its end.
func canary(t *testing.T, c *testns.Container) {
	t.Helper()
	child := c.One(canaryName)
	killDaemons(t, c, canaryName)
	gone(t, c, canaryName)
	said(t, c, fmt.Sprintf(`orphan terminated.*"pid": %d,.*"name": "canary"`, child.PID))
}

// TestAbandoned is the decision on every shape, with privilege and without, as PID 1
// and as subreaper.
func TestAbandoned(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) { judged(t, o, "") })
}

// TestAbandonedOfOtherUser has orphans of another uid, whose descriptors root may not
// look at under docker's capabilities.
func TestAbandonedOfOtherUser(t *testing.T) {
	t.Parallel()
	testns.RequireRoot(t)
	judged(t, testns.Options{DockerCapabilities: true}, testns.Tool(t)+" as 1000")
}

// TestAbandonedByUser has an sbinit that is not root.
func TestAbandonedByUser(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.UID, o.GID, o.DockerCapabilities = 1000, 1000, true
		judged(t, o, "")
	})
}

// judged runs all shapes, until those that go have gone.
func judged(t *testing.T, o testns.Options, wrapper string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(shapes))
	c := sbinit(t, o, quick, script("%s", startShapes(t, names, wrapper))...)
	killDaemons(t, c, names...)
	for _, name := range names {
		if shapes[name].goes {
			gone(t, c, name)
		}
	}
	canary(t, c)
	for _, name := range names {
		if left := len(c.Find(name)); !shapes[name].goes && left != 1 {
			t.Errorf("%s was ended:\n%s", name, c.Stderr())
		}
	}
	finish(t, c)
}

// TestAbandonedUnreadable: a process that changed its uid by itself is undumpable
// (proc(5)), and root without CAP_SYS_PTRACE cannot see what it has open.
func TestAbandonedUnreadable(t *testing.T) {
	t.Parallel()
	testns.RequireRoot(t)
	o := testns.Options{DockerCapabilities: true}
	argv := append(testns.Self("stdio", "--"), testns.As(t, "hidden", testns.Tool(t)), "setuid", "1000")
	env := append(slices.Clone(quick), "SBINIT_LOG_LEVEL=info")
	c := sbinit(t, o, env, script("%s & %s", strings.Join(argv, " "), startShapes(t, nil, ""))...)
	hidden := c.One("hidden")
	killDaemons(t, c, "hidden")
	said(t, c, fmt.Sprintf(`info: orphan's descriptors cannot be read.*"pid": %d,`, hidden.PID))
	canary(t, c)
	c.One("hidden")
	finish(t, c)
}

// TestAbandonedLater: the other end lives at first, and goes away later.
func TestAbandonedLater(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		names := []string{"held", "sock-held"}
		c := sbinit(t, o, quick, script("%s", startShapes(t, names, ""))...)
		killDaemons(t, c, names...)
		canary(t, c)
		for _, name := range names {
			c.One(name)
		}
		for _, p := range c.Find("holder") {
			c.Kill(p, unix.SIGKILL)
		}
		for _, name := range names {
			gone(t, c, name)
		}
		finish(t, c)
	})
}

// TestAbandonedShells is what people write in a shell.
func TestAbandonedShells(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		dir := testns.Dir(t)
		tool := testns.Tool(t)
		background := map[string]string{
			"echoed":  "(echo x | %s sleep &)",
			"nohup":   "(nohup %s sleep </dev/null >" + filepath.Join(dir, "nohup.log") + " 2>&1 &)",
			"plain":   "(%s sleep &)",
			"setsid":  "setsid %s sleep </dev/null >/dev/null 2>&1 &",
			"daemon":  "%s daemon </dev/null >/dev/null 2>&1",
			"closed":  "(%s mute <&- >&- 2>&- &)",
			"tailed":  "(tail -f /dev/null | %s sleep &)",
			"through": "(%s sleep | cat > /dev/null &)",
		}
		var s strings.Builder
		for name, line := range background {
			fmt.Fprintf(&s, line+"\n", testns.As(t, name, tool))
		}
		c := sbinit(t, o, quick, script("%s%s", s.String(), startShapes(t, nil, ""))...)
		for name := range background {
			c.WaitFor(t, name, func() bool { return len(c.Find(name)) == 1 })
		}
		canary(t, c)
		for name := range background {
			if len(c.Find(name)) != 1 {
				t.Errorf("%s was ended:\n%s", name, c.Stderr())
			}
		}
		finish(t, c)
	})
}

// TestAbandonedSubtree: what an abandoned process has started goes with it, though
// its own descriptors are in order, the tool's shell in a session of its own included.
// What it had put in the background before is not below it, and stays.
func TestAbandonedSubtree(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		names := map[string]string{}
		for _, name := range []string{"acp", "cli", "server"} {
			names[name] = testns.As(t, name, tool)
		}
		child := fmt.Sprintf(`%s daemon </dev/null >/dev/null 2>&1
			(setsid %s chain 5 </dev/null >/dev/null 2>&1; :) &
			%s sleep`, names["server"], names["cli"], names["acp"])
		argv := append(testns.Self("stdio", "-stderr", "inherit", "--"), "sh", "-c", "'"+child+"'")
		c := sbinit(t, o, quick, script("%s & %s", strings.Join(argv, " "), startShapes(t, nil, ""))...)
		c.One("acp")
		c.One("server")
		c.WaitFor(t, "the chain", func() bool { return len(c.Find("cli")) == 5 })
		for _, p := range c.Find("stdio") {
			if strings.Contains(strings.Join(p.Args, " "), names["acp"]) {
				c.Kill(p, unix.SIGKILL)
			}
		}
		gone(t, c, "acp")
		gone(t, c, "cli")
		canary(t, c)
		c.One("server")
		finish(t, c)
	})
}

// TestAbandonedGrace: nobody is ended before SBINIT_ORPHAN_GRACE has passed, and one
// that leaves by itself is not mentioned.
func TestAbandonedGrace(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		env := []string{"SBINIT_ORPHAN_GRACE=1500ms", "SBINIT_SCAN_INTERVAL=100ms"}
		polite := append(testns.Self("stdio", "-stderr", "inherit", "--"), "cat")
		c := sbinit(t, o, env, script("%s & %s", strings.Join(polite, " "), startShapes(t, []string{"pipes"}, ""))...)
		c.One("cat")
		died := c.Watch(t, c.One("pipes"))
		begin := time.Now()
		killDaemons(t, c, "pipes", "cat")
		if took := (<-died).Sub(begin); took < 1500*time.Millisecond || took > 20*time.Second {
			t.Errorf("ended after %v", took)
		}
		canary(t, c)
		if n := strings.Count(c.Stderr(), "orphan terminated"); n != 2 {
			t.Errorf("said %d times, for two:\n%s", n, c.Stderr())
		}
		finish(t, c)
	})
}
