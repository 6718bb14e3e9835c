package main

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/doctor"
	"github.com/sbinit/sbinit/internal/view"
)

// look shows a view. A health check that gets nowhere is a failed one.
func look(in config.Invocation) int {
	if in.Command == config.CommandCheck {
		time.AfterFunc(view.CheckLimit, func() { os.Exit(printed("unhealthy: no result within "+view.CheckLimit.String()+"\n", 1)) })
	}
	result, err := view.Run(view.Setup{
		Command:  in.Command,
		View:     in.View,
		Socket:   in.Config.Socket,
		Terminal: terminalWidth(),
	})
	if err != nil && in.Command == config.CommandCheck {
		return printed("unhealthy: "+err.Error()+"\n", 1)
	}
	if err != nil {
		return fail(in, err.Error())
	}
	for _, note := range result.Notes {
		_, _ = io.WriteString(descriptor(2), "sbinit: note: "+note+"\n")
	}
	return printed(result.Out, result.Status)
}

// examine shows what this place allows.
func examine(in config.Invocation) int {
	out, good := doctor.Run(in.Config.Socket, in.View.JSON)
	if !good {
		return printed(out, 1)
	}
	return printed(out, 0)
}

// terminalWidth is 0 unless standard output is a terminal.
func terminalWidth() int {
	size, err := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
