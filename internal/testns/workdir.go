package testns

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// workDir holds what programs inside must be able to read as any user: go test
// keeps its own binaries in a folder which only their owner can enter. [Main]
// removes it.
var workDir struct {
	once sync.Once
	path string
	err  error
}

func scratch() (string, error) {
	workDir.once.Do(func() {
		workDir.path, workDir.err = os.MkdirTemp("", "sbinit-test-")
		if workDir.err == nil {
			workDir.err = os.Chmod(workDir.path, 0o755)
		}
	})
	return workDir.path, workDir.err
}

// executable is the path of this test binary for programs inside. A process that
// is inside already goes by the path it was started with.
var executable = sync.OnceValue(func() string {
	if _, inside := programName(os.Args); inside {
		return os.Args[0]
	}
	path, err := copyExecutable()
	if err != nil {
		panic(fmt.Sprintf("testns: copying the test binary: %v", err))
	}
	return path
})

func copyExecutable() (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "test")
	return path, copyFile(path, "/proc/self/exe")
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// As gives the program file path another name, for what looks at names: the
// result is a hard link, so the kernel's comm, /proc/PID/exe and argv[0] all say it.
func As(t testing.TB, name, path string) string {
	t.Helper()
	link := filepath.Join(Dir(t), name)
	if err := os.Link(path, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// Dir is a new folder that every user inside can read and write, removed at the
// end of the test run.
func Dir(t testing.TB) string {
	t.Helper()
	root, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(root, "dir-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}
