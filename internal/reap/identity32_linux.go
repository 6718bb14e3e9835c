//go:build 386 || arm

package reap

import "golang.org/x/sys/unix"

// The older calls take ids of 16 bits (setresuid(2), "C library/kernel differences").
const (
	sysSetgroups = unix.SYS_SETGROUPS32
	sysSetresgid = unix.SYS_SETRESGID32
	sysSetresuid = unix.SYS_SETRESUID32
)
