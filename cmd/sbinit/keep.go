package main

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/reap"
)

// keep becomes the program, with the mark that orphans are kept by.
func keep(in config.Invocation) int {
	err := reap.Exec(inherit.Program(in.Argv, append(inherit.Without(inherit.Environ(), "SBINIT_KEEP"), "SBINIT_KEEP=1")))
	fail(in, err.Error())
	return reap.ExitCode(err)
}

// dieWithParent asks for a signal when the parent dies (PR_SET_PDEATHSIG). The
// kernel sends it to whichever thread asked, and this one, the main thread,
// stays.
func dieWithParent(sig unix.Signal) error {
	if sig == 0 {
		return nil
	}
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(sig), 0, 0, 0)
}

// rename is for the processes of our own, which the kernel names after /proc/self/exe.
func rename(name string) {
	if p, err := unix.BytePtrFromString(name); err == nil {
		_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(p)), 0, 0, 0) // for readers of ps alone
	}
}
