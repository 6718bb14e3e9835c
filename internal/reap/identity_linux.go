//go:build !386 && !arm

package reap

import "golang.org/x/sys/unix"

const (
	sysSetgroups = unix.SYS_SETGROUPS
	sysSetresgid = unix.SYS_SETRESGID
	sysSetresuid = unix.SYS_SETRESUID
)
