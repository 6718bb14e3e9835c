// Package first remembers RLIMIT_NOFILE as inherited. Package syscall raises the soft
// limit in its initialisation, and keeps the old one to itself.
//
// Packages are initialised in the order of their import paths, each after those that it
// imports (Go specification, "Program initialization"). This one imports nothing, and
// its path sorts before "syscall", so its turn comes earlier. It must stay so.
package first

import "unsafe"

// NoFile is RLIMIT_NOFILE as inherited, if it is Known: a struct rlimit64 of the kernel.
var NoFile struct{ Cur, Max uint64 }

// Known is false if the kernel refused to tell, or if the number of prlimit64 on this
// architecture is not in this package.
var Known bool

// rlimitNoFile is RLIMIT_NOFILE of the kernel's asm-generic/resource.h.
const rlimitNoFile = 7

func init() {
	if prlimit64 == 0 {
		return
	}
	_, _, errno := rawSyscall6(prlimit64, 0, rlimitNoFile, 0, uintptr(unsafe.Pointer(&NoFile)), 0, 0)
	Known = errno == 0
}

// rawSyscall6 is code of package syscall, which needs no initialisation.
//
//go:linkname rawSyscall6 syscall.RawSyscall6
func rawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr)
