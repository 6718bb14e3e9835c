package signals

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The numbers of signal(7). The kernel's real-time signals begin at 32; glibc
// and musl keep the first ones for their threads, so that SIGRTMIN, as programs
// and kill(1) know it, is 34.
const (
	rtMin unix.Signal = 34
	rtMax unix.Signal = 64

	// Max is the highest signal number of Linux.
	Max = rtMax
)

// standard holds the names of signals 1 to 31 without their SIG.
var standard = [...]string{
	unix.SIGHUP: "HUP", unix.SIGINT: "INT", unix.SIGQUIT: "QUIT", unix.SIGILL: "ILL",
	unix.SIGTRAP: "TRAP", unix.SIGABRT: "ABRT", unix.SIGBUS: "BUS", unix.SIGFPE: "FPE",
	unix.SIGKILL: "KILL", unix.SIGUSR1: "USR1", unix.SIGSEGV: "SEGV", unix.SIGUSR2: "USR2",
	unix.SIGPIPE: "PIPE", unix.SIGALRM: "ALRM", unix.SIGTERM: "TERM", unix.SIGSTKFLT: "STKFLT",
	unix.SIGCHLD: "CHLD", unix.SIGCONT: "CONT", unix.SIGSTOP: "STOP", unix.SIGTSTP: "TSTP",
	unix.SIGTTIN: "TTIN", unix.SIGTTOU: "TTOU", unix.SIGURG: "URG", unix.SIGXCPU: "XCPU",
	unix.SIGXFSZ: "XFSZ", unix.SIGVTALRM: "VTALRM", unix.SIGPROF: "PROF", unix.SIGWINCH: "WINCH",
	unix.SIGIO: "IO", unix.SIGPWR: "PWR", unix.SIGSYS: "SYS",
}

// errUnknown says what Parse takes.
var errUnknown = errors.New("want a signal name such as TERM, SIGTERM or RTMIN+3, or a number from 1 to 64")

// Parse reads a signal as people write it: TERM, SIGTERM, sigterm, 15, RTMIN,
// RTMIN+3, RTMAX-1. The error names the value and what would be right.
func Parse(s string) (unix.Signal, error) {
	if sig, ok := parse(s); ok {
		return sig, nil
	}
	return 0, &valueError{value: s, want: errUnknown}
}

func parse(s string) (unix.Signal, bool) {
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	if sig, ok := number(name); ok {
		return sig, sig >= 1 && sig <= Max
	}
	if sig, ok := realTime(name); ok {
		return sig, sig >= rtMin && sig <= rtMax
	}
	return named(name)
}

// number reads decimal digits only: no sign, no space.
func number(s string) (unix.Signal, bool) {
	n, err := strconv.ParseUint(s, 10, 8)
	return unix.Signal(n), err == nil
}

func realTime(name string) (unix.Signal, bool) {
	switch {
	case name == "RTMIN":
		return rtMin, true
	case name == "RTMAX":
		return rtMax, true
	}
	if offset, ok := strings.CutPrefix(name, "RTMIN+"); ok {
		n, ok := number(offset)
		return rtMin + n, ok
	}
	if offset, ok := strings.CutPrefix(name, "RTMAX-"); ok {
		n, ok := number(offset)
		return rtMax - n, ok
	}
	return 0, false
}

func named(name string) (unix.Signal, bool) {
	if name == "" {
		return 0, false
	}
	for sig, known := range standard {
		if known == name {
			return unix.Signal(sig), true
		}
	}
	switch name { // second names of signal(7)
	case "IOT":
		return unix.SIGABRT, true
	case "CLD":
		return unix.SIGCHLD, true
	case "POLL":
		return unix.SIGIO, true
	}
	return 0, false
}

// Name is the name that Parse reads back: SIGTERM, SIGRTMIN, SIGRTMIN+3. The two
// numbers below SIGRTMIN that have no name are SIG32 and SIG33.
func Name(sig unix.Signal) string {
	return "SIG" + short(sig)
}

// short is Name without the SIG, as settings write it.
func short(sig unix.Signal) string {
	switch {
	case sig > 0 && int(sig) < len(standard):
		return standard[sig]
	case sig == rtMin:
		return "RTMIN"
	case sig > rtMin && sig <= rtMax:
		return "RTMIN+" + strconv.Itoa(int(sig-rtMin))
	}
	return strconv.Itoa(int(sig))
}

// IsStop says whether sig asks the container to stop. These start the clock of
// SBINIT_STOP_GRACE; docker stop sends TERM, ctrl-C sends INT.
func IsStop(sig unix.Signal) bool {
	return sig == unix.SIGTERM || sig == unix.SIGINT || sig == unix.SIGQUIT
}

// valueError is a value that cannot be read, and what would be right.
type valueError struct {
	value string
	want  error
}

func (e *valueError) Error() string { return strconv.Quote(e.value) + ": " + e.want.Error() }
