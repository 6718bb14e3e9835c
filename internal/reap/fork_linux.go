//go:build !mips && !mipsle && !mips64 && !mips64le

package reap

import (
	"runtime"
	"syscall"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
)

// Package runtime keeps these for package syscall, and linkable for others (gVisor).
// BeforeFork blocks all signals on this thread, so that the child has no signal handler
// run in it, and makes any growth of the stack a crash; AfterFork undoes both in the
// parent. Their counterpart for the child, AfterForkInChild, is not used: it restores the
// parent's signal mask, and the child needs another.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

// fork makes a child that carries out the plan.
func (p *plan) fork() (pid int, err error) {
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	child, errno := fork(p)
	runtime.KeepAlive(p)
	if errno != 0 {
		return 0, errno
	}
	return int(child), nil
}

// fork is a plain fork, not a vfork (CLONE_VM): the child has its memory for itself,
// so it may use its stack and write into the plan, and the thread that waits is not
// suspended in the kernel, out of reach of signals, while a program is loaded from a slow file
// system. For the few megabytes of an init the copy of the page tables costs little.
//
// A signal set has 64 bits on all architectures but those excluded above.
//
//go:noinline
//go:norace
//go:nocheckptr
func fork(p *plan) (pid uintptr, errno unix.Errno) {
	beforeFork()
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, cloneFirst, cloneSecond, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		f := p.prepare()
		if f.errno == 0 {
			f = p.execute()
		}
		p.exit(f)
	}
	afterFork()
	return pid, errno
}
