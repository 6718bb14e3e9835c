package guard_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestBytes: ten megabytes of anything go in and come out, then the end of input
// reaches the program.
func TestBytes(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		h.o.Stdin = testns.Pipe
		g := h.guard(t, nil, "--", "cat")
		sent := make([]byte, 10<<20)
		rand.New(rand.NewSource(1)).Read(sent)
		if _, err := g.Input().Write(sent); err != nil {
			t.Fatal(err)
		}
		g.Input().Close()
		g.ends(t, 0)
		g.WaitFor(t, "all output", func() bool { return len(g.Stdout()) >= len(sent) })
		if got := g.Stdout(); got != string(sent) {
			t.Errorf("%d bytes came back, of %d sent, or others", len(got), len(sent))
		}
	})
}

// TestDialogue: a request is answered before the next one is sent.
func TestDialogue(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		h.o.Stdin = testns.Pipe
		g := h.guard(t, nil, script(`while read -r line; do echo "{\"answer\":$line}"; done`)...)
		var want strings.Builder
		for i := range 300 {
			fmt.Fprintf(g.Input(), "{\"id\":%d}\n", i)
			fmt.Fprintf(&want, "{\"answer\":{\"id\":%d}}\n", i)
			for deadline := time.Now().Add(testns.WaitLimit); len(g.Stdout()) < want.Len(); time.Sleep(100 * time.Microsecond) {
				if time.Now().After(deadline) {
					t.Fatalf("no answer\n%s", g.Dump())
				}
			}
		}
		g.Input().Close()
		g.ends(t, 0)
		if g.Stdout() != want.String() {
			t.Error("the answers are others")
		}
	})
}

// TestInputIsNotRead: what the program leaves unread is there for who comes next.
func TestInputIsNotRead(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1, o.Stdin = true, testns.Pipe
		c := testns.Start(t, o, "sh", "-c", `"$0" guard -- dd bs=1 count=3 2>/dev/null; echo; cat`, testns.Build(t))
		fmt.Fprintln(c.Input(), "one-two")
		c.Input().Close()
		c.Wait(t)
		if got := settled(t, c); got != "one\n-two\n" {
			t.Errorf("got %q", got)
		}
	})
}

// TestErrorOutput: standard error is the program's, and the guard says nothing when
// all went well.
func TestErrorOutput(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		g := h.guard(t, nil, script("seq 100000 >&2; sleep 1000 & exit 0")...)
		g.ends(t, 0)
		var want bytes.Buffer
		for i := range 100000 {
			fmt.Fprintln(&want, i+1)
		}
		g.WaitFor(t, "all output", func() bool { return len(g.Stderr()) >= want.Len() })
		if g.Stderr() != want.String() {
			t.Errorf("standard error has %d bytes, want %d\n%s", len(g.Stderr()), want.Len(), g.Dump())
		}
	})
}

// TestDescriptorFlags: the descriptors are shared with others, who see their flags,
// such as O_NONBLOCK.
func TestDescriptorFlags(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		h.o.Stdin = testns.Pipe
		argv := []string{"sh", "-c", "sleep 0.2; cd /proc/self/fdinfo; grep flags 0 1 2"}
		if without, with := h.outputs(t, nil, argv...); with != without || strings.Count(with, "flags") != 3 {
			t.Errorf("%s\nwant %s", with, without)
		}
	})
}

func init() { testns.Register("peer", peer) }

// peer KIND ARGV... talks to a program by its standard input and output, pipes or
// sockets: it prints its output, and says when that has ended, when writing to it
// failed, and when it ended.
func peer(args []string) int {
	in, out, theirs, err := openPeer(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	theirs[0].Close()
	theirs[1].Close()
	go func() {
		n, _ := io.Copy(os.Stdout, in) // a socket with unread input ends by ECONNRESET
		fmt.Printf("output ended: %d bytes\n", n)
	}()
	go func() {
		for {
			if _, err := out.Write([]byte("x")); err != nil {
				fmt.Printf("input refused: %v\n", errors.Is(err, unix.EPIPE))
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	cmd.Wait()
	fmt.Printf("status %d\n", cmd.ProcessState.ExitCode())
	for {
		unix.Pause()
	}
}

func openPeer(kind string) (in, out *os.File, theirs [2]*os.File, err error) {
	if kind == "socket" {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, nil, theirs, err
		}
		own, their := os.NewFile(uintptr(fds[0]), "own"), os.NewFile(uintptr(fds[1]), "theirs")
		return own, own, [2]*os.File{their, their}, nil
	}
	in, theirs[1], err = os.Pipe()
	if err != nil {
		return nil, nil, theirs, err
	}
	theirs[0], out, err = os.Pipe()
	return in, out, theirs, err
}

// TestPeerSeesTheEnd: when the daemon has gone, its peer gets end of file and EPIPE,
// while the guard is still busy with what the daemon left.
func TestPeerSeesTheEnd(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1, o.Env = true, testns.Environ("SBINIT_KILL_GRACE=10m")
		for _, kind := range []string{"pipe", "socket"} {
			for _, victim := range []string{"sleep", "guard", "sbinit-keeper"} {
				t.Run(kind+" "+victim, func(t *testing.T) {
					t.Parallel()
					peerSeesTheEnd(t, o, kind, victim)
				})
			}
		}
	})
}

// peerSeesTheEnd has a daemon that leaves somebody who was started with SIGTERM
// ignored, so that it cannot come too early for him.
func peerSeesTheEnd(t *testing.T, o testns.Options, kind, victim string) {
	daemon := `(trap '' TERM; exec "$0" mute </dev/null >/dev/null 2>&1) & exec "$0" sleep 2>&1`
	argv := []string{kind, testns.Build(t), "guard", "--", "sh", "-c", daemon, testns.Tool(t)}
	c := testns.Start(t, o, testns.Self("peer", argv...)...)
	c.WaitFor(t, "ready", func() bool { return strings.Contains(c.Stdout(), "ready\n") })
	left := c.Watch(t, c.One("mute"))
	c.WaitFor(t, "the guard to let go", func() bool {
		return link(t, c.One("guard"), "fd/1") == "/dev/null" && link(t, c.One("sbinit-keeper"), "fd/1") == "/dev/null"
	})
	c.Kill(c.One(victim), unix.SIGKILL)
	c.WaitFor(t, "the end of both directions", func() bool {
		return strings.Contains(c.Stdout(), "output ended: 6 bytes") && strings.Contains(c.Stdout(), "input refused: true")
	})
	select {
	case <-left:
		t.Errorf("what the daemon left had ended before\n%s", c.Dump())
	default:
	}
}
