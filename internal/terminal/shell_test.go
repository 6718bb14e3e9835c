package terminal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// A person sits at a terminal, where a shell without job control runs `sbinit shell`, says
// its status, and compares the terminal's modes with those before.
type person struct {
	*testns.Container
	t    *testing.T
	mark int
}

func sit(t *testing.T, o testns.Options, env []string, args string) *person {
	t.Helper()
	o.NotPID1 = true
	o.Stdin, o.Stdout, o.Stderr = testns.Terminal, testns.Terminal, testns.Terminal
	o.Env = testns.Environ(append(env, "SBINIT="+testns.Build(t), "TERM=xterm", "SBINIT_KILL_GRACE=0", "PS1=> ", "SBINIT_TERMINAL_ENV=PS1")...)
	script := `before=$(stty -g); $SBINIT shell ` + args + `; echo "status $?"; [ "$before" = "$(stty -g)" ] && echo "same modes"; exec sleep 1000`
	return &person{Container: testns.Start(t, o, "sh", "-c", script), t: t}
}

func (p *person) sees(text string) {
	p.t.Helper()
	p.WaitFor(p.t, fmt.Sprintf("the terminal to show %q", text), func() bool {
		at := strings.Index(p.Stdout()[p.mark:], text)
		if at >= 0 {
			p.mark += at + len(text)
		}
		return at >= 0
	})
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := p.Input().WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// leaves waits for the end, after which the terminal is as it was and nobody is left.
func (p *person) leaves(code int) {
	p.t.Helper()
	p.sees(fmt.Sprintf("status %d\r\n", code))
	p.sees("same modes\r\n")
	for _, name := range []string{"bash", "shell", "terminal", "sbinit-worker"} {
		if left := p.Find(name); len(left) > 0 {
			p.t.Errorf("left: %v", left)
		}
	}
}

const anyBash = "-- bash --norc --noprofile --noediting -i"

func TestShellForAPerson(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		p := sit(t, o, []string{"SECRET=x", "TZ=CET"}, anyBash)
		p.sees("> ")
		p.types("echo $((40+2)) [$SECRET] $TZ $TERM\r")
		p.sees("42 [] CET xterm\r\n")
		p.types("sleep 1000\r")
		p.One("sleep")
		p.types(ctrlZ)
		p.sees("Stopped")
		p.types("fg\r")
		p.sees("fg\r\nsleep 1000\r\n")
		p.WaitFor(t, "the job to go on", func() bool { return p.One("sleep").State == 'S' })
		p.types(ctrlC)
		p.sees("> ")
		if err := pty.Setsize(p.Input(), &pty.Winsize{Rows: 33, Cols: 123}); err != nil {
			t.Fatal(err)
		}
		p.types("until [ \"$(stty size)\" = '33 123' ]; do :; done; echo $((40+2)) resized\r")
		p.sees("42 resized")
		p.types("exit 9\r")
		p.leaves(9)
	})
}

// TestShellStatus: that of the program, or of what became of it.
func TestShellStatus(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for args, code := range map[string]int{
			"-- true": 0, "-- sh -c 'exit 255'": 255, "-- sh -c 'kill -9 $$'": 137, "nosuch": 127, "/etc/passwd": 126,
			"-- sh -c 'seq 100000; exit 4'": 4, "</dev/null": 125,
		} {
			sit(t, o, nil, args).leaves(code)
		}
	})
}

// TestShellEnded: by whatever is killed or told to end, with a full-screen program on the
// terminal: its other screen, the hidden cursor and mouse reports are undone.
func TestShellEnded(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for name, c := range map[string]struct {
			victim string
			sig    unix.Signal
			code   int
		}{
			"worker KILL": {"sbinit-worker", unix.SIGKILL, 125},
			"worker TERM": {"sbinit-worker", unix.SIGTERM, 125},
			"front KILL":  {"terminal", unix.SIGKILL, 125},
			"TERM":        {"shell", unix.SIGTERM, 143},
			"HUP":         {"shell", unix.SIGHUP, 129},
			"INT":         {"shell", unix.SIGINT, 130},
		} {
			t.Run(name, func(t *testing.T) {
				p := sit(t, o, nil, `-- sh -c 'printf "\033[?1049h\033[?25l\033[?1000hready"; trap "" HUP TERM; sleep 1001 & setsid sleep 1001 & wait; sleep 1001'`)
				p.sees("ready")
				p.WaitFor(t, "all to run", func() bool { return len(p.Find("sleep")) >= 2 })
				p.Kill(p.One(c.victim), c.sig)
				p.sees("\x1b[?1000l\x1b[?1049l\x1b[?25h")
				p.leaves(c.code)
				for _, left := range p.Find("sleep") {
					if left.Args[1] == "1001" {
						t.Errorf("left: %v", left)
					}
				}
			})
		}
	})
}

// TestShellHangup: the terminal goes away, and the session with it.
func TestShellHangup(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1, o.Env = true, testns.Environ("SBINIT="+testns.Build(t))
		c := testns.Start(t, o, "sh", "-c", `script -qfc '$SBINIT shell -- sh -c "sleep 1000 & setsid sleep 1000 & echo ready; sleep 1000"' /dev/null </dev/null; exec sleep 1001`)
		c.WaitFor(t, "all to run", func() bool { return len(c.Find("sleep")) == 3 })
		c.Kill(c.One("script"), unix.SIGKILL)
		c.WaitFor(t, "everybody's end", func() bool {
			return len(c.Find("sleep")) <= 1 && len(c.Find("shell"))+len(c.Find("terminal"))+len(c.Find("sbinit-worker")) == 0
		})
	})
}
