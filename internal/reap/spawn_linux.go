package reap

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// shell runs a program file that the kernel cannot execute and that looks like text, as
// with execvp(3).
const shell = "/bin/sh"

// Spec says what to start, and with what. The child gets all descriptors that are open
// without FD_CLOEXEC.
type Spec struct {
	Paths []string // program files, tried one after the other, see [Candidates]
	Argv  []string // at least one
	Env   []string
	Dir   string // working directory, "" for this process's own
	Close []int  // descriptors of this process that the child does not get
	Stdio []int  // descriptors above 2 that become the child's 0, 1 and so on; those beyond stay
	User  *User  // who the child is; nil: who this process is

	ProcessGroup bool // leader of a new process group
	Group        int  // joins that process group of the same session; 0: none
	Session      bool // leader of a new session, and so of a process group

	// Foreground makes the child's process group, a new one in any case, the foreground
	// group of the terminal on descriptor 0, and that the terminal of a new session.
	// The child does it before its program runs, with all signals blocked: SIGTTOU cannot
	// stop it, and it never reads as a background process. It has no effect without a
	// terminal, or with one that belongs to another session.
	Foreground bool

	Mask    uint64       // signals blocked in the child, bit n-1 for signal n
	Ignored uint64       // signals ignored in the child, likewise; all others get the default action
	NoFile  *unix.Rlimit // limit of open files in the child, nil for this process's own
	Locks   *unix.Rlimit // RLIMIT_LOCKS in the child, likewise; package proc keeps marks there

	// SigPending is RLIMIT_SIGPENDING in the child, likewise; the init lowers its own.
	SigPending *unix.Rlimit

	// ListenPID puts the child's PID into the variable LISTEN_PID of Env, if there is one
	// (sd_listen_fds(3)).
	ListenPID bool
}

// User is an identity to start a child with. It has no supplementary groups, as is so
// for a numeric user in docker.
type User struct{ UID, GID uint32 }

// Start starts a child, and returns when it executes its program, by when it has its
// process group and the terminal. The error is a *[StartError]; no child is left then.
//
// Candidates are tried as by execvp(3): one that does not exist gives way to the next; so
// does one that may not be executed, but if none can, it is the one to report; any other
// failure ends the search. A text file without #! is run by /bin/sh.
//
// Start blocks for as long as the kernel needs to load the program.
func Start(s Spec) (pid int, err error) {
	pid, failed := s.start()
	if failed == nil {
		return pid, nil
	}
	if failed.Errno == unix.ENOEXEC && looksLikeText(s.locate(failed.Path)) {
		if pid, again := s.byShell(failed.Path).start(); again == nil {
			return pid, nil
		}
	}
	s.explain(failed)
	return 0, failed
}

// byShell returns the spec for running a file as a script.
func (s Spec) byShell(file string) Spec {
	s.Argv = slices.Concat([]string{shell, file}, s.Argv[1:])
	s.Paths = []string{shell}
	return s
}

// start forks once, and learns from the child how it went.
func (s Spec) start() (int, *StartError) {
	p, err := s.plan()
	if err != nil {
		return 0, s.failed("plan", err)
	}
	var report [2]int
	if err := unix.Pipe2(report[:], unix.O_CLOEXEC); err != nil {
		return 0, s.failed("pipe2", err)
	}
	defer unix.Close(report[0])
	p.report = report[1]
	pid, err := p.fork()
	unix.Close(report[1])
	if err != nil {
		return 0, s.failed("clone", err)
	}
	f, failed := read(report[0])
	if !failed {
		return pid, nil
	}
	waitFor(pid)
	e := s.failed(f.step.String(), unix.Errno(f.errno))
	if f.step == stepExecve {
		e.Path = s.Paths[f.candidate]
	}
	return 0, e
}

// read returns what the child reports. End of file means that it has nothing to report:
// it executes its program, or was killed before it could, which wait(2) will tell.
func read(report int) (f failure, failed bool) {
	buf := unsafe.Slice((*byte)(unsafe.Pointer(&f)), unsafe.Sizeof(f))
	for {
		n, err := unix.Read(report, buf)
		if err != unix.EINTR {
			return f, n == len(buf)
		}
	}
}

// waitFor reaps a child that is about to exit.
func waitFor(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, unix.WALL, nil); err != unix.EINTR {
			return
		}
	}
}
