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
		Command: in.Command,
		View:    in.View,
		Socket:  in.Config.Socket,
		Columns: columns(in.View.Wide),
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
	out, good := doctor.Run(in)
	if !good {
		return printed(out, 1)
	}
	return printed(out, 0)
}

// columns is how wide lines may be; 0: any number. A terminal that does not know its
// width (a fresh one of docker exec -t) is taken for one of 80.
func columns(wide bool) int {
	const usual, elsewhere = 80, 240
	size, err := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
	switch {
	case wide:
		return 0
	case err != nil:
		return elsewhere
	case size.Col == 0:
		return usual
	}
	return int(size.Col)
}
