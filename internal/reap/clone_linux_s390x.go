package reap

import "golang.org/x/sys/unix"

// The stack comes first here, the flags second (CLONE_BACKWARDS2 of the kernel's
// arch/Kconfig; clone(2), "C library/kernel differences").
const cloneFirst, cloneSecond = uintptr(0), uintptr(unix.SIGCHLD)
