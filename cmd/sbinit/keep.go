package main

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/inherit"
	pid1 "github.com/sbinit/sbinit/internal/init"
	"github.com/sbinit/sbinit/internal/reap"
)

// keep becomes the program, with the mark that orphans are kept by.
func keep(in config.Invocation) int {
	err := reap.Exec(pid1.Inherited(in.Argv, append(withoutKeep(inherit.Environ()), "SBINIT_KEEP=1")))
	fail(in, err.Error())
	return reap.ExitCode(err)
}

func withoutKeep(env []string) []string {
	kept := env[:0]
	for _, e := range env {
		if !strings.HasPrefix(e, "SBINIT_KEEP=") {
			kept = append(kept, e)
		}
	}
	return kept
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
