package view

import (
	"bytes"
	"errors"
	"os"

	"github.com/sbinit/sbinit/internal/proc"
)

// recognise finds out whether PID 1 is an sbinit: by its answer, its file or its name.
func (w *World) recognise(fs *proc.FS) {
	first := w.get(1)
	if w.Ours = w.Status != nil; w.Ours || first == nil {
		return
	}
	is, err := fs.RunsThis(1)
	if err == nil && !is && w.isInit() {
		is, err = isSbinit(fs)
	}
	switch {
	case err == nil:
		w.Ours = is
	case first.Comm() == "sbinit":
		w.Ours = true
	case w.isInit():
		w.Unsure = &os.PathError{Op: "open", Path: firstFile, Err: err}
	}
}

const firstFile = "/proc/1/exe"

// isSbinit says whether PID 1 runs an sbinit, be it another version than this: an engine
// may have one of its own (dockerd's --init-path). Each has this variable's name in it.
func isSbinit(fs *proc.FS) (is bool, err error) {
	err = fs.AsOwner(1, func() error {
		file, err := os.ReadFile(firstFile)
		is = bytes.Contains(file, []byte("SBINIT_PARENT_DEATH_SIGNAL"))
		return errors.Unwrap(err)
	})
	return is, err
}
