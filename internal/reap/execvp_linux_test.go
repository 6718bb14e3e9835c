package reap

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		name, path string
		pathSet    bool
		want       []string
	}{
		{"sh", "/usr/bin:/bin", true, []string{"/usr/bin/sh", "/bin/sh"}},
		{"sh", ":/bin::", true, []string{"./sh", "/bin/sh", "./sh", "./sh"}},
		{"sh", "", true, []string{"./sh"}},
		{"sh", "/ignored", false, []string{"/usr/local/bin/sh", "/bin/sh", "/usr/bin/sh"}},
		{"sh", "/:bin/", true, []string{"/sh", "bin/sh"}},
		{"./sh", "/bin", true, []string{"./sh"}},
		{"/x/sh", "/bin", true, []string{"/x/sh"}},
		{"", "/bin", true, []string{""}},
	} {
		if got := Candidates(c.name, c.path, c.pathSet); !slices.Equal(got, c.want) {
			t.Errorf("Candidates(%q, %q, %v) = %q, want %q", c.name, c.path, c.pathSet, got, c.want)
		}
	}
}

// files makes a directory of programs which fail in all the ways there are.
func files(t *testing.T) string {
	dir := t.TempDir()
	t.Chdir(dir)
	script(t, "good", "#!/bin/sh\nexit 3\n")
	script(t, "text", "test \"$0 $*\" = \"$EXPECTED\" && exit 4\n")
	script(t, "empty", "")
	script(t, "lost", "#!/no/such/interpreter -x\n")
	script(t, "dos", "#!/bin/sh\r\nexit 0\r\n")
	script(t, "barred", "#!/etc/passwd\n")
	script(t, "alien", string(alienProgram(t)))
	for _, step := range []error{
		os.WriteFile("plain", []byte("#!/bin/sh\n"), 0o644),
		os.Mkdir("dir", 0o755),
		os.Mkdir("bin", 0o755),
		os.Mkdir("denied", 0o755),
		os.WriteFile("denied/prog", []byte("#!/bin/sh\nexit 5\n"), 0o644),
		os.Symlink("nowhere", "dangling"),
		os.Symlink("loop", "loop"),
		os.WriteFile("bin/prog", []byte("#!/bin/sh\nexit 6\n"), 0o755),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	return dir
}

// alienProgram is this program, said to be for a machine that there is no more.
func alienProgram(t *testing.T) []byte {
	t.Helper()
	program := make([]byte, 4096)
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.ReadAt(program, 0); err != nil {
		t.Fatal(err)
	}
	const machineOffset = 18 // e_machine in elf(5)
	program[machineOffset], program[machineOffset+1] = byte(elf.EM_VAX), 0
	return program
}

func TestProgramsThatRun(t *testing.T) {
	dir := files(t)
	for _, c := range []struct {
		name  string
		paths []string
		want  int
	}{
		{"script", []string{"./good"}, 3},
		{"text without #!", []string{dir + "/text"}, 4},
		{"empty file", []string{"./empty"}, 0},
		{"missing ones before", []string{dir + "/no/prog", dir + "/no2/prog", dir + "/good"}, 3},
		{"a file as directory before", []string{dir + "/plain/prog", dir + "/good"}, 3},
		{"a forbidden one before", []string{dir + "/denied/prog", dir + "/bin/prog"}, 6},
		{"a directory before", []string{dir + "/dir", dir + "/good"}, 3},
		{"a dangling link before", []string{dir + "/dangling", dir + "/good"}, 3},
		{"one without interpreter before", []string{dir + "/lost", dir + "/good"}, 3},
	} {
		s := Spec{
			Paths: c.paths,
			Argv:  []string{"name", "a b", ""},
			Env:   []string{"EXPECTED=" + dir + "/text a b "},
		}
		pid, err := Start(s)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := Code(await(t, pid)); got != c.want {
			t.Errorf("%s: status %d, want %d", c.name, got, c.want)
		}
	}
}

func TestProgramsThatDoNot(t *testing.T) {
	dir := files(t)
	busy, err := os.OpenFile("good", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	long := strings.Repeat("n", 300)
	for _, c := range []struct {
		name  string
		paths []string
		code  int
		errno unix.Errno
		text  string
	}{
		{"nowhere in PATH", []string{dir + "/a/prog", dir + "/b/prog"}, 127, unix.ENOENT,
			"prog: not found in PATH (" + dir + "/a:" + dir + "/b)"},
		{"nowhere, a file in PATH", []string{dir + "/a/prog", dir + "/plain/prog"}, 127, unix.ENOTDIR,
			"prog: not found in PATH (" + dir + "/a:" + dir + "/plain)"},
		{"no such file", []string{"./absent"}, 127, unix.ENOENT, "./absent: no such file or directory"},
		{"no name", []string{""}, 127, unix.ENOENT, "the name of the program is empty"},
		{"no directory", []string{"./plain/x"}, 127, unix.ENOTDIR, "./plain/x: not a directory"},
		{"dangling link", []string{"./dangling"}, 127, unix.ENOENT,
			"./dangling: a symbolic link to nowhere, which does not exist"},
		{"no interpreter", []string{"./lost"}, 127, unix.ENOENT,
			"./lost: its interpreter /no/such/interpreter does not exist"},
		{"no interpreter, in PATH", []string{dir + "/a/lost", dir + "/lost", dir + "/b/lost"}, 127, unix.ENOENT,
			dir + "/lost: its interpreter /no/such/interpreter does not exist"},
		{"DOS line ends", []string{"./dos"}, 127, unix.ENOENT,
			`./dos: its interpreter "/bin/sh\r" does not exist: the file has DOS line ends`},
		{"not executable", []string{"./plain"}, 126, unix.EACCES,
			"./plain: no permission to execute it (mode -rw-r--r--, uid "},
		{"not executable, then absent", []string{dir + "/denied/prog", dir + "/a/prog"}, 126, unix.EACCES,
			dir + "/denied/prog: no permission"},
		{"two that are not executable", []string{dir + "/denied/prog", dir + "/dir"}, 126, unix.EACCES,
			dir + "/denied/prog: no permission"},
		{"interpreter not executable", []string{"./barred"}, 126, unix.EACCES,
			"./barred: its interpreter /etc/passwd cannot be executed"},
		{"directory", []string{"./dir"}, 126, unix.EACCES, "./dir: is a directory"},
		{"device", []string{"/dev/null"}, 126, unix.EACCES, "/dev/null: is not a regular file"},
		{"other machine", []string{"./alien"}, 126, unix.ENOEXEC,
			"./alien: exec format error: damaged, or not built for " + runtime.GOARCH},
		{"links in a circle", []string{"./loop"}, 126, unix.ELOOP, "./loop: too many levels of symbolic links"},
		{"links in a circle end the search", []string{dir + "/loop", dir + "/bin/prog"}, 126, unix.ELOOP,
			dir + "/loop: too many levels of symbolic links"},
		{"long name", []string{"./" + long}, 126, unix.ENAMETOOLONG, "./" + long + ": file name too long"},
		{"open for writing", []string{"./good"}, 126, unix.ETXTBSY, "./good: text file busy"},
	} {
		_, err := Start(Spec{Paths: c.paths, Argv: []string{"prog"}})
		checkError(t, c.name, err, c.code, c.errno, c.text)
	}
	checkNoChild(t)
}

func checkError(t *testing.T, name string, err error, code int, errno unix.Errno, text string) {
	t.Helper()
	var failed *StartError
	if !errors.As(err, &failed) {
		t.Errorf("%s: error %v", name, err)
		return
	}
	if got := ExitCode(err); got != code {
		t.Errorf("%s: exit code %d, want %d", name, got, code)
	}
	if !errors.Is(err, errno) {
		t.Errorf("%s: errno %v, want %v", name, failed.Errno, errno)
	}
	if !strings.HasPrefix(err.Error(), text) {
		t.Errorf("%s:\n got %s\nwant %s", name, err, text)
	}
}

// checkNoChild fails if a failed start has left something.
func checkNoChild(t *testing.T) {
	t.Helper()
	_, none, err := Drain(1, func(e Exit) { t.Errorf("process %d was left", e.PID) })
	if !none || err != nil {
		t.Errorf("there are children left: %v", err)
	}
}

func TestArgumentsThatAreTooLong(t *testing.T) {
	const limit = 128 << 10 // MAX_ARG_STRLEN of execve(2)
	_, err := Start(Spec{Paths: []string{"/bin/true"}, Argv: []string{"true", strings.Repeat("x", limit)}})
	checkError(t, "one of 128 KiB", err, 126, unix.E2BIG, "/bin/true: argument list too long")
}

func TestStartsThatDoNotComeToExec(t *testing.T) {
	noDir := command("true")
	noDir.Dir = "/no/such/dir"
	_, err := Start(noDir)
	checkError(t, "directory", err, 125, unix.ENOENT, "true: working directory /no/such/dir: no such file")

	_, err = Start(command("true", "a\x00b"))
	checkError(t, "NUL", err, 125, unix.EINVAL, "true: no program, or a NUL byte")
	_, err = Start(Spec{Paths: []string{"/bin/true"}})
	checkError(t, "no arguments", err, 125, unix.EINVAL, "no program")
	_, err = Start(Spec{Argv: []string{"x"}})
	checkError(t, "no candidates", err, 125, unix.EINVAL, "x: no program")
	checkNoChild(t)
}

func TestStartWithoutDescriptors(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := unix.Rlimit{Cur: 0, Max: limit.Max}
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &none, nil); err != nil {
		t.Fatal(err)
	}
	_, err := Start(command("true"))
	if restored := unix.Prlimit(0, unix.RLIMIT_NOFILE, &limit, nil); restored != nil {
		t.Fatal(restored)
	}
	checkError(t, "EMFILE", err, 125, unix.EMFILE, "true: pipe2: too many open files")
}

func TestErrorIsAPackageFSError(t *testing.T) {
	_, err := Start(Spec{Paths: []string{"./absent"}, Argv: []string{"absent"}})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v should be fs.ErrNotExist", err)
	}
}

func TestExitCodeOfOtherErrors(t *testing.T) {
	if got := ExitCode(nil); got != 0 {
		t.Errorf("nil: %d", got)
	}
	if got := ExitCode(errors.New("other")); got != 125 {
		t.Errorf("other: %d", got)
	}
}

func TestLimitOfProcesses(t *testing.T) {
	s := command("true")
	failed := s.failed("clone", unix.EAGAIN)
	s.explain(failed)
	checkError(t, "EAGAIN", failed, 125, unix.EAGAIN,
		"true: no new process can be made: resource temporarily unavailable (limit of processes reached")
}
