package pid1

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("ticks", ticks) }

// fork starts a program that ends at once, and waits for it.
func fork() error { return exec.Command("/bin/true").Run() }

func quietWatcher(pidfds bool) (*watcher, error) {
	fs, err := proc.Open()
	if err != nil {
		return nil, err
	}
	poll, err := newPoller()
	if err != nil {
		return nil, err
	}
	return newWatcher(os.Getpid(), fs, poll, log.New(config.Config{}, 2), pidfds, time.Second), nil
}

// ticks runs a watcher's ticks, at times of its own making, in a PID namespace where
// nobody else starts anything. It prints what came of each.
func ticks([]string) int {
	w, err := quietWatcher(true)
	if err == nil {
		w.beforeFork()
		err = fork()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	now := time.Unix(1000, 0)
	w.afterFork(0, now)
	fmt.Println("trusted", w.trustPID, "wanted", w.wanted, "next", w.nextTick.Sub(now))
	early := w.tick(now.Add(time.Second - 1))
	fmt.Println("too early", early)
	tick := func(what string) {
		now = w.nextTick
		ticked := w.tick(now)
		fmt.Println(what, ticked, "wanted", w.wanted, "next", w.nextTick.Sub(now))
		w.wanted = false
	}
	settle(w)
	tick("nothing started")
	if err := fork(); err != nil {
		fmt.Println(err)
		return 1
	}
	tick("something started")
	for now.Before(w.lastFork.Add(quietAfter - time.Second)) {
		now = w.nextTick
		w.tick(now)
	}
	tick("a minute of quiet")
	w.eager = true
	tick("guards")
	w.eager = false
	if err := fork(); err != nil {
		fmt.Println(err)
		return 1
	}
	tick("started again")
	return 0
}

// settle lets the Go runtime start the threads that it still wants.
func settle(w *watcher) {
	for quiet := 0; quiet < 100; quiet++ {
		if w.started() {
			quiet = 0
		}
	}
	w.wanted = false
}

func TestTicks(t *testing.T) {
	c := testns.Start(t, testns.Options{}, testns.Self("ticks")...)
	c.Wait(t)
	const want = `trusted true wanted true next 1s
too early false
nothing started true wanted false next 1s
something started true wanted true next 1s
a minute of quiet true wanted false next 5s
guards true wanted false next 1s
started again true wanted true next 1s
`
	if got := c.Stdout(); got != want {
		t.Errorf("%s%swant %s", got, c.Stderr(), want)
	}
}

// TestTickWithoutTrust: where the number of the last process says nothing, each tick
// wants a look.
func TestTickWithoutTrust(t *testing.T) {
	w, err := quietWatcher(true)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	w.afterFork(1<<30, now) // our own fork did not show in it
	if w.trustPID {
		t.Fatal("trusted")
	}
	for range 100 {
		w.wanted = false
		now = w.nextTick
		if !w.tick(now) || !w.wanted || w.nextTick.Sub(now) != time.Second {
			t.Fatalf("wanted %v, next in %v", w.wanted, w.nextTick.Sub(now))
		}
	}
}

// TestSlowTick: an interval longer than the slower tick stays what it is.
func TestSlowTick(t *testing.T) {
	w, err := quietWatcher(true)
	if err != nil {
		t.Fatal(err)
	}
	w.interval = time.Minute
	now := time.Unix(1000, 0)
	w.afterFork(0, now)
	w.tick(w.nextTick)
	if next := w.nextTick.Sub(now); next != 2*time.Minute {
		t.Errorf("next after %v", next)
	}
}

// TestLooksAreBounded: the first look waits until the main program has had the time to
// start somebody, an event's until looks have cost little enough; one that cannot wait
// does not, and a tick's due time stands.
func TestLooksAreBounded(t *testing.T) {
	w, err := quietWatcher(false)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	w.afterFork(0, now)
	if first := now.Add(execTime); w.ready(now) || !w.ready(first) || w.due() != first {
		t.Errorf("ready %v at once, due in %v", w.ready(now), w.due().Sub(now))
	}
	if err := w.look(now); err != nil {
		t.Fatal(err)
	}
	if w.ready(now) || !w.notBefore.After(now) {
		t.Errorf("wanted %v, not before %v", w.wanted, w.notBefore.Sub(now))
	}
	w.notBefore = now.Add(100 * time.Millisecond)
	if due := w.due(); !due.Equal(w.nextTick) {
		t.Errorf("nothing is wanted, and due in %v", due.Sub(now))
	}
	w.wanted = true
	if due := w.due(); due.Sub(now) != 100*time.Millisecond || w.ready(now) || !w.ready(due) {
		t.Errorf("due in %v", due.Sub(now))
	}
	w.lookNow()
	if !w.ready(now) {
		t.Error("a look that cannot wait has to")
	}
}

// TestWatchesParents: a pidfd for each process with children, given back when it has
// ended, and none for those without.
func TestWatchesParents(t *testing.T) {
	w, err := quietWatcher(true)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo ready; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end := func() {
		if !ended {
			unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
			cmd.Wait()
			ended = true
		}
	}
	defer end()
	if _, err := out.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	watched := func() (fd int) {
		if err := w.look(time.Now()); err != nil {
			t.Fatal(err)
		}
		for id, held := range w.parents {
			if id.PID == cmd.Process.Pid {
				fd = held
			} else if id.PID != w.self {
				t.Errorf("process %d is watched too", id.PID)
			}
		}
		return fd
	}
	fd := watched()
	if fd == 0 || watched() != fd {
		t.Fatalf("watched by %d, then %d", fd, watched())
	}
	end()
	var by []int
	woken(t, w.poll, true, func(kind int32, fd int) {
		if kind == onParent {
			by = append(by, fd)
		}
	})
	if len(by) != 1 || by[0] != fd {
		t.Fatalf("woken by %v, want %d", by, fd)
	}
	if id, ok := w.parentEnded(fd, time.Now()); !ok || id.PID != cmd.Process.Pid || len(w.parents) != 0 || len(w.byFD) != 0 {
		t.Errorf("%v, %v; still held %v", id, ok, w.parents)
	}
	if _, ok := w.parentEnded(fd, time.Now()); ok {
		t.Error("it ended twice")
	}
}

// TestGlancePutOff: a storm of reaped children is one reason for a glance, which comes a
// little later, and still later where the last one took long. The end of a process that
// was seen to have children is a reason at once.
func TestGlancePutOff(t *testing.T) {
	w, err := quietWatcher(true)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	w.bereaved(now)
	w.bereaved(now.Add(time.Millisecond))
	if want := now.Add(glancePause); w.glanceAt != want || w.due().After(want) {
		t.Errorf("glance in %v, due in %v", w.glanceAt.Sub(now), w.due().Sub(now))
	}
	w.parentEnded(-1, now)
	if w.glanceAt != now {
		t.Errorf("glance in %v after a parent's end", w.glanceAt.Sub(now))
	}
	w.glance(func(int) {})
	if !w.glanceAt.IsZero() || w.pause < glancePause {
		t.Errorf("after a glance: another one in %v, then after %v", w.glanceAt.Sub(now), w.pause)
	}
	w.pause = time.Hour
	w.bereaved(now)
	if w.glanceAt != now.Add(time.Hour) {
		t.Errorf("glance in %v where they are dear", w.glanceAt.Sub(now))
	}
}

// TestLookFails: it is taken again after a while, and not at once for whoever is due; a
// glance goes on. A parent that has ended since the last look is a reason for one.
func TestLookFails(t *testing.T) {
	w, err := quietWatcher(true)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	w.parents[proc.ID{PID: 1 << 30}] = -1
	if err := w.look(now); err != nil || w.glanceAt.IsZero() || w.failed(now) {
		t.Errorf("%v, glance at %v, failed %v", err, w.glanceAt, w.failed(now))
	}
	w.fs.Close()
	if err := w.look(now); err == nil {
		t.Fatal("a look without /proc")
	}
	later := now.Add(lookRetry)
	w.glanceAt = time.Time{}
	if !w.failed(now) || w.failed(later) || w.ready(now) || !w.ready(later) || w.due() != later {
		t.Errorf("failed %v, ready %v, due in %v", w.failed(now), w.ready(now), w.due().Sub(now))
	}
}
