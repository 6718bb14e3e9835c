package pid1

import (
	"testing"
	"time"
)

// TestArrearsFirst: exits come first, but not for ever: the orphans have a turn now and then; new arrears have their own time.
func TestArrearsFirst(t *testing.T) {
	var a arrears
	now := time.Unix(1000, 0)
	for i, step := range []struct {
		pass      time.Duration
		exitsWait bool
		first     bool
	}{
		{0, false, false},
		{time.Hour, true, true},
		{arrearsLimit - 1, true, true},
		{1, true, false},
		{1, true, true},
		{arrearsLimit - 2, true, true},
		{1, true, false},
		{time.Hour, true, false},
		{0, false, false},
		{0, true, true},
		{arrearsLimit / 2, false, false},
		{arrearsLimit / 2, true, true},
		{arrearsLimit - 1, true, true},
	} {
		now = now.Add(step.pass)
		if got := a.first(step.exitsWait, now); got != step.first {
			t.Errorf("step %d: %v", i, got)
		}
	}
}
