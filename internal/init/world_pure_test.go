package pid1

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/proc"
)

const (
	self     = 1
	mainPID  = 2
	runner   = 3 // who starts the daemons, a child of main
	graceful = 5 * time.Second
)

// A world is a container with a ledger, and time, which passes when a test says so.
// Its processes die as signals want them to, and their children come to us.
type world struct {
	t      *testing.T
	now    time.Time
	procs  map[int]proc.Stat
	ledger *ledger
	counts counts
	logged string // file
	marks  int    // ends of what was checked of it

	bears     map[int]uint64         // marks
	workers   map[int]bool           // of terminal sessions
	seals     map[int]bool           // below one of them, whatever it bears
	unmarked  bool                   // nobody can be marked
	stubborn  map[int]bool           // ignores everything but SIGKILL
	immortal  map[int]bool           // ignores SIGKILL as well: in an uninterruptible sleep
	refuse    map[int]error          // the kernel's answer to a signal
	onStart   func(pid int)          // nil: nothing
	verdict   func(inquiry) *verdict // what the inspector says at once; nil: nothing yet
	busy      bool                   // the inspector is
	asked     []inquiry
	sent      []string
	signalled []proc.ID
	verdicts  []verdict
}

// newWorld has the default settings but for what set changes.
func newWorld(t *testing.T, set func(*config.Config)) *world {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	logger := log.New(config.Config{LogLevel: config.LevelDebug}, int(f.Fd()))
	t.Cleanup(func() { logger.Close(); f.Close() })
	w := worldWith(t, logger, set)
	w.logged = file
	return w
}

func worldWith(t *testing.T, logger *log.Logger, set func(*config.Config)) *world {
	cfg := config.Config{Orphans: config.OrphansAbandoned, OrphanGrace: graceful, KillGrace: graceful}
	if set != nil {
		set(&cfg)
	}
	w := &world{
		t: t, now: time.Unix(1000, 0), procs: map[int]proc.Stat{},
		bears: map[int]uint64{}, stubborn: map[int]bool{}, immortal: map[int]bool{}, refuse: map[int]error{},
	}
	w.ledger = newLedger(self, cfg, w, logger, &w.counts)
	w.start(self, 0)
	w.start(mainPID, self)
	w.start(runner, mainPID)
	return w
}

// start adds a process, in the session of main unless it leads its own.
func (w *world) start(pid, parent int) proc.ID {
	s := proc.Stat{
		ID: proc.ID{PID: pid, Start: uint64(w.now.Unix())}, PPID: parent, PGID: mainPID, SID: mainPID, State: 'S', Threads: 1,
	}
	w.procs[pid] = s
	w.bears[pid] = w.bears[parent]
	if w.onStart != nil {
		w.onStart(pid)
	}
	return s.ID
}

// setsid makes a process the leader of a session, or puts it into that of another.
func (w *world) setsid(pid, session int) {
	p := w.procs[pid]
	p.SID, p.PGID = session, session
	w.procs[pid] = p
}

// die removes a process and gives its children to us.
func (w *world) die(pid int) {
	delete(w.procs, pid)
	for child, p := range w.procs {
		if p.PPID == pid {
			p.PPID = self
			w.procs[child] = p
		}
	}
	w.ledger.reaped(pid)
}

// daemonDies leaves process 11, and whatever is below it, without a parent.
func (w *world) daemonDies() {
	w.start(10, runner)
	w.start(11, 10)
	w.look()
	w.die(10)
	w.look()
}

func (w *world) snapshot() *proc.Snapshot {
	s := &proc.Snapshot{}
	for _, p := range w.procs {
		s.Procs = append(s.Procs, p)
	}
	s.Index()
	return s
}

// look is what the loop does (container.stepOrphans).
func (w *world) look() {
	s := w.snapshot()
	w.ledger.observe(s, w.now)
	for len(w.verdicts) > 0 {
		v := w.verdicts[0]
		w.verdicts = w.verdicts[1:]
		w.ledger.decide(v, s, w.now)
	}
	w.ledger.step(s, w.now)
}

// pass lets time go by, with a tick each second and a look whenever something is due.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	end, tick := w.now.Add(d), w.now.Add(time.Second)
	for steps := 0; ; steps++ {
		if steps > 20_000 {
			w.t.Fatal("there is always something due")
		}
		next := earliest(w.ledger.due(), tick, end)
		if len(w.verdicts) == 0 && next.After(w.now) {
			w.now = next
		}
		if !w.now.Before(tick) {
			w.ledger.ticked(w.now)
			tick = tick.Add(time.Second)
		}
		w.look()
		if !w.now.Before(end) && len(w.verdicts) == 0 && !reached(w.ledger.due(), w.now) {
			return
		}
	}
}

// answer is the inspector's, to all that it has been asked since.
func (w *world) answer(give func(inquiry) verdict) {
	for _, q := range w.asked {
		w.verdicts = append(w.verdicts, give(q))
	}
	w.asked = nil
	w.look()
}

func (w *world) signal(id proc.ID, sigs ...unix.Signal) error {
	p, ok := w.procs[id.PID]
	if !ok || p.ID != id {
		return contain.ErrGone
	}
	if err := w.refuse[id.PID]; err != nil {
		return err
	}
	w.sent, w.signalled = append(w.sent, fmt.Sprint(id.PID, sigs)), append(w.signalled, id)
	switch {
	case w.immortal[id.PID]:
	case sigs[0] == unix.SIGKILL || !w.stubborn[id.PID]:
		w.die(id.PID)
	}
	return nil
}

func (w *world) inspect(q inquiry) bool {
	if w.busy {
		return false
	}
	w.asked = append(w.asked, q)
	w.markAll(q)
	if w.verdict != nil {
		if v := w.verdict(q); v != nil {
			w.verdicts = append(w.verdicts, *v)
		}
	}
	return true
}

// markAll does what the inspector does.
func (w *world) markAll(q inquiry) {
	if q.kind != aboutMark || w.unmarked {
		return
	}
	for _, id := range q.others {
		if p, ok := w.procs[id.PID]; ok && p.ID == id {
			w.bears[id.PID] = q.mark
		}
	}
}

func (w *world) spawned(pid int) bool { return pid == mainPID || w.workers[pid] }

func (w *world) watch(proc.ID) {}

func (w *world) mark(pid int) uint64 { return w.bears[pid] }

func (w *world) sealed(pid int) bool { return w.seals[pid] }

// always is an inspector that says the same of everybody.
func always(v verdict) func(inquiry) *verdict {
	return func(q inquiry) *verdict {
		v := v
		v.kind, v.subject = q.kind, q.subject
		return &v
	}
}

var (
	lost    = verdict{name: "acp", abandoned: true}
	healthy = verdict{name: "vite"}
)

// alive lists who is left besides us, main and the runner.
func (w *world) alive() (pids []int) {
	for pid := range w.procs {
		if pid > runner {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

func (w *world) wantAlive(pids ...int) {
	w.t.Helper()
	if got := w.alive(); !slices.Equal(got, pids) {
		w.t.Errorf("alive are %v, want %v", got, pids)
	}
}

func (w *world) wantSent(sent ...string) {
	w.t.Helper()
	slices.Sort(w.sent)
	slices.Sort(sent)
	if !slices.Equal(w.sent, sent) {
		w.t.Errorf("sent %q, want %q", w.sent, sent)
	}
}

// wantLogged waits for the log's own goroutine to have written so many such lines.
func (w *world) wantLogged(count int, text string) {
	w.t.Helper()
	w.marks++
	mark := fmt.Sprintf("mark %d\n", w.marks)
	w.ledger.log.Error(strings.TrimSpace(mark))
	var lines string
	for deadline := time.Now().Add(time.Minute); !strings.HasSuffix(lines, mark); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("the log ends with %q", lines)
		}
		b, err := os.ReadFile(w.logged)
		if err != nil {
			w.t.Fatal(err)
		}
		lines = string(b)
	}
	if got := strings.Count(lines, text); got != count {
		w.t.Errorf("%q was logged %d times, want %d:\n%s", text, got, count, lines)
	}
}
