package contain

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// A crowd is a population that does as it is told, or not.
type crowd struct {
	left  int
	obeys unix.Signal   // the signal that ends one of them
	each  time.Duration // how long one takes to end
	ends  []time.Time
	now   time.Time
	told  []string // what was said, and when
	begun time.Time
}

func (c *crowd) Tell(sigs ...unix.Signal) Tally {
	c.told = append(c.told, fmt.Sprint(c.now.Sub(c.begun), sigs))
	if !slices.Contains(sigs, c.obeys) {
		return Tally{Refused: c.left}
	}
	fresh := c.left - len(c.ends)
	for i := range fresh {
		c.ends = append(c.ends, c.now.Add(time.Duration(i+1)*c.each))
	}
	return Tally{Signalled: fresh}
}

func (c *crowd) Empty() bool {
	for len(c.ends) > 0 && !c.now.Before(c.ends[0]) {
		c.ends, c.left = c.ends[1:], c.left-1
	}
	return c.left == 0
}

func (c *crowd) Survivors() []proc.Stat { return make([]proc.Stat, c.left) }

// climb steps when something is due, for as long as d or until it is done.
func climb(t *testing.T, c *crowd, l *Ladder, d time.Duration) {
	t.Helper()
	end := c.now.Add(d)
	for steps := 0; !l.Done(); steps++ {
		if steps > 5000 {
			t.Fatal("there is always something due")
		}
		if l.Due().Before(c.now) {
			t.Fatalf("due %v ago", c.now.Sub(l.Due()))
		}
		if l.Due().After(end) {
			c.now = end
			return
		}
		c.now = l.Due()
		l.Step(c.now)
	}
}

func newCrowd(size int, obeys unix.Signal, each time.Duration) *crowd {
	now := time.Unix(1000, 0)
	return &crowd{left: size, obeys: obeys, each: each, now: now, begun: now}
}

func TestLadderNobody(t *testing.T) {
	c := newCrowd(0, 0, 0)
	l := NewLadder(c, time.Second, time.Second, c.now)
	climb(t, c, l, 0)
	if r := l.Report(); !l.Done() || !r.Contained || r.Passes != 0 || len(c.told) != 0 {
		t.Errorf("%+v, told %v", r, c.told)
	}
}

// TestLadderPolite: who ends on SIGTERM gets nothing harder, and the end is noticed
// soon.
func TestLadderPolite(t *testing.T) {
	c := newCrowd(3, unix.SIGTERM, time.Second)
	l := NewLadder(c, 5*time.Second, time.Second, c.now)
	climb(t, c, l, time.Hour)
	r := l.Report()
	if !r.Contained || r.Killed != 0 || r.Took < 3*time.Second || r.Took > 3*time.Second+politePause || l.Killing() {
		t.Errorf("%+v", r)
	}
	if slices.ContainsFunc(c.told, isKill) {
		t.Errorf("told %v", c.told)
	}
}

func TestLadderStubborn(t *testing.T) {
	c := newCrowd(3, unix.SIGKILL, 4*time.Millisecond)
	l := NewLadder(c, 5*time.Second, time.Second, c.now)
	climb(t, c, l, 5*time.Second-1)
	if l.Killing() || l.Done() || slices.ContainsFunc(c.told, isKill) {
		t.Errorf("killing before the time is over: %v", c.told)
	}
	climb(t, c, l, 1)
	if !l.Killing() || c.told[len(c.told)-1] != "5s [killed]" {
		t.Errorf("not killing when the time is over: %v", c.told[len(c.told)-1])
	}
	climb(t, c, l, time.Hour)
	if r := l.Report(); !r.Contained || r.Killed != 3 || r.Took > 5*time.Second+30*time.Millisecond {
		t.Errorf("%+v", r)
	}
}

func isKill(told string) bool { return told[len(told)-len("[killed]"):] == "[killed]" }

// TestLadderNoPoliteTime: there is no SIGTERM then.
func TestLadderNoPoliteTime(t *testing.T) {
	c := newCrowd(50, unix.SIGKILL, 0)
	l := NewLadder(c, 0, time.Second, c.now)
	climb(t, c, l, time.Hour)
	if r := l.Report(); !r.Contained || r.Killed != 50 || r.Passes != 1 || !slices.Equal(c.told, []string{"0s [killed]"}) {
		t.Errorf("%+v, told %v", r, c.told)
	}
}

// TestLadderFirstWords: SIGCONT comes with SIGTERM, for who is stopped.
func TestLadderFirstWords(t *testing.T) {
	c := newCrowd(1, unix.SIGTERM, 0)
	climb(t, c, NewLadder(c, time.Second, time.Second, c.now), time.Hour)
	if !slices.Equal(c.told, []string{"0s [terminated continued]"}) {
		t.Errorf("told %v", c.told)
	}
}

// TestLadderDeadline: it is one absolute time; who is left then is named, and what
// the last pass could not do is counted.
func TestLadderDeadline(t *testing.T) {
	c := newCrowd(2, unix.SIGUSR1, 0)
	l := NewLadder(c, 3*time.Second, 2*time.Second, c.now)
	climb(t, c, l, 5*time.Second-1)
	if l.Done() {
		t.Error("done before the deadline")
	}
	climb(t, c, l, 20*time.Millisecond)
	r := l.Report()
	if !l.Done() || r.Contained || len(r.Survivors) != 2 || r.Refused != 2 || r.Took < 5*time.Second || r.Took > 5*time.Second+10*time.Millisecond {
		t.Errorf("done %v, %+v", l.Done(), r)
	}
	told := len(c.told)
	l.Step(c.now.Add(time.Hour))
	if len(c.told) != told {
		t.Error("told something after the end")
	}
}

// TestLadderHurry: the rest of the polite time is skipped, and the deadline comes
// earlier by as much; it never comes later.
func TestLadderHurry(t *testing.T) {
	c := newCrowd(1, unix.SIGUSR1, 0)
	l := NewLadder(c, time.Hour, 2*time.Second, c.now)
	climb(t, c, l, time.Minute)
	l.Hurry(c.now)
	climb(t, c, l, 0)
	if !l.Killing() {
		t.Error("not killing at once")
	}
	climb(t, c, l, time.Second)
	l.Hurry(c.now)
	climb(t, c, l, time.Hour)
	if r := l.Report(); r.Took < time.Minute+2*time.Second || r.Took > time.Minute+2*time.Second+20*time.Millisecond {
		t.Errorf("took %v", r.Took)
	}
}

// TestLadderHurryTooLate: when the polite time is over nothing is left to skip.
func TestLadderHurryTooLate(t *testing.T) {
	c := newCrowd(1, unix.SIGUSR1, 0)
	l := NewLadder(c, time.Second, 2*time.Second, c.now)
	c.now = c.now.Add(90 * time.Second)
	l.Hurry(c.now)
	l.Step(c.now)
	if !l.Done() {
		t.Error("hurry moved the deadline")
	}
}

// TestLadderPauses: it looks often at first and seldom later, and never spins.
func TestLadderPauses(t *testing.T) {
	c := newCrowd(1, unix.SIGUSR1, 0)
	l := NewLadder(c, 10*time.Second, time.Second, c.now)
	climb(t, c, l, 10*time.Second-1)
	if n := len(c.told); n < 100 || n > 410 {
		t.Errorf("%d passes in ten polite seconds", n)
	}
	climb(t, c, l, time.Hour)
	if n := l.Report().Passes; n < 200 || n > 520 {
		t.Errorf("%d passes in all", n)
	}
	kills := c.told[slices.IndexFunc(c.told, isKill):]
	if want := []string{"10s [killed]", "10s [killed]", "10.001s [killed]", "10.003s [killed]", "10.008s [killed]", "10.018s [killed]"}; !slices.Equal(kills[:6], want) {
		t.Errorf("killed at %v, want %v", kills[:6], want)
	}
}

// TestLadderEarly: woken before something is due it only looks whether anybody is left.
func TestLadderEarly(t *testing.T) {
	for _, polite := range []time.Duration{0, time.Minute} {
		c := newCrowd(2, unix.SIGUSR1, 0)
		l := NewLadder(c, polite, time.Minute, c.now)
		climb(t, c, l, 40*time.Millisecond)
		told := len(c.told)
		for l.Due().After(c.now) {
			l.Step(c.now)
			c.now = c.now.Add(100 * time.Microsecond)
		}
		if len(c.told) != told {
			t.Errorf("polite %v: told %v before it was due", polite, c.told[told:])
		}
		c.left = 0
		if l.Step(c.now); !l.Done() {
			t.Errorf("polite %v: the end was not noticed", polite)
		}
	}
}
