//go:build !mips && !mipsle && !mips64 && !mips64le

package reap

import (
	"runtime"
	"syscall"
	_ "unsafe" // for go:linkname
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
//
// A signal set has 64 bits on all architectures but those excluded above.
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
