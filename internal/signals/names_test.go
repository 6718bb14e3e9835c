package signals

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]unix.Signal{
		"TERM": 15, "SIGTERM": 15, "sigterm": 15, "term": 15, "SigTerm": 15, "15": 15,
		"HUP": 1, "KILL": 9, "STOP": 19, "USR1": 10, "WINCH": 28, "SYS": 31, "STKFLT": 16,
		"IOT": 6, "CLD": 17, "POLL": 29, "SIGPOLL": 29,
		"RTMIN": 34, "SIGRTMIN": 34, "RTMIN+0": 34, "RTMIN+3": 37, "rtmin+30": 64,
		"RTMAX": 64, "RTMAX-1": 63, "SIGRTMAX-30": 34,
		"1": 1, "64": 64, "32": 32, "SIG32": 32, "SIG33": 33,
	} {
		got, err := Parse(in)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{
		"", "SIG", "SIGSIGTERM", "TREM", "0", "-1", "+1", "65", "256", "271", "15 ", " 15", "1e1", "0x0f",
		"RTMIN-1", "RTMIN+31", "RTMIN+", "RTMIN+-1", "RTMIN+x", "RTMAX+1", "RTMAX-31", "RTMAX-", "RTMIN+300",
	} {
		got, err := Parse(in)
		if err == nil {
			t.Errorf("Parse(%q) = %d, want an error", in, got)
			continue
		}
		if !strings.Contains(err.Error(), `"`+in+`"`) || !strings.Contains(err.Error(), "SIGTERM") {
			t.Errorf("Parse(%q): %q does not name the value and what would be right", in, err)
		}
	}
}

func TestName(t *testing.T) {
	for sig, want := range map[unix.Signal]string{
		1: "SIGHUP", 15: "SIGTERM", 17: "SIGCHLD", 31: "SIGSYS",
		32: "SIG32", 33: "SIG33", 34: "SIGRTMIN", 37: "SIGRTMIN+3", 64: "SIGRTMIN+30",
		0: "SIG0", 65: "SIG65",
	} {
		if got := Name(sig); got != want {
			t.Errorf("Name(%d) = %q, want %q", sig, got, want)
		}
	}
}

func TestNameReadsBack(t *testing.T) {
	for sig := unix.Signal(1); sig <= Max; sig++ {
		got, err := Parse(Name(sig))
		if err != nil || got != sig {
			t.Errorf("Parse(Name(%d)) = %d, %v", sig, got, err)
		}
	}
}

// The names of x/sys come from the kernel's headers.
func TestNamesAreTheKernels(t *testing.T) {
	for sig := unix.Signal(1); sig <= unix.SIGSYS; sig++ {
		if got, want := Name(sig), unix.SignalName(sig); got != want {
			t.Errorf("Name(%d) = %q, the kernel's headers say %q", sig, got, want)
		}
	}
}

func TestIsStop(t *testing.T) {
	stops := map[unix.Signal]bool{unix.SIGTERM: true, unix.SIGINT: true, unix.SIGQUIT: true}
	for sig := unix.Signal(0); sig <= Max; sig++ {
		if IsStop(sig) != stops[sig] {
			t.Errorf("IsStop(%s) = %v", Name(sig), IsStop(sig))
		}
	}
}
