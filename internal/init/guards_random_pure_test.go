package pid1

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/log"
)

// sureAge is the age at which a guard has been asked for its name twice.
const sureAge = 3 * time.Second

// lives is what truly happened in a guardWorld: it forgets nobody, and sees all.
type lives struct {
	*guardWorld
	next   int
	of     map[int]*life
	marked map[uint64]int // whom a mark was given to
}

// A life is that of one process.
type life struct {
	parent     int // that started it
	born, last time.Time
	mark       uint64 // that it was started with
	seen       bool   // at a look, with the parent that started it
	execs      bool   // has executed another program
	doomed     bool   // a guard that has ended without an heir
}

func newLives(t *testing.T, logger *log.Logger) *lives {
	w := worldWith(t, logger, guardSettings)
	l := &lives{guardWorld: withGuards(w), next: 100, of: map[int]*life{}, marked: map[uint64]int{}}
	return l
}

func (l *lives) begin(r *rapid.T, parent int, start func(pid, parent int)) int {
	pid := l.next
	l.next++
	start(pid, parent)
	r.Logf("%d starts %d, a %d with mark %x", parent, pid, l.name(pid), l.bears[pid])
	l.of[pid] = &life{parent: parent, born: l.now, last: l.now, mark: l.bears[pid]}
	return pid
}

func (l *lives) named(entry int) func(pid, parent int) {
	return func(pid, parent int) { l.fork(pid, parent); l.exec(pid, entry) }
}

func (l *lives) living(pid int) bool { _, ok := l.procs[pid]; return ok }

// above calls fn for each guard above a process, the nearest first, until it says no.
func (l *lives) above(pid int, fn func(guard int) bool) {
	for p := l.of[pid]; p != nil && l.of[p.parent] != nil; p = l.of[p.parent] {
		if l.name(p.parent) != nobody && !fn(p.parent) {
			return
		}
	}
}

func (l *lives) nearest(pid int) (guard int) {
	l.above(pid, func(g int) bool { guard = g; return false })
	return guard
}

// linked says whether it can be known who started a process.
func (l *lives) linked(pid int) bool {
	p := l.of[pid]
	return p.seen || p.mark != 0 && l.marked[p.mark] == l.nearest(pid)
}

// heir says whether a guard has a living descendant of its name that can be known for
// one; or, if any is set, one that cannot.
func (l *lives) heir(guard int, any bool) bool {
	for pid := range l.of {
		if l.living(pid) && l.name(pid) == l.name(guard) && l.isBelow(pid, guard, any) {
			return true
		}
	}
	return false
}

func (l *lives) isBelow(pid, guard int, any bool) bool {
	from := pid
	for ; l.of[pid] != nil; pid = l.of[pid].parent {
		if !any && !l.linked(pid) {
			return false
		}
		if l.of[pid].parent == guard {
			return any || !l.tookOver(from, guard)
		}
	}
	return false
}

// first is the topmost of the guards of one name, each above the next, that have ended
// down to this one: it may have taken over from them, and so may any below these.
func (l *lives) first(guard int) int {
	top := guard
	l.above(guard, func(g int) bool {
		if l.name(g) == l.name(guard) && !l.living(g) {
			top = g
		}
		return true
	})
	return top
}

// tookOver says whether a process, or one between it and a guard, may have taken over
// from an outer guard, and with that left the inner one.
func (l *lives) tookOver(pid, guard int) (took bool) {
	for ; pid != guard; pid = l.of[pid].parent {
		l.above(guard, func(g int) bool {
			took = took || l.living(pid) && !l.living(g) && l.name(g) == l.name(pid)
			return !took
		})
	}
	return took
}

// note brings the truth up to date before a look.
func (l *lives) note() {
	for pid, p := range l.of {
		if l.living(pid) {
			p.last = l.now
			continue
		}
		p.doomed = p.doomed || l.name(pid) != nobody && !l.heir(pid, false)
	}
}

// noteSeen is for after it.
func (l *lives) noteSeen() {
	for pid, p := range l.of {
		p.seen = p.seen || l.living(pid) && l.procs[pid].PPID == p.parent
	}
	for mark, k := range l.ledger.marks.of {
		if _, ok := l.marked[mark]; !ok {
			l.marked[mark] = k.PID
		}
	}
}

func (l *lives) lookAndNote() {
	l.note()
	l.look()
	l.noteSeen()
}

func (l *lives) passAndNote(d time.Duration) {
	l.note()
	l.pass(d)
	l.note()
	l.noteSeen()
}

// sure says whether nobody can take a guard for a fork that was to become another.
func (l *lives) sure(guard int) bool {
	p := l.of[guard]
	return p.last.Sub(p.born) >= sureAge
}

// check finds who was ended and should not have been.
func (l *lives) check(r *rapid.T) {
	l.note()
	for _, id := range l.signalled {
		fair := false
		l.above(id.PID, func(g int) bool { fair = l.of[g].doomed; return !fair })
		if !fair {
			r.Fatalf("%d was signalled, and no guard above it has ended: %+v", id.PID, l.line(id.PID))
		}
	}
	l.signalled = l.signalled[:0]
}

// checkSettled finds who should have been ended and was not.
func (l *lives) checkSettled(r *rapid.T) {
	for pid, p := range l.of {
		g := l.nearest(pid)
		if l.living(pid) && g != 0 && p.mark != 0 && l.marked[p.mark] == g &&
			l.of[g].doomed && !l.heir(l.first(g), true) && !l.tookOver(pid, g) && l.sure(g) {
			r.Fatalf("%d is alive, and its guard %d has ended: %+v", pid, g, l.line(pid))
		}
	}
}

// line is for the log of a failed test.
func (l *lives) line(pid int) (up []struct{ PID, Name int }) {
	for ; l.of[pid] != nil; pid = l.of[pid].parent {
		up = append(up, struct{ PID, Name int }{pid, l.name(pid)})
	}
	return up
}

// TestRandomGuards: whatever is started, ends, and is looked at in whatever order, a
// guard that has ended without an heir leaves nobody who bears its mark, and nobody is
// ended who is below no such guard.
func TestRandomGuards(t *testing.T) {
	logger := log.New(config.Config{LogLevel: config.LevelError}, -1)
	defer logger.Close()
	var ended, late, handed int
	rapid.Check(t, func(r *rapid.T) {
		l := newLives(t, logger)
		pick := func(r *rapid.T) int {
			return rapid.SampledFrom(append(l.alive(), runner)).Draw(r, "process")
		}
		anyName := rapid.SampledFrom([]int{nobody, nobody, nobody, agent, agent, helper})
		begin := func(r *rapid.T, start func(pid, parent int)) int {
			pid := l.begin(r, pick(r), start)
			l.stubborn[pid] = rapid.IntRange(0, 3).Draw(r, "stubborn") == 0
			if rapid.IntRange(0, 3).Draw(r, "setsid") == 0 {
				l.setsid(pid, pid)
			}
			return pid
		}
		end := func(pid int) {
			if pid != runner && l.living(pid) {
				l.die(pid)
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"start": func(r *rapid.T) { begin(r, l.named(anyName.Draw(r, "name"))) },
			"start and end": func(r *rapid.T) { // an orphan of unseen line, often
				middle := begin(r, l.named(nobody))
				l.begin(r, middle, l.named(anyName.Draw(r, "name")))
				end(middle)
			},
			"fork": func(r *rapid.T) { // looked at before it executes its program
				parent := pick(r)
				pid := l.begin(r, parent, l.fork)
				l.lookAndNote()
				l.lookAndNote()
				if rapid.Bool().Draw(r, "parent ends") {
					end(parent)
					l.lookAndNote()
				}
				l.exec(pid, nobody)
			},
			"daemonize": func(r *rapid.T) {
				parent := pick(r)
				if parent == runner || l.name(parent) == nobody {
					return
				}
				l.begin(r, parent, l.fork)
				if rapid.Bool().Draw(r, "seen") {
					l.lookAndNote()
				}
				end(parent)
			},
			"exec": func(r *rapid.T) {
				pid := pick(r)
				if pid == runner || l.of[pid].execs || l.now.Sub(l.of[pid].born) >= askPause {
					return // who has come of age is not asked again
				}
				l.of[pid].execs = true
				l.exec(pid, anyName.Draw(r, "name"))
				l.passAndNote(2 * time.Second)
			},
			"end":  func(r *rapid.T) { end(pick(r)) },
			"look": func(r *rapid.T) { l.lookAndNote() },
			"pass": func(r *rapid.T) {
				l.passAndNote(time.Duration(rapid.IntRange(0, 8000).Draw(r, "ms")) * time.Millisecond)
			},
			"": func(r *rapid.T) { l.check(r) },
		})
		l.passAndNote(time.Minute)
		l.passAndNote(time.Minute)
		l.check(r)
		l.checkSettled(r)
		for pid, p := range l.of {
			if g := l.nearest(pid); g != 0 && !l.living(pid) && l.of[g].doomed {
				ended++
				if !p.seen {
					late++
				}
			}
			if l.name(pid) != nobody && !l.living(pid) && l.heir(pid, false) {
				handed++
			}
		}
	})
	if ended == 0 || late == 0 || handed == 0 {
		t.Errorf("%d were below a guard that ended, %d of unseen line, %d guards handed over: too few to tell", ended, late, handed)
	}
	t.Logf("%d were below a guard that ended, %d of unseen line; %d guards handed over", ended, late, handed)
}
