package pid1

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestEarliest: the zero time is never, not long ago.
func TestEarliest(t *testing.T) {
	never, early, late := time.Time{}, time.Unix(1000, 0), time.Unix(2000, 0)
	for _, c := range []struct {
		times []time.Time
		want  time.Time
	}{
		{nil, never}, {[]time.Time{never, never}, never}, {[]time.Time{never, late, never}, late},
		{[]time.Time{late, early}, early}, {[]time.Time{early, late, never}, early},
	} {
		if got := earliest(c.times...); !got.Equal(c.want) {
			t.Errorf("earliest of %v is %v", c.times, got)
		}
	}
	if reached(never, late) || reached(late, early) || !reached(early, early) || !reached(early, late) {
		t.Error("reached")
	}
}

// TestTimer: it fires at its time and not before, also when that has passed, and never
// for the zero time.
func TestTimer(t *testing.T) {
	poll, err := newPoller()
	if err != nil {
		t.Fatal(err)
	}
	tm, err := newTimer()
	if err != nil {
		t.Fatal(err)
	}
	if err := poll.add(tm.fd, onTimer, unix.EPOLLIN); err != nil {
		t.Fatal(err)
	}
	fired := func(block bool) (n int) {
		t.Helper()
		woken(t, poll, block, func(int32, int) { n++ })
		return n
	}
	set := func(at time.Time) {
		t.Helper()
		if err := tm.set(at, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if fired(false) != 0 {
		t.Error("fired before it was set")
	}
	for _, wait := range []time.Duration{20 * time.Millisecond, 0, -time.Hour} {
		begin := time.Now()
		set(begin.Add(wait))
		if fired(true) != 1 || time.Since(begin) < wait {
			t.Errorf("a timer of %v fired after %v", wait, time.Since(begin))
		}
		tm.clear()
		if fired(false) != 0 {
			t.Error("fired twice")
		}
	}
	set(time.Now().Add(time.Hour))
	set(time.Time{})
	var left unix.ItimerSpec
	if err := unix.TimerfdGettime(tm.fd, &left); err != nil || left != (unix.ItimerSpec{}) {
		t.Errorf("set to %+v (%v), although that was taken back", left, err)
	}
}
