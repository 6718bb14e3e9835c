package reap

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// explain finds out what an errno does not say, by looking at the file.
func (s Spec) explain(e *StartError) {
	switch e.Op {
	case "plan":
		e.why = "no program, or a NUL byte in an argument or in the environment"
	case "clone":
		e.why = "no new process can be made: " + e.Errno.Error()
		if e.Errno == unix.EAGAIN {
			e.why += " (limit of processes reached: pids.max of the cgroup, ulimit -u)"
		}
	case stepChdir.String():
		e.why = fmt.Sprintf("working directory %s: %v", s.Dir, e.Errno)
	case stepExecve.String():
		s.explainExecve(e)
	default:
		e.why = e.Op + ": " + e.Errno.Error()
	}
}

func (s Spec) explainExecve(e *StartError) {
	switch e.Errno {
	case unix.ENOENT, unix.ENOTDIR:
		s.explainNotFound(e)
	case unix.EACCES:
		e.why = whyDenied(s.locate(e.Path))
	case unix.ENOEXEC:
		e.why = whyNoFormat(s.locate(e.Path))
	default:
		e.why = e.Errno.Error()
	}
}

// explainNotFound tells a program that is nowhere from one that lacks something it
// needs: the kernel's answer is the same.
func (s Spec) explainNotFound(e *StartError) {
	for _, candidate := range s.Paths {
		file := s.locate(candidate)
		if _, err := os.Lstat(file); err == nil {
			e.Path, e.why = candidate, whyIncomplete(file)
			return
		}
	}
	if e.Path == "" {
		e.why = "the name of the program is empty"
		return
	}
	if len(s.Paths) == 1 {
		e.why = e.Errno.Error()
		return
	}
	var dirs []string
	for _, candidate := range s.Paths {
		dirs = append(dirs, filepath.Dir(candidate))
	}
	e.Path = filepath.Base(e.Path)
	e.why = "not found in PATH (" + strings.Join(dirs, ":") + ")"
}

// whyIncomplete is for a file which exists, but of which the kernel says that it, or
// something it needs, does not.
func whyIncomplete(file string) string {
	if _, err := os.Stat(file); err != nil {
		target, _ := os.Readlink(file)
		return fmt.Sprintf("a symbolic link to %s, which does not exist", target)
	}
	interpreter, script := interpreterOf(file)
	switch {
	case !script:
		return "its dynamic loader does not exist: it was built for another C library"
	case strings.HasSuffix(interpreter, "\r"):
		return fmt.Sprintf("its interpreter %q does not exist: the file has DOS line ends", interpreter)
	}
	return fmt.Sprintf("its interpreter %s does not exist", interpreter)
}

// whyDenied is for EACCES, in the order in which the kernel checks.
func whyDenied(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "permission denied: " + err.Error()
	}
	var fs unix.Statfs_t
	switch {
	case info.IsDir():
		return "is a directory"
	case !info.Mode().IsRegular():
		return "is not a regular file"
	case unix.Statfs(file, &fs) == nil && fs.Flags&unix.ST_NOEXEC != 0:
		return "its file system is mounted noexec"
	case unix.Faccessat(unix.AT_FDCWD, file, unix.X_OK, unix.AT_EACCESS) != nil:
		return fmt.Sprintf("no permission to execute it (mode %v, uid %d)", info.Mode(), os.Geteuid())
	}
	if interpreter, script := interpreterOf(file); script {
		return fmt.Sprintf("its interpreter %s cannot be executed", interpreter)
	}
	return "permission denied"
}

func whyNoFormat(file string) string {
	if looksLikeText(file) {
		return "it has no #! line, and " + shell + ", which would run it, cannot be executed"
	}
	return fmt.Sprintf("exec format error: damaged, or not built for %s", runtime.GOARCH)
}

// interpreterOf returns the interpreter that the first line of a script names.
func interpreterOf(file string) (interpreter string, script bool) {
	line, script := bytes.CutPrefix(firstLine(file), []byte("#!"))
	if !script {
		return "", false
	}
	name, _, _ := strings.Cut(strings.Trim(string(line), " \t"), " ")
	return name, true
}

// looksLikeText says whether a shell should try to run the file: whether its first line,
// which may be empty, has no NUL byte. A program of another architecture has.
func looksLikeText(file string) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false
	}
	line := firstLine(file)
	return line != nil && !bytes.Contains(line, []byte{0})
}

// firstLine returns as much of the first line as the kernel looks at
// (BINPRM_BUF_SIZE), or nil if the file cannot be read.
func firstLine(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return nil
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return line
}

// locate returns where this process finds a file that the child names.
func (s Spec) locate(file string) string {
	if s.Dir == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(s.Dir, file)
}
