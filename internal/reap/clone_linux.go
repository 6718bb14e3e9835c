//go:build !s390x

package reap

import "golang.org/x/sys/unix"

// The first two arguments of clone(2) for a plain fork: flags, which are the signal of
// the child's end alone, and stack, which stays where it is.
const cloneFirst, cloneSecond = uintptr(unix.SIGCHLD), uintptr(0)
