package wire

import "slices"

// HostedArgv is what the init starts this very program as, for one session of its
// control socket: a worker whose descriptors 0 and 1 are the caller's connection.
func HostedArgv() []string { return []string{"sbinit-worker", "hosted"} }

// IsHosted says whether that is what argv says.
func IsHosted(argv []string) bool { return slices.Equal(argv, HostedArgv()) }

// A hosted worker tells the init by its exit status how the session came out, since
// the init reads nothing of what it says to its caller:
//
//	64 + n   the session ended with the nth of Reasons, and nobody is left
//	96 + n   the same, but somebody could not be ended
//
// Any other status, or death by a signal, says that the worker had no time to clean
// up. A Go program that crashes exits with 2.
const (
	containedStatus = 64
	escapedStatus   = 96
)

// Reasons lists every reason, in the order of the exit statuses.
func Reasons() []Reason { return slices.Clone(reasons[:]) }

// ExitStatus is the exit status of a hosted worker.
func ExitStatus(reason Reason, contained bool) int {
	base := escapedStatus
	if contained {
		base = containedStatus
	}
	return base + max(slices.Index(reasons[:], reason), 0)
}

// Outcome reads the exit status of a hosted worker; false if the worker did not come
// to say one.
func Outcome(status int) (reason Reason, contained, ok bool) {
	base := containedStatus
	if status >= escapedStatus {
		base = escapedStatus
	}
	n := status - base
	if n < 0 || n >= len(reasons) {
		return "", false, false
	}
	return reasons[n], base == containedStatus, true
}
