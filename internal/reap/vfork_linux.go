//go:build (amd64 || arm64) && !race

package reap

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// stackWords is enough for the child, whose functions are held to 800 bytes (nosplit).
const stackWords = 256

// fork makes a child that shares this process's memory, and goes on when the child has
// executed its program or ended (vfork(2)): a copy of the page tables, and of the pages
// that either touches, takes longer than all else at the start. The child has a stack of
// its own. It writes nowhere else but into its plan, which is used once.
//
// The thread is suspended in the kernel meanwhile. It would wait for the program's
// execution in any case, and SIGKILL still ends it (kernel/fork.c, wait_for_vfork_done).
//
//go:noinline
//go:nocheckptr
func fork(p *plan) (pid uintptr, errno unix.Errno) {
	var stack [stackWords]uintptr
	beforeFork()
	pid, failed := vfork(p, unsafe.Pointer(&stack[stackWords-4]))
	afterFork()
	return pid, unix.Errno(failed)
}

// vfork has the child carry out the plan on that stack, which grows downwards.
//
//go:noescape
func vfork(p *plan, stack unsafe.Pointer) (pid, errno uintptr)
