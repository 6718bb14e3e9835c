package terminal_test

import "golang.org/x/sys/unix"

func signalOf(n int) unix.Signal { return unix.Signal(n) }
