package inherit

import (
	"math"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/inherit/first"
)

func init() {
	if Stub() {
		show()
		return
	}
	boot.mask, boot.ignored = runtimeMask(), runtimeIgnored()
}

// Stub says whether the entry stub ran, that is whether the program was linked with it.
func Stub() bool { return boot.ran != 0 }

// Blocked says whether every signal that can be is blocked on all threads, the faults
// aside, and waits in the kernel for whoever reads it.
func Blocked() bool { return Stub() && runtimeMask() == ^uint64(spared) }

// SignalMask returns the signals that were blocked at start, bit n-1 for signal n.
// Without the stub those are missing that the runtime unblocks (see the package's
// comment).
func SignalMask() uint64 { return boot.mask }

// IgnoredSignals returns the signals that were ignored at start, bit n-1 for signal n.
// Without the stub those are missing that the runtime takes for itself, which are most:
// it leaves HUP, INT, TSTP, TTIN, TTOU and 32 to 34 as they were.
func IgnoredSignals() uint64 { return boot.ignored }

// NoFile returns the limit of open files as inherited, with or without the stub. Package
// syscall raises the soft limit in its initialisation, for this process only. It is
// false if the limit could not be read, or on an architecture without it (see package
// first); the limit may then be a raised one.
func NoFile() (unix.Rlimit, bool) {
	return unix.Rlimit{Cur: first.NoFile.Cur, Max: first.NoFile.Max}, first.Known
}

// sigPending is RLIMIT_SIGPENDING as inherited, nil if it could not be read. The init
// lowers the soft limit for itself (signals.LeaveRoom).
var sigPending = readSigPending()

func readSigPending() *unix.Rlimit {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_SIGPENDING, &limit); err != nil {
		return nil
	}
	return &limit
}

// ResetRuntime gives the Go runtime its defaults. With the stub it never saw the
// container's variables. Without it the garbage collector's are undone, while GODEBUG and
// GOTRACEBACK stay as they are, for the runtime does not let go of them. One processor
// is enough for PID 1, and keeps the number of threads small.
func ResetRuntime() {
	if !Stub() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}
	runtime.GOMAXPROCS(1)
}

// runtimeMask returns the signal mask of the main thread, on which packages are
// initialised.
func runtimeMask() uint64 {
	var set unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &set); err != nil {
		return 0
	}
	return *(*uint64)(unsafe.Pointer(&set))
}

// runtimeIgnored returns the signals that are ignored now, as package inherit is initialised.
func runtimeIgnored() uint64 {
	const sigIgn = 1
	var ignored uint64
	for n := 1; n <= 64; n++ {
		var action [8]uintptr // struct sigaction of the kernel, which begins with the handler
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
		if errno == 0 && action[0] == sigIgn {
			ignored |= 1 << (n - 1)
		}
	}
	return ignored
}
