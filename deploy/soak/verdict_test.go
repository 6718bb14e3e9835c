//go:build soak

package soak

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// An upkeep is what PID 1 costs. Goroutines are not seen from outside; one that is left
// over keeps its stack, and most often a descriptor or a thread.
type upkeep struct{ descriptors, sockets, threads, kilobytes int }

// margin is in kB, of 4,000: as much as the runtime may keep of what was freed.
const margin = 512

func (u upkeep) atMost(before upkeep) bool {
	return u.descriptors == before.descriptors && u.threads <= before.threads && u.kilobytes <= before.kilobytes+margin
}

// upkeep reads the host's /proc about PID 1.
func (w *world) upkeep() (u upkeep) {
	dir := fmt.Sprintf("/proc/%d/", w.PID())
	open, err := os.ReadDir(dir + "fd")
	if err != nil {
		w.t.Fatal(err)
	}
	u.descriptors = len(open)
	for _, fd := range open {
		if link, _ := os.Readlink(dir + "fd/" + fd.Name()); strings.HasPrefix(link, "socket:") {
			u.sockets++
		}
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		w.t.Fatal(err)
	}
	for key, value := range map[string]*int{"\nThreads:": &u.threads, "\nRssAnon:": &u.kilobytes} {
		_, rest, _ := strings.Cut(string(status), key)
		if _, err := fmt.Sscan(rest, value); err != nil {
			w.t.Fatalf("%s of %q: %v", key, status, err)
		}
	}
	return u
}

// settled waits until nobody is left but sbinit, its main program and the orphans that are
// to stay, and nobody is connected.
func (w *world) settled() upkeep {
	w.t.Helper()
	w.WaitFor(w.t, fmt.Sprintf("all to be gone but %v", w.stay), func() bool { return len(w.Processes()) == 2+len(w.stay) })
	for _, token := range w.stay {
		w.one(token, "resident")
	}
	w.WaitFor(w.t, "connections to be closed", func() bool { return w.upkeep().sockets == 1 })
	return w.upkeep()
}

// settledLike gives PID 1 time to give back what it took.
func (w *world) settledLike(before upkeep) (now upkeep) {
	w.t.Helper()
	now = w.settled()
	for deadline := time.Now().Add(testns.WaitLimit); !now.atMost(before) && time.Now().Before(deadline); now = w.upkeep() {
		time.Sleep(100 * time.Millisecond)
	}
	return now
}

func (w *world) checkUpkeep(before, after upkeep) {
	w.t.Helper()
	if !after.atMost(before) {
		w.t.Errorf("PID 1 took %+v, and takes %+v now", before, after)
	}
}

// ask runs a view inside, and returns what it prints.
func (w *world) ask(argv ...string) string {
	w.t.Helper()
	status, out := w.Exec(w.t, append([]string{testns.Build(w.t)}, argv...)...).Wait(w.t)
	if status != (testns.Status{}) {
		w.t.Errorf("%q: %v: %s", argv, status, out)
	}
	return out
}

// checkCounts holds `sbinit stats` against what was done.
func (w *world) checkCounts() {
	w.t.Helper()
	s, err := control.Decode([]byte(w.ask("stats", "--json")))
	if err != nil {
		w.t.Fatal(err)
	}
	c := s.Counts
	bothered := w.done["nuisances' sessions"]
	for what, n := range map[string][2]int{
		"endings that failed":      {int(c.Failed), 0},
		"sessions not contained":   {int(c.SessionsEscaped), 0},
		"sessions refused":         {int(c.SessionsRefused), 0},
		"log lines dropped":        {int(c.LogDropped), 0},
		"sessions opened":          {int(c.SessionsOpened), w.done["sessions"] + bothered},
		"signals forwarded":        {int(c.Forwarded), w.done["signals"]},
		"orphans kept":             {int(c.Kept), w.done["kept"]},
		"orphans now":              {s.Orphans.Total(), len(w.stay)},
		"orphans being ended":      {s.Orphans.Ending + s.Orphans.Owned, 0},
		"guards now":               {len(s.Guards), 0},
		"sessions now":             {len(s.Sessions), 0},
		"sessions of bad callers":  {w.badlyEnded(c.SessionsEnded), bothered},
		"endings that were logged": {int(c.Terminated), w.endingsLogged()},
	} {
		if n[0] != n[1] {
			w.t.Errorf("%s: sbinit says %d, it should be %d", what, n[0], n[1])
		}
	}
}

// badlyEnded counts how sessions ended beyond those that were ended properly.
func (w *world) badlyEnded(ended []control.Tally) (n int) {
	for _, t := range ended {
		more := int(t.N) - w.done["ended "+t.Name]
		if more < 0 || more > 0 && (t.Name == "killed" || t.Name == string(wire.ReasonShutdown)) {
			w.t.Errorf("%d sessions ended as %s, it should be %d", t.N, t.Name, w.done["ended "+t.Name])
		}
		n += more
	}
	return n
}

// checkOrphans has PID 1 and /proc asked who is an orphan.
func (w *world) checkOrphans() {
	w.t.Helper()
	want := fmt.Sprintln(len(w.stay))
	for _, argv := range [][]string{{"orphans", "--count"}, {"orphans", "--count", "--match", "resident"}} {
		if got := w.ask(argv...); got != want {
			w.t.Errorf("%q says %q, it should be %q", argv, got, want)
		}
	}
	w.ask("check", "--max-zombies", "0")
}

// The lines that the log has to have.
const (
	agentEnded   = "guarded daemon has ended: what it started is terminated"
	orphanEnded  = "orphan terminated"
	sessionEnded = "terminal session's worker has gone: what it left is terminated"
	workerDied   = "terminal session's worker has died"
	workerHalted = "terminal session's worker was stopped, and is killed"
)

var loud = regexp.MustCompile(`(?m)^.*sbinit: (?:warn|error): ([^{\n]*?)\s*(?:\{.*)?$`)

// logged counts the lines at warn and above by what they say.
func (w *world) logged() map[string]int {
	n := map[string]int{}
	for _, line := range loud.FindAllStringSubmatch(w.Stderr(), -1) {
		n[line[1]]++
	}
	return n
}

func (w *world) endingsLogged() int {
	n := w.logged()
	return n[agentEnded] + n[orphanEnded] + n[sessionEnded]
}

// checkLog: each end that was caused was said, and nothing else was. What a guard or a worker
// left may be found, and be said, in more than one piece.
func (w *world) checkLog() {
	w.t.Helper()
	n := w.logged()
	if n[orphanEnded] != w.done["leaks"] || n[workerHalted] != w.done["workers stopped"] || n[workerDied] != w.done["ended killed"] ||
		n[agentEnded] < w.done["guards"] || n[sessionEnded] < w.done["ended killed"] {
		w.t.Errorf("the log has %v, and done was %v", n, w.done)
	}
	others := maps.Clone(n)
	for _, known := range []string{agentEnded, orphanEnded, sessionEnded, workerDied, workerHalted} {
		delete(others, known)
	}
	if len(others) > 0 {
		w.t.Errorf("the log has %v:\n%s", others, w.Stderr())
	}
}

// finish ends the main program, and with it the container, properly.
func (w *world) finish() {
	w.t.Helper()
	w.Input().Close()
	if s := w.Wait(w.t); s != (testns.Status{}) {
		w.t.Errorf("ended with %v", s)
	}
	for _, bad := range []string{"panic", "goroutine ", "fatal error", "runtime:"} {
		if strings.Contains(w.Stderr(), bad) {
			w.t.Errorf("somebody crashed:\n%s", w.Stderr())
		}
	}
}
