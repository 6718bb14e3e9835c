package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() {
	testns.Register("open", func([]string) int { return tryOpen() })
	testns.Register("open-nothing", openNothing)
	testns.Register("stalled", stalled)
}

// tryOpen prints what Open says here.
func tryOpen() int {
	fs, err := Open()
	if err == nil {
		fs.Close()
	}
	fmt.Println(err)
	return 0
}

// openNothing opens /proc in a folder that has none.
func openNothing(args []string) int {
	if err := unix.Chroot(args[0]); err != nil {
		return complain(err)
	}
	return tryOpen()
}

func TestOpen(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for name, c := range map[string]struct {
			set  func(*testns.Options)
			want string
		}{
			"own":       {func(*testns.Options) {}, "<nil>"},
			"read-only": {func(o *testns.Options) { o.ProcReadOnly = true }, "<nil>"},
			"hidepid":   {func(o *testns.Options) { o.HidePID = true }, "<nil>"},
			"hidden":    {func(o *testns.Options) { o.NoProc = true }, "/proc is not mounted"},
		} {
			o := o
			c.set(&o)
			got := testns.Start(t, o, testns.Self("open")...)
			if got.Wait(t); got.Stdout() != c.want+"\n" {
				t.Errorf("%s: %s%swant %s", name, got.Stdout(), got.Stderr(), c.want)
			}
		}
	})
}

func TestOpenWithoutProc(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		c := testns.Start(t, o, testns.Self("open-nothing", testns.Dir(t))...)
		if c.Wait(t); c.Stdout() != "open /proc: no such file or directory\n" {
			t.Error(c.Stdout(), c.Stderr())
		}
	})
}

// TestOpenOfParentNamespace: a process cloned into a PID namespace without a /proc
// of its own sees that of the parent namespace, where it has another number.
func TestOpenOfParentNamespace(t *testing.T) {
	testns.RequireRoot(t)
	argv := testns.Self("open")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), "/proc belongs to another PID namespace: it calls process 1 by the number ") {
		t.Errorf("%s, %v", out, err)
	}
}

// TestOpenOfOtherNamespace: a process that shares the mounts of a container, but not
// its PID namespace, is not known to the /proc that it sees.
func TestOpenOfOtherNamespace(t *testing.T) {
	testns.RequireRoot(t)
	other := testns.Start(t, testns.Options{}, testns.Self("holder")...)
	cmd := exec.Command("nsenter", append([]string{"--target", strconv.Itoa(other.PID()), "--mount", "--"}, testns.Self("open")...)...)
	out, err := cmd.Output()
	if err != nil || string(out) != "/proc belongs to another PID namespace\n" {
		t.Errorf("%s, %v", out, err)
	}
}

// stalled DIR reads an environment that does not come, on one processor as PID 1
// does, and says so from another goroutine.
func stalled(args []string) int {
	runtime.GOMAXPROCS(1)
	dir, err := unix.Open(args[0], unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return complain(err)
	}
	fs := &FS{dir: dir, buf: make([]byte, 4096)}
	var began, ended atomic.Bool
	go func() {
		began.Store(true)
		fs.HasEnv(1, "X=y")
		ended.Store(true)
	}()
	for !began.Load() {
		runtime.Gosched()
	}
	fmt.Println("ended", ended.Load())
	return 0
}

// TestStalledReadStopsNobodyElse: a read of a process's memory waits for as long as
// that process likes. A pipe stands for it: without a writer opening it stalls, with
// one that says nothing reading does.
func TestStalledReadStopsNobodyElse(t *testing.T) {
	for name, writer := range map[string]bool{"open": false, "read": true} {
		t.Run(name, func(t *testing.T) {
			dir := processFolder(t)
			fifo := filepath.Join(dir, "1", "environ")
			if err := unix.Mkfifo(fifo, 0o644); err != nil {
				t.Fatal(err)
			}
			if writer {
				opened(t, fifo, os.O_RDWR)
			}
			argv := testns.Self("stalled", dir)
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			startProcess(t, cmd)
			said := make(chan string, 1)
			go func() {
				b := make([]byte, 64)
				n, _ := out.Read(b)
				said <- string(b[:n])
			}()
			select {
			case got := <-said:
				if got != "ended false\n" {
					t.Errorf("it said %q", got)
				}
			case <-time.After(20 * time.Second):
				t.Error("nothing goes on while a read stalls")
			}
		})
	}
}

// processFolder is a folder that looks like a /proc with a process 1, of which
// nothing can be read yet.
func processFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestEnvironmentInTheMiddleOfAnExec: a process that has just begun to execute a
// program shows an empty environment. The state is a pipe here, so that the
// environment can be there between the first read and the second.
func TestEnvironmentInTheMiddleOfAnExec(t *testing.T) {
	dir := processFolder(t)
	stat, environ := filepath.Join(dir, "1", "stat"), filepath.Join(dir, "1", "environ")
	if err := unix.Mkfifo(stat, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(environ, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	fs := &FS{dir: fd, buf: make([]byte, 4096)}
	defer fs.Close()
	type answer struct {
		has bool
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		has, err := fs.HasEnv(1, "SBINIT_KEEP=1")
		answers <- answer{has, err}
	}()
	writer := make(chan *os.File, 1)
	go func() { // opening waits for a reader of the state
		f, _ := os.OpenFile(stat, os.O_WRONLY, 0)
		writer <- f
	}()
	select {
	case f := <-writer:
		if err := os.WriteFile(environ, []byte("SBINIT_KEEP=1\x00"), 0o644); err != nil {
			t.Fatal(err)
		}
		f.WriteString(line("x", fields))
		f.Close()
	case got := <-answers:
		t.Fatalf("an empty environment was believed: %+v", got)
	}
	if got := <-answers; !got.has || got.err != nil {
		t.Errorf("%+v", got)
	}
}
