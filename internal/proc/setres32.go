//go:build 386 || arm

package proc

import "golang.org/x/sys/unix"

// The older calls take ids of 16 bits (setresuid(2), "C library/kernel differences").
const (
	sysSetresuid = unix.SYS_SETRESUID32
	sysSetresgid = unix.SYS_SETRESGID32
)
