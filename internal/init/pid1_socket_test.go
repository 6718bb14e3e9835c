package pid1_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

const noSocket = "no control socket"

// TestSocketMode: a socket for its owner alone, whatever the umask; at the default path,
// if none is set.
func TestSocketMode(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, nil, "sh", "-c", `umask; stat -c '%A %u' /run/sbinit.sock; exec "$0" record`, testns.Tool(t))
		c.WaitFor(t, "ready", func() bool { return strings.HasSuffix(c.Stdout(), "ready\n") })
		if !strings.HasPrefix(c.Stdout(), "0022\nsrw------- 0\n") {
			t.Errorf("it is %q", c.Stdout())
		}
		finish(t, c)
		h := recording(t, o)
		if s, err := os.Lstat(h.path); err != nil || s.Mode() != os.ModeSocket|0o600 {
			t.Errorf("%v, %v", s, err)
		}
		finish(t, h.Container)
	})
}

// TestSocketOff: there is none where it is not wanted, or not PID 1's.
func TestSocketOff(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_SOCKET=off", "SBINIT_LOG_LEVEL=info"}, testns.Tool(t), "record")
		ready(t, c)
		if _, err := os.Lstat(fmt.Sprintf("/proc/%d/root/run/sbinit.sock", c.PID())); !os.IsNotExist(err) {
			t.Errorf("there is a socket: %v", err)
		}
		finish(t, c)
		o.Env = testns.Environ()
		c = testns.Start(t, o, testns.As(t, "tini", testns.Build(t)), "--", testns.Tool(t), "record")
		ready(t, c)
		if _, err := os.Lstat(fmt.Sprintf("/proc/%d/root/run/sbinit.sock", c.PID())); !os.IsNotExist(err) {
			t.Errorf("there is a socket under a peer's name: %v", err)
		}
		finish(t, c)
		o.NotPID1 = true
		h := recording(t, o)
		if _, err := os.Lstat(h.path); !os.IsNotExist(err) {
			t.Errorf("there is a socket: %v", err)
		}
		finish(t, h.Container)
		if strings.Contains(c.Stderr()+h.Stderr(), noSocket) {
			t.Errorf("said: %s%s", c.Stderr(), h.Stderr())
		}
	})
}

// TestSocketImpossible: one line says so, and all else works.
func TestSocketImpossible(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for name, prepare := range map[string]func(path string, o *testns.Options) error{
			"read only": func(_ string, o *testns.Options) error { o.ReadOnlyRoot = true; return nil },
			"no folder": func(path string, _ *testns.Options) error { return os.Remove(filepath.Dir(path)) },
			"a file":    func(path string, _ *testns.Options) error { return os.WriteFile(path, []byte("x"), 0o666) },
			"a link":    func(path string, _ *testns.Options) error { return os.Symlink(path+"x", path) },
			"a folder":  func(path string, _ *testns.Options) error { return os.Mkdir(path, 0o777) },
			"no descriptors": func(_ string, o *testns.Options) error {
				o.NoFile = 24
				return nil
			},
			"no permission": func(path string, o *testns.Options) error {
				o.UID, o.GID = 4711, 4711
				return os.Chmod(filepath.Dir(path), 0o555)
			},
		} {
			o, path := o, filepath.Join(testns.Dir(t), "socket")
			if err := prepare(path, &o); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(path)
			h := hostingAt(t, o, path, []string{"SBINIT_LOG_LEVEL=info"}, testns.Tool(t), "record")
			ready(t, h.Container)
			said(t, h.Container, noSocket)
			healthy(t, h.Container)
			finish(t, h.Container)
			if n := strings.Count(h.Stderr(), noSocket); n != 1 {
				t.Errorf("%s: said %d times:\n%s", name, n, h.Stderr())
			}
			if after, _ := os.Lstat(path); before != nil && (after == nil || !os.SameFile(before, after)) {
				t.Errorf("%s: what was there has gone", name)
			}
		}
	})
}

// TestSocketImpossibleAloud: a path that somebody chose is worth a warning, the default is
// not.
func TestSocketImpossibleAloud(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := hostingAt(t, o, "/no/such/folder/socket", nil, testns.Tool(t), "record")
		ready(t, h.Container)
		said(t, h.Container, "sbinit: warn: "+noSocket+`.*"/no/such/folder/socket".*no such file or directory`)
		finish(t, h.Container)
		o.ReadOnlyRoot = true
		c := sbinit(t, o, nil, testns.Tool(t), "record")
		ready(t, c)
		finish(t, c)
		if c.Stderr() != "" {
			t.Error(c.Stderr())
		}
	})
}

// TestSocketStale: the socket of an init that was killed is replaced, with whatever mode
// it has.
func TestSocketStale(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		h.Signal(unix.SIGKILL)
		h.Wait(t)
		if _, err := os.Lstat(h.path); err != nil {
			t.Fatal(err)
		}
		again := hostingAt(t, o, h.path, nil, testns.Tool(t), "record")
		ready(t, again.Container)
		again.status(t)
		finish(t, again.Container)
	})
}

// TestSocketLive: what somebody listens at is never replaced, also if nobody accepts there
// and as many wait as may.
func TestSocketLive(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		first := recording(t, o)
		second := hostingAt(t, o, first.path, []string{"SBINIT_LOG_LEVEL=info"}, testns.Tool(t), "record")
		ready(t, second.Container)
		said(t, second.Container, noSocket+`.*another process listens there`)
		finish(t, second.Container)
		first.status(t)
		finish(t, first.Container)

		path := filepath.Join(testns.Dir(t), "socket")
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
			t.Fatal(err)
		}
		if err := unix.Listen(fd, 0); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
		waits, err := connect(path, os.Geteuid())
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(waits)
		third := hostingAt(t, o, path, []string{"SBINIT_LOG_LEVEL=info"}, testns.Tool(t), "record")
		ready(t, third.Container)
		said(t, third.Container, noSocket+`.*another process listens there`)
		finish(t, third.Container)
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	})
}

// TestSocketTaken: a socket that another has put in the place of ours stays.
func TestSocketTaken(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		if err := os.Remove(h.path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(h.path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		finish(t, h.Container)
		if _, err := os.Lstat(h.path); err != nil {
			t.Error(err)
		}
	})
}

// TestSocketPeers: root and sbinit's own user are let in, nobody else, whoever may reach
// the file.
func TestSocketPeers(t *testing.T) {
	testns.RequireRoot(t)
	t.Parallel()
	for _, c := range []struct {
		name     string
		sbinit   int // its user
		caller   int
		mode     os.FileMode
		refused  error
		answered bool
	}{
		{"root to root", 0, 0, 0o600, nil, true},
		{"other to root", 0, 4711, 0o600, unix.EACCES, false},
		{"other to root, file open", 0, 4711, 0o666, nil, false},
		{"root to other", 4711, 0, 0o600, nil, true},
		{"own", 4711, 4711, 0o600, nil, true},
		{"third", 4711, 4712, 0o666, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := testns.Options{UID: c.sbinit, GID: c.sbinit}
			h := recording(t, o)
			if err := os.Chmod(h.path, c.mode); err != nil {
				t.Fatal(err)
			}
			h.uid = c.caller
			fd, err := connect(h.path, c.caller)
			unix.Close(fd)
			if err != c.refused {
				t.Fatalf("connect: %v", err)
			}
			if err == nil {
				for _, text := range []string{control.Request, string(wire.Open{Cols: 80, Rows: 24, Argv: []string{"true"}}.Append(nil))} {
					caller := h.call(t)
					_, _ = unix.Write(caller.fd, []byte(text)) // EPIPE: turned away already
					if got := caller.closed(); (got != "") != c.answered {
						t.Errorf("%q is answered by %q", text, got)
					}
				}
			}
			h.uid = os.Geteuid()
			if opened := h.count(t, "sessions_opened"); (opened == 1) != c.answered {
				t.Errorf("%d sessions were opened", opened)
			}
			finish(t, h.Container)
		})
	}
}

// TestSocketDeadline: who says nothing whole is turned away, and the others are not kept
// waiting by as many as like to.
func TestSocketDeadline(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		begin := time.Now()
		var slow []*caller
		for i := range 40 {
			c := h.call(t)
			c.raw(control.Request[:i%18])
			slow = append(slow, c)
		}
		h.status(t)
		if took := time.Since(begin); took > 4*time.Second {
			t.Skipf("this machine takes %v for what no time is to be told from", took)
		}
		for _, c := range slow {
			if text := c.closed(); text != "" {
				t.Errorf("got %q", text)
			}
		}
		if took := time.Since(begin); took < 5*time.Second || took > 30*time.Second {
			t.Errorf("turned away after %v", took)
		}
		h.counts(t, "connections_shut", 40)
		finish(t, h.Container)
	})
}

// TestSocketGone: who has gone before anything was said costs nothing, and is no failure.
func TestSocketGone(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		h := recording(t, o)
		before := len(descriptors(t, testns.Process{HostPID: h.PID()}))
		for i := range 200 {
			fd, err := connect(h.path, h.uid)
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				_, _ = unix.Write(fd, []byte(control.Request[:i%18]))
			}
			if i%3 == 0 {
				_ = unix.Shutdown(fd, unix.SHUT_WR)
			}
			unix.Close(fd)
		}
		h.WaitFor(t, "all descriptors to be closed", func() bool {
			return len(descriptors(t, testns.Process{HostPID: h.PID()})) == before
		})
		h.counts(t, "connections_shut", 0)
		h.counts(t, "sessions_opened", 0)
		finish(t, h.Container)
	})
}
