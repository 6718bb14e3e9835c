package wire

import "testing"

// TestOutcome: every exit status is that of one outcome at most.
func TestOutcome(t *testing.T) {
	said := map[int]bool{}
	for _, reason := range Reasons() {
		for _, contained := range []bool{false, true} {
			status := ExitStatus(reason, contained)
			gotReason, gotContained, ok := Outcome(status)
			if gotReason != reason || gotContained != contained || !ok || said[status] {
				t.Errorf("%s, %v: status %d, read as %s, %v, %v", reason, contained, status, gotReason, gotContained, ok)
			}
			said[status] = true
		}
	}
	for status := range 256 {
		if _, contained, ok := Outcome(status); ok != said[status] || contained && !ok {
			t.Errorf("status %d: %v, %v", status, contained, ok)
		}
	}
	for _, crash := range []int{0, 1, 2, 125, 127, 137} {
		if said[crash] {
			t.Errorf("status %d is another program's as well", crash)
		}
	}
}

func TestHostedArgv(t *testing.T) {
	if !IsHosted(HostedArgv()) || IsHosted([]string{"sbinit-worker", "3", "terminal"}) || IsHosted(nil) {
		t.Error("a hosted worker is known by its arguments alone")
	}
}
