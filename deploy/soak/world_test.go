//go:build soak

package soak

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("main", mainProgram) }

// mainProgram is the container's: it runs each line that it reads by a shell, in a process
// group of its own, and says how that ended.
func mainProgram([]string) int {
	signal.Notify(make(chan os.Signal, 1), syscall.Signal(queued), unix.SIGWINCH)
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for lines.Scan() {
		cmd := exec.Command("sh", "-c", lines.Text())
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(cmd.Process.Pid, lines.Text())
		go func() {
			if err := cmd.Wait(); err != nil {
				fmt.Println(cmd.Process.Pid, err)
			}
		}()
	}
	return 0
}

// A world is a container with sbinit as PID 1, and what was done to it.
type world struct {
	*testns.Container
	t      *testing.T
	socket string
	tool   string
	named  map[string]string // the tool under other names

	mu   sync.Mutex
	done map[string]int // how often what was done
	stay []string       // tokens of orphans that are to stay
	last int            // token

	look  sync.Mutex
	seen  []testns.Process
	since time.Time
	peak  int // the most that were seen at once
}

// settings are short, that much happens, but not so short that a slow machine matters: who
// is to be ended by SIGTERM may be ended by SIGKILL as well. A child of the main program
// is in the group of that until it has its own, and would die of signals sent to it.
var settings = []string{
	"SBINIT_GUARD=agentd", "SBINIT_ORPHAN_GRACE=300ms", "SBINIT_KILL_GRACE=500ms", "SBINIT_SCAN_INTERVAL=100ms",
	"SBINIT_EXIT_GRACE=1s", "SBINIT_FORWARD=child", "SBINIT_TERMINAL_SESSIONS=64",
	"SBINIT_TERMINAL_CLEANUP_TIMEOUT=20s",
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, tool: testns.Tool(t), named: map[string]string{}, done: map[string]int{}}
	w.socket = filepath.Join(testns.Dir(t), "socket")
	for _, name := range []string{"leak", "resident"} {
		w.named[name] = testns.As(t, name, w.tool)
	}
	o := testns.Options{Stdin: testns.Pipe, Env: w.environ()}
	w.Container = testns.Start(t, o, append([]string{testns.Build(t), "--"}, testns.Self("main")...)...)
	w.WaitFor(t, "the main program", func() bool { return strings.Contains(w.Stdout(), "ready\n") })
	return w
}

// environ has what shells add, too: what a guard has and the main program has not is
// evidence of who belongs to the guard.
func (w *world) environ() []string {
	return testns.Environ(append(settings, "SBINIT_SOCKET="+w.socket, "TOOL="+w.tool, "PWD=/")...)
}

// run has the main program start something.
func (w *world) run(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintln(w.Input(), line); err != nil {
		w.t.Errorf("telling the main program: %v", err)
	}
}

// did counts what was done.
func (w *world) did(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[what]++
}

// times is how often something was done.
func (w *world) times(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done[what]
}

// token is an argument by which the processes of one act are known.
func (w *world) token() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	return fmt.Sprintf("token-%d.", w.last)
}

// processes is a picture of the container that is not much older than now. All actors
// share it: to read it costs more than what they do.
func (w *world) processes() []testns.Process {
	w.look.Lock()
	defer w.look.Unlock()
	if time.Since(w.since) > 50*time.Millisecond {
		now := time.Now()
		w.seen, w.since = w.Processes(), now
		w.peak = max(w.peak, len(w.seen))
	}
	return w.seen
}

// of lists those of an act that run the program called name; any with no name.
func (w *world) of(token, name string) (list []testns.Process) {
	for _, p := range w.processes() {
		if p.Alive() && slices.ContainsFunc(p.Args, func(a string) bool { return strings.Contains(a, token) }) &&
			(name == "" || p.Is(name)) {
			list = append(list, p)
		}
	}
	return list
}

// one waits for one such process.
func (w *world) one(token, name string) (found testns.Process) {
	w.WaitFor(w.t, "a process "+name+" of "+token, func() bool {
		list := w.of(token, name)
		if len(list) != 1 {
			return false
		}
		found = list[0]
		return true
	})
	return found
}

// count waits until so many processes of an act run the program called name.
func (w *world) count(token, name string, n int) {
	w.WaitFor(w.t, fmt.Sprintf("%d processes %s of %s", n, name, token), func() bool { return len(w.of(token, name)) == n })
}

// gone waits until nobody of an act is left.
func (w *world) gone(token string) { w.count(token, "", 0) }

// status asks for one.
func (w *world) status() *control.Status {
	c := w.call()
	defer c.hangUp()
	c.write([]byte(control.Request))
	text := c.rest()
	s, err := control.Decode(text)
	if err != nil {
		w.t.Fatalf("the status is %q: %v", text, err)
	}
	return s
}
