package signals

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A program is what a Forwarder under test forwards to, and the time.
type program struct {
	*Forwarder
	now   time.Time
	got   []unix.Signal
	kills int
}

func newProgram(t *testing.T, rewrite string, delay, grace time.Duration) *program {
	t.Helper()
	r, err := ParseRewrite(rewrite)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{now: time.Unix(1000, 0)}
	p.Forwarder = &Forwarder{
		Rewrite: r, Delay: delay, Grace: grace,
		Send: func(sig unix.Signal) { p.got = append(p.got, sig) },
		Kill: func() { p.kills++ },
	}
	return p
}

func (p *program) receive(sigs ...unix.Signal) {
	for _, sig := range sigs {
		p.Receive(sig, p.now)
	}
}

// pass lets time go by, a step at each time that Due names.
func (p *program) pass(d time.Duration) {
	end := p.now.Add(d)
	steps := 0
	for due := p.Due(); !due.IsZero() && !due.After(end); due = p.Due() {
		p.now = due
		p.Step(p.now)
		if steps++; steps > 100 {
			panic("there is always something due")
		}
	}
	p.now = end
	p.Step(p.now)
}

func (p *program) want(t *testing.T, kills int, sigs ...unix.Signal) {
	t.Helper()
	if !slices.Equal(p.got, sigs) || p.kills != kills {
		t.Errorf("forwarded %v and killed %d times, want %v and %d", p.got, p.kills, sigs, kills)
	}
}

const off = -1

func TestForwardAtOnce(t *testing.T) {
	p := newProgram(t, "", 0, off)
	p.receive(unix.SIGHUP, unix.SIGTERM, 40, unix.SIGTERM, unix.SIGINT, unix.SIGQUIT)
	p.want(t, 0, unix.SIGHUP, unix.SIGTERM, 40, unix.SIGTERM, unix.SIGINT, unix.SIGQUIT)
	if due := p.Due(); !due.IsZero() {
		t.Errorf("something is due at %v", due)
	}
	p.pass(24 * time.Hour)
	p.want(t, 0, unix.SIGHUP, unix.SIGTERM, 40, unix.SIGTERM, unix.SIGINT, unix.SIGQUIT)
}

func TestForwardRewritten(t *testing.T) {
	p := newProgram(t, "TERM=INT,HUP=0,USR1=TERM", 0, time.Second)
	if p.Receive(unix.SIGHUP, p.now) {
		t.Error("HUP is to be dropped")
	}
	if !p.Receive(unix.SIGUSR1, p.now) {
		t.Error("USR1 was dropped")
	}
	p.pass(time.Minute)
	p.want(t, 0, unix.SIGTERM) // it came as USR1: nobody asked for a stop
	p.receive(unix.SIGTERM)
	p.want(t, 0, unix.SIGTERM, unix.SIGINT)
	p.pass(time.Second)
	p.want(t, 1, unix.SIGTERM, unix.SIGINT)
}

// TestDroppedStop: a stop signal that is dropped starts no clock.
func TestDroppedStop(t *testing.T) {
	p := newProgram(t, "TERM=0", 0, time.Second)
	p.receive(unix.SIGTERM)
	p.pass(time.Hour)
	p.want(t, 0)
}

func TestStopGrace(t *testing.T) {
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGQUIT} {
		p := newProgram(t, "", 0, 10*time.Second)
		p.receive(sig)
		p.pass(10*time.Second - 1)
		p.want(t, 0, sig)
		p.pass(1)
		p.want(t, 1, sig)
		p.receive(sig)
		p.pass(time.Hour)
		p.want(t, 1, sig, sig) // killed once
	}
}

func TestNoGraceForOtherSignals(t *testing.T) {
	p := newProgram(t, "", 0, 0)
	p.receive(unix.SIGHUP, unix.SIGUSR1)
	p.pass(time.Hour)
	p.want(t, 0, unix.SIGHUP, unix.SIGUSR1)
}

func TestNoGraceAtAll(t *testing.T) {
	p := newProgram(t, "", 0, 0)
	p.receive(unix.SIGTERM)
	p.want(t, 1, unix.SIGTERM)
}

// TestRepeatedStop: each is forwarded, and none starts the clock anew.
func TestRepeatedStop(t *testing.T) {
	p := newProgram(t, "", 0, 10*time.Second)
	p.receive(unix.SIGTERM)
	for range 9 {
		p.pass(time.Second)
		p.receive(unix.SIGTERM)
	}
	if len(p.got) != 10 || p.kills != 0 {
		t.Errorf("forwarded %v, killed %d times", p.got, p.kills)
	}
	p.pass(time.Second)
	if p.kills != 1 {
		t.Errorf("killed %d times", p.kills)
	}
}

// TestStopDelay: stop signals are held back, others are not; the grace begins when
// they are let go, and those that come later wait no more.
func TestStopDelay(t *testing.T) {
	p := newProgram(t, "INT=QUIT", 5*time.Second, 10*time.Second)
	p.receive(unix.SIGTERM, unix.SIGHUP)
	p.pass(3 * time.Second)
	p.receive(unix.SIGINT)
	p.want(t, 0, unix.SIGHUP)
	p.pass(2*time.Second - 1)
	p.want(t, 0, unix.SIGHUP)
	p.pass(1)
	p.want(t, 0, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT)
	p.pass(4 * time.Second)
	p.receive(unix.SIGTERM)
	p.want(t, 0, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT, unix.SIGTERM)
	p.pass(6*time.Second - 1)
	p.want(t, 0, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT, unix.SIGTERM)
	p.pass(1)
	p.want(t, 1, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT, unix.SIGTERM)
}
