package reap

import (
	"errors"

	"golang.org/x/sys/unix"
)

// StartError says why a program could not be started.
type StartError struct {
	Path  string     // the program file, or the name that was searched for
	Op    string     // system call that failed; "plan" if the Spec cannot be carried out
	Errno unix.Errno // as the system call returned it

	why string // for people
}

func (e *StartError) Error() string {
	if e.Path == "" {
		return e.why
	}
	return e.Path + ": " + e.why
}

// Unwrap lets errors.Is compare with an errno or an error of package io/fs.
func (e *StartError) Unwrap() error { return e.Errno }

// Exit statuses of programs that start others (POSIX, env; coreutils; docker).
const (
	exitOwnFailure = 125
	exitCannotRun  = 126
	ExitNotFound   = 127
)

// ExitCode returns the exit status for an error of [Start]: 127 if the program was not
// found, which includes that its interpreter was not, as with coreutils and docker; 126 if it
// was, but cannot be executed; 125 if it did not come to that. It is 0 without an error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	var failed *StartError
	if !errors.As(err, &failed) || failed.Op != stepExecve.String() {
		return exitOwnFailure
	}
	switch failed.Errno {
	case unix.ENOENT, unix.ENOTDIR:
		return ExitNotFound
	}
	return exitCannotRun
}

// failed is the error of a step that came before the child could try a candidate.
func (s Spec) failed(op string, err error) *StartError {
	e := &StartError{Op: op, Path: s.name()}
	if !errors.As(err, &e.Errno) {
		e.Errno = unix.EINVAL
	}
	return e
}

// name is what the user called the program.
func (s Spec) name() string {
	if len(s.Argv) == 0 {
		return "no program"
	}
	return s.Argv[0]
}
