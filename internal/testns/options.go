package testns

import (
	"syscall"
)

// Stream says what a standard descriptor of the program under test leads to.
type Stream int

const (
	// Default is Null for stdin and Pipe for stdout and stderr.
	Default Stream = iota
	// Null is /dev/null.
	Null
	// Pipe is a pipe to the test: [Container.Input] writes to it,
	// [Container.Stdout] and [Container.Stderr] show what came out.
	Pipe
	// Closed means that the descriptor is not open at all.
	Closed
	// Full is a pipe which is full and which nobody reads, though its reader lives.
	Full
	// Broken is a pipe whose other end is closed.
	Broken
	// Terminal is the slave of a pseudo-terminal, which becomes the controlling
	// terminal of the new session. All streams that say so share one.
	Terminal
)

// Options says how the namespaces and the program under test are set up. The zero
// value is a namespace with a /proc and a /run of its own, stdin on /dev/null, and
// stdout and stderr captured.
type Options struct {
	// Env is the whole environment. Nil means just PATH and HOME.
	Env []string
	// Dir is the working directory; "/" if empty.
	Dir string

	Stdin, Stdout, Stderr Stream

	// AsNobody starts everything without privilege, in a user namespace. A test
	// run that has no privilege does this anyway.
	AsNobody bool
	// UID and GID are the ids that the program under test has inside. Other than
	// 0 means that it has no capabilities.
	UID, GID int
	// DockerCapabilities limits the bounding set to what docker gives a container.
	DockerCapabilities bool

	// NoProc hides /proc below an empty file system.
	NoProc bool
	// HidePID mounts /proc with hidepid=2.
	HidePID bool
	// ProcReadOnly mounts /proc read-only.
	ProcReadOnly bool
	// ReadOnlyRoot makes every mount read-only, except /proc and those in Writable.
	ReadOnlyRoot bool
	Writable     []string

	// SeccompErrno maps numbers of system calls to the error that they return.
	SeccompErrno map[int]syscall.Errno
	// NoFile, NProc and SigPending are limits (RLIMIT_NOFILE, RLIMIT_NPROC,
	// RLIMIT_SIGPENDING), soft and hard.
	NoFile, NProc, SigPending uint64
	// PidsMax is the limit of the cgroup's pids controller, as docker's
	// --pids-limit; see [RequirePidsLimit].
	PidsMax int
	// PidMax is kernel.pid_max of the new PID namespace; see [RequirePidMax]. 0 means
	// 8192 where the kernel has one for each namespace: a hostile program whose dead
	// nobody reaps must not use up the machine's numbers.
	PidMax int

	// Ignored and Blocked are the signals that are so when the program starts.
	// All others have their default disposition, and are not blocked.
	Ignored, Blocked []syscall.Signal

	// NotPID1 runs the program as a child of a minimal PID 1 which reaps, reports
	// ([Container.Reaped]) and does nothing else.
	NotPID1 bool
}

// Environ is the environment of a program whose options name none, with the given
// additions.
func Environ(add ...string) []string {
	return append([]string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/",
	}, add...)
}

// spec is what a launcher must know, sent to it as JSON on [specFD].
type spec struct {
	Options
	Argv []string
	// Pids is the program's own group of the pids controller, and where it sees that.
	Pids cgroup
	// MapIDs says that the launcher lives in a user namespace in which only the
	// wanted ids exist: there is nothing to change.
	MapIDs bool
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = Environ()
	}
	if o.Dir == "" {
		o.Dir = "/"
	}
	if o.Stdin == Default {
		o.Stdin = Null
	}
	if o.Stdout == Default {
		o.Stdout = Pipe
	}
	if o.Stderr == Default {
		o.Stderr = Pipe
	}
	if o.PidMax == 0 && pidMaxOfNamespace() == nil {
		o.PidMax = 8192
	}
	return o
}

// terminal reports whether any stream is the terminal.
func (o Options) terminal() bool {
	return o.Stdin == Terminal || o.Stdout == Terminal || o.Stderr == Terminal
}
