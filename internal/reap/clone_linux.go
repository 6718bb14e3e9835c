//go:build !(amd64 || arm64) || race

package reap

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// fork makes a child with a copy of this process's memory: there is no assembly for
// another way here, or the race detector would take the child's accesses for ours.
//
//go:noinline
//go:norace
//go:nocheckptr
func fork(p *plan) (pid uintptr, errno unix.Errno) {
	flags, stack := uintptr(unix.SIGCHLD), uintptr(0)
	if runtime.GOARCH == "s390x" { // CLONE_BACKWARDS2 of the kernel's arch/Kconfig
		flags, stack = stack, flags
	}
	beforeFork()
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, flags, stack, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		carryOut(p)
	}
	afterFork()
	return pid, errno
}
