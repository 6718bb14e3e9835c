// Package inherit tells what this process was started with, as the kernel handed it
// over, so that the main program can be started with the same.
//
// The Go runtime and package syscall change much of it before main runs: signals get
// handlers, some leave the signal mask, the soft limit of open files is raised,
// and GODEBUG, GOGC, GOMEMLIMIT, GOMAXPROCS and GOTRACEBACK, which a container sets for
// its own Go programs, take effect here (GOMEMLIMIT=90% aborts a Go program before
// main). A linker flag therefore gives the program an entry point of this package, a
// few lines of assembly that run before the runtime's own (amd64 and arm64, internal
// linking):
//
//	go build -tags sbinit_stub -ldflags '-E github.com/sbinit/sbinit/internal/inherit.entry \
//		-checklinkname=0 -X runtime.godebugDefault=asyncpreemptoff=1,containermaxprocs=0,updatemaxprocs=0'
//
// The way of a start with it:
//
//	kernel ──▶ entry: blocks all signals and sees that the runtime leaves them blocked,
//	             │    remembers the mask, the ignored signals and the environment, hides
//	             │    the five variables from the runtime
//	             ▼
//	           _rt0_*_linux, the runtime's entry, with registers and stack as they were
//	             │
//	             ▼
//	           package first: remembers RLIMIT_NOFILE before package syscall raises it
//	             │
//	             ▼
//	           init of this package: shows the five variables again
//
// The runtime by itself would open most of the blocked signals again on every thread, and
// end the program if one arrives that nobody has subscribed to. The stub clears the flags
// by which it does so in its table of signals; that is what -checklinkname=0 is for. The
// faults stay open, for the runtime makes panics of them. SIGURG, by which the runtime
// preempts goroutines, is open as well unless preemption is off. Blocked says whether all
// this came out as planned.
//
// Without the flag, or on another architecture, the functions give Go's view, which is
// the truth about the limit, most of the mask, and the environment but for duplicates.
package inherit
