package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// abandoned says what a process with these two ends is found to be.
func abandoned(t *testing.T, in, out end) (bool, error) {
	t.Helper()
	cmd := pauser(executable(), []string{"x"})
	cmd.Stdin, cmd.Stdout = in.own, out.own
	pid := startProcess(t, cmd)
	if out.own != in.own {
		out.own.Close()
	}
	in.own.Close()
	return open(t).Abandoned(pid)
}

func TestAbandoned(t *testing.T) {
	for _, kind := range []struct {
		name    string
		in, out func(*testing.T) end
	}{
		{"pipes", pipeIn, pipeOut}, {"streams", stream, stream}, {"packets", packet, packet},
		{"pipe and stream", pipeIn, stream}, {"stream and pipe", stream, pipeOut},
	} {
		t.Run(kind.name, func(t *testing.T) {
			for _, c := range []struct {
				name          string
				inGone, oGone bool
			}{{"both live", false, false}, {"stdin's gone", true, false}, {"stdout's gone", false, true}, {"both gone", true, true}} {
				in, out := kind.in(t), kind.out(t)
				if c.inGone {
					in = in.gone()
				}
				if c.oGone {
					out = out.gone()
				}
				if got, err := abandoned(t, in, out); err != nil || got != (c.inGone && c.oGone) {
					t.Errorf("%s: %v, %v", c.name, got, err)
				}
			}
		})
	}
}

// TestAbandonedSocketShutDown: a socket is gone when nothing can go either way; a
// client that has said all it has to say still listens.
func TestAbandonedSocketShutDown(t *testing.T) {
	for how, want := range map[int]bool{unix.SHUT_WR: false, unix.SHUT_RD: false, unix.SHUT_RDWR: true} {
		if got, err := abandoned(t, stream(t).shut(t, how), pipeOut(t).gone()); err != nil || got != want {
			t.Errorf("stdin shut down %d: %v, %v", how, got, err)
		}
		if got, err := abandoned(t, pipeIn(t).gone(), stream(t).shut(t, how)); err != nil || got != want {
			t.Errorf("stdout shut down %d: %v, %v", how, got, err)
		}
	}
}

func TestAbandonedOneSocketForBoth(t *testing.T) {
	s := stream(t)
	if got, err := abandoned(t, s, s); err != nil || got {
		t.Errorf("peer lives: %v, %v", got, err)
	}
	s = stream(t).gone()
	if got, err := abandoned(t, s, s); err != nil || !got {
		t.Errorf("peer gone: %v, %v", got, err)
	}
}

// TestAbandonedNeverByOtherFiles: with a lost peer on one side, anything but a
// pipe or connected Unix socket on the other is somebody to talk to.
func TestAbandonedNeverByOtherFiles(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "pipe:[1]")
	if err := unix.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]func() end{
		"/dev/null":       func() end { return opened(t, "/dev/null", os.O_RDWR) },
		"file":            func() end { return opened(t, filepath.Join(dir, "log"), os.O_RDWR|os.O_CREATE) },
		"named pipe":      func() end { return opened(t, fifo, os.O_RDWR) },
		"directory":       func() end { return opened(t, dir, os.O_RDONLY) },
		"listening":       func() end { return listening(t) },
		"unconnected":     func() end { return unconnected(t) },
		"datagram":        func() end { return socket(t, unix.SOCK_DGRAM).gone() },
		"TCP":             func() end { return tcp(t) },
		"hung-up pty":     func() end { return hungUp(t) },
		"pty":             func() end { return terminal(t) },
		"anonymous inode": func() end { return eventfd(t) },
	} {
		if got, err := abandoned(t, other(), pipeOut(t).gone()); err != nil || got {
			t.Errorf("%s on stdin: %v, %v", name, got, err)
		}
		if got, err := abandoned(t, pipeIn(t).gone(), other()); err != nil || got {
			t.Errorf("%s on stdout: %v, %v", name, got, err)
		}
	}
}

// TestAbandonedOpensOnlyPipes: opening a named pipe, a device or a terminal has
// effects that others see.
func TestAbandonedOpensOnlyPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe:[1]")
	if err := unix.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	in, out := opened(t, path, os.O_RDWR), opened(t, path, os.O_RDWR)
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(watch)
	if _, err := unix.InotifyAddWatch(watch, path, unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	if got, err := abandoned(t, in, out); err != nil || got {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := abandoned(t, pipeIn(t).gone(), opened(t, path, os.O_RDWR)); err != nil || got {
		t.Errorf("%v, %v", got, err)
	}
	// The test itself has opened it once since.
	var buf [4096]byte
	if n, err := unix.Read(watch, buf[:]); n != unix.SizeofInotifyEvent || err != nil {
		t.Errorf("%d bytes of events about one opening of %d bytes, error %v", n, unix.SizeofInotifyEvent, err)
	}
}

// TestAbandonedClosed: a daemon that closed its descriptors has lost nobody.
func TestAbandonedClosed(t *testing.T) {
	for redirect, want := range map[string]bool{"": true, "<&-": false, ">&-": false, "<&- >&-": false} {
		in, out := pipeIn(t).gone(), pipeOut(t).gone()
		cmd := exec.Command("sh", "-c", "exec \"$0\" x "+redirect, executable())
		cmd.Env = []string{pauseEnv + "=1"}
		cmd.Stdin, cmd.Stdout = in.own, out.own
		pid := startProcess(t, cmd)
		in.own.Close()
		out.own.Close()
		fs := open(t)
		eventually(t, "the program", func() bool {
			n, err := fs.Names(pid)
			return err == nil && n.Exe == filepath.Base(executable())
		})
		if got, err := fs.Abandoned(pid); err != nil || got != want {
			t.Errorf("%q: %v, %v", redirect, got, err)
		}
	}
}

// TestAbandonedFullPipe: a reader that never reads is still there.
func TestAbandonedFullPipe(t *testing.T) {
	out := pipeOut(t)
	fd := int(out.own.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for err := error(nil); err == nil; {
		_, err = unix.Write(fd, make([]byte, 4096))
	}
	if got, err := abandoned(t, pipeIn(t).gone(), out); err != nil || got {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAbandonedUnreadInput: what is left to read comes from nobody all the same.
func TestAbandonedUnreadInput(t *testing.T) {
	for name, in := range map[string]end{"pipe": pipeIn(t), "stream": stream(t)} {
		if _, err := in.other.WriteString("unread"); err != nil {
			t.Fatal(err)
		}
		if got, err := abandoned(t, in.gone(), pipeOut(t).gone()); err != nil || !got {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestAbandonedPipeline: in `echo x | server` stdin has ended, but somebody hears it.
func TestAbandonedPipeline(t *testing.T) {
	in := pipeIn(t)
	if _, err := in.other.WriteString("x\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := abandoned(t, in.gone(), pipeOut(t)); err != nil || got {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAbandonedHoldsOtherEnd: who holds the other end of its own stdin can be
// talked to, if only by itself.
func TestAbandonedHoldsOtherEnd(t *testing.T) {
	in := pipeIn(t)
	cmd := pauser(executable(), []string{"x"})
	out := pipeOut(t).gone()
	cmd.Stdin, cmd.Stdout, cmd.ExtraFiles = in.own, out.own, []*os.File{in.other}
	pid := startProcess(t, cmd)
	in.own.Close()
	in.other.Close()
	if got, err := open(t).Abandoned(pid); err != nil || got {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAbandonedLeavesNothingOpen: a descriptor kept would make this process a peer,
// and use up what it may have.
func TestAbandonedLeavesNothingOpen(t *testing.T) {
	fs := open(t)
	cmd := pauser(executable(), []string{"x"})
	in, out := pipeIn(t).gone(), pipeOut(t).gone()
	cmd.Stdin, cmd.Stdout = in.own, out.own
	pid := startProcess(t, cmd)
	in.own.Close()
	out.own.Close()
	before := descriptors(t)
	const rounds = 50
	for round := range rounds {
		if got, err := fs.Abandoned(pid); err != nil || !got {
			t.Errorf("round %d: %v, %v", round, got, err)
		}
	}
	if after := descriptors(t); after > before+rounds/2 {
		t.Errorf("%d descriptors after %d rounds, %d before", after, rounds, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestAbandonedNobody(t *testing.T) {
	// A process that is not there has no descriptors, which looks as if it closed them.
	if got, err := open(t).Abandoned(1 << 30); got || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
