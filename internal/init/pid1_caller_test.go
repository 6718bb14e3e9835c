package pid1_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// A hub is an sbinit whose control socket the test reaches, as the same user as sbinit.
type hub struct {
	*testns.Container
	path string
	uid  int // of the user that sbinit is, outside
}

// hosting starts sbinit with a control socket.
func hosting(t *testing.T, o testns.Options, env []string, argv ...string) *hub {
	t.Helper()
	return hostingAt(t, o, filepath.Join(testns.Dir(t), "socket"), env, argv...)
}

func hostingAt(t *testing.T, o testns.Options, path string, env []string, argv ...string) *hub {
	t.Helper()
	env = append([]string{"SBINIT_SOCKET=" + path, "TOOL=" + testns.Tool(t), "HOSTILE=" + testns.Hostile(t)}, env...)
	h := &hub{path: path, uid: os.Geteuid()}
	if o.AsNobody {
		h.uid = 65534
	}
	strangerOf(h.uid)
	h.Container = sbinit(t, o, env, argv...)
	return h
}

// recording has the recorder as the main program.
func recording(t *testing.T, o testns.Options, env ...string) *hub {
	t.Helper()
	h := hosting(t, o, append([]string{"SBINIT_LOG_LEVEL=info"}, env...), testns.Tool(t), "record")
	ready(t, h.Container)
	return h
}

// A stranger is a thread that is another user, and connects for the test.
type stranger chan func()

var strangers = struct {
	sync.Mutex
	byUID map[int]stranger
}{byUID: map[int]stranger{}}

func strangerOf(uid int) stranger {
	strangers.Lock()
	defer strangers.Unlock()
	s, ok := strangers.byUID[uid]
	if !ok {
		s = make(stranger)
		go s.run(uid)
		strangers.byUID[uid] = s
	}
	return s
}

// run changes this thread alone. That makes the process undumpable (proc(5)), which the
// start of containers by somebody who is not root cannot do with.
func (s stranger) run(uid int) {
	runtime.LockOSThread()
	if uid != os.Geteuid() {
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0))
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); errno != 0 || err != nil {
			panic(fmt.Sprint("becoming user ", uid, ": ", errno, err))
		}
	}
	for f := range s {
		f()
	}
}

// connect connects as a user (SO_PEERCRED of unix(7) is who calls connect).
func connect(path string, uid int) (fd int, err error) {
	done := make(chan bool)
	strangerOf(uid) <- func() {
		defer close(done)
		if fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
			err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
		}
	}
	<-done
	return fd, err
}

// A caller is a connection to the control socket, and what has come from it.
type caller struct {
	hub  *hub
	t    *testing.T
	fd   int
	mu   sync.Mutex
	data []byte
	rest int // where the next line begins
	eof  bool
	once sync.Once

	seen  []wire.WorkerMessage
	shown strings.Builder
}

func (h *hub) call(t *testing.T) *caller {
	t.Helper()
	fd, err := connect(h.path, h.uid)
	if err != nil {
		t.Fatalf("connecting: %v\n%s", err, h.Dump())
	}
	c := &caller{hub: h, t: t, fd: fd}
	go c.collect()
	t.Cleanup(c.hangUp)
	return c
}

func (c *caller) collect() {
	b := make([]byte, 64<<10)
	for {
		n, err := unix.Read(c.fd, b)
		if err == unix.EINTR {
			continue
		}
		c.mu.Lock()
		c.data = append(c.data, b[:max(n, 0)]...)
		c.eof = n <= 0
		c.mu.Unlock()
		if n <= 0 {
			return
		}
	}
}

// hangUp closes the connection: the reader of it ends by that too.
func (c *caller) hangUp() {
	c.once.Do(func() {
		unix.Shutdown(c.fd, unix.SHUT_RDWR)
		unix.Close(c.fd)
	})
}

func (c *caller) raw(text string) {
	c.t.Helper()
	for len(text) > 0 {
		n, err := unix.Write(c.fd, []byte(text))
		if err != nil {
			c.t.Fatal(err)
		}
		text = text[n:]
	}
}

// send sends messages in one write.
func (c *caller) send(messages ...wire.CallerMessage) {
	c.t.Helper()
	var b []byte
	for _, m := range messages {
		b = m.Append(b)
	}
	c.raw(string(b))
}

// text is all that has come, and whether that was the end.
func (c *caller) text() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.data), c.eof
}

func (c *caller) read() {
	c.t.Helper()
	text, _ := c.text()
	for {
		line, _, whole := strings.Cut(text[c.rest:], "\n")
		if !whole {
			return
		}
		c.rest += len(line) + 1
		m, err := wire.DecodeWorker([]byte(line))
		if err != nil {
			c.t.Fatalf("came %.200q: %v", line, err)
		}
		if out, ok := m.(wire.Output); ok {
			c.shown.Write(out.Data)
		} else {
			c.seen = append(c.seen, m)
		}
	}
}

// message waits for the next message of a kind, and drops those before.
func message[M wire.WorkerMessage](c *caller) (m M) {
	c.t.Helper()
	c.hub.WaitFor(c.t, fmt.Sprintf("a message %T", m), func() bool {
		c.read()
		for i, next := range c.seen {
			if found, ok := next.(M); ok {
				m, c.seen = found, c.seen[i+1:]
				return true
			}
		}
		return false
	})
	return m
}

func (c *caller) shows(text string) {
	c.t.Helper()
	c.hub.WaitFor(c.t, fmt.Sprintf("the terminal to show %q", text), func() bool {
		c.read()
		return strings.Contains(c.shown.String(), text)
	})
}

// closed waits for the end of the connection, after which nothing comes.
func (c *caller) closed() string {
	c.t.Helper()
	for deadline := time.Now().Add(testns.WaitLimit); ; time.Sleep(time.Millisecond) {
		if text, eof := c.text(); eof {
			return text
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the connection does not end\n%s", c.hub.Dump())
		}
	}
}

// ends waits for the last word.
func (c *caller) ends(reason wire.Reason) wire.End {
	c.t.Helper()
	e := message[wire.End](c)
	if e.Reason != reason || !e.Contained {
		c.t.Errorf("ended with %+v, want %s", e, reason)
	}
	c.closed()
	return e
}

// session opens one, and waits until its program runs.
func (h *hub) session(t *testing.T, argv ...string) *caller {
	t.Helper()
	c := h.call(t)
	c.send(wire.Open{Cols: 80, Rows: 24, Argv: argv, Env: []string{"PS1=> ", "TOOL=" + testns.Tool(t), "HOSTILE=" + testns.Hostile(t)}})
	message[wire.Ready](c)
	return c
}

// status asks for one.
func (h *hub) status(t *testing.T) string {
	t.Helper()
	c := h.call(t)
	defer c.hangUp()
	c.raw(control.Request)
	text := c.closed()
	if !strings.HasPrefix(text, `{"type":"status",`) || !strings.HasSuffix(text, "}\n") || strings.Count(text, "\n") != 1 {
		t.Fatalf("the status is %q", text)
	}
	return text
}

// count is a number of the status. A key may begin with that of the object it is in, and a
// stroke.
func (h *hub) count(t *testing.T, key string) (n int) {
	t.Helper()
	text := h.status(t)
	if object, inner, ok := strings.Cut(key, "/"); ok {
		_, text, _ = strings.Cut(text, `"`+object+`":`)
		key = inner
	}
	_, rest, _ := strings.Cut(text, `"`+key+`":`)
	n, err := strconv.Atoi(rest[:strings.IndexAny(rest+",", ",}")])
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return n
}

// counts waits until a number of the status is that.
func (h *hub) counts(t *testing.T, key string, want int) {
	t.Helper()
	h.WaitFor(t, fmt.Sprintf("%s of the status to be %d", key, want), func() bool { return h.count(t, key) == want })
}

// workers lists the living ones.
func (h *hub) workers() []testns.Process { return h.Find("sbinit-worker") }

// drained waits until nobody but sbinit and its main program is there, and whom the test
// names.
func (h *hub) drained(t *testing.T, besides ...testns.Process) {
	t.Helper()
	h.WaitFor(t, "all but the main program to be gone", func() bool { return len(h.Processes()) == 2+len(besides) })
}

// descriptors lists what a process has open.
func descriptors(t *testing.T, p testns.Process) map[int]string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", p.HostPID)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	open := map[int]string{}
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err != nil {
			t.Fatal(err)
		}
		open[fd], _ = os.Readlink(filepath.Join(dir, e.Name()))
	}
	return open
}
