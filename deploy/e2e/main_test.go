//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// image holds a busybox tree, bash, the probe, tini to compare with, and sbinit as the ENTRYPOINT.
const image = "e2e"

// underTini are the options of a container whose PID 1 is tini.
var underTini = []string{"--entrypoint", "/under-tini"}

// Set once, before the tests: the program under test and the engine.
var (
	sbinit string
	daemon *engine
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run keeps its thread, since the engine dies with the thread that started it.
func run(m *testing.M) int {
	runtime.LockOSThread()
	var err error
	if sbinit, err = findSbinit(); err != nil {
		return refuse(fmt.Errorf("no sbinit to test, `make build` makes it: %w", err))
	}
	if daemon, err = startEngine(sbinit); err != nil {
		return refuse(err)
	}
	defer daemon.stop()
	go stopOnSignal(daemon)
	if err := importTestImage(); err != nil {
		return refuse(err)
	}
	return m.Run()
}

// findSbinit is the program that SBINIT_BINARY names, or that `make build` left.
func findSbinit() (string, error) {
	path, err := filepath.Abs(cmp.Or(os.Getenv("SBINIT_BINARY"), "../../bin/sbinit"))
	if err != nil {
		return "", err
	}
	_, err = os.Stat(path)
	return path, err
}

func refuse(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// stopOnSignal leaves nothing behind when the tests are interrupted.
func stopOnSignal(e *engine) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	<-interrupted
	e.stop()
	os.Exit(1)
}

func importTestImage() error {
	probe := filepath.Join(daemon.dir, "probe")
	build := exec.Command("go", "build", "-trimpath", "-o", probe, "./testdata/probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the probe: %w\n%s", err, out)
	}
	changes := []string{`ENTRYPOINT ["/sbinit","--"]`, "ENV PATH=/bin"}
	return daemon.importImage(image, changes, func(r *rootfs) {
		r.busybox()
		r.program("bash", "bin/bash")
		r.program("tini-static", "tini")
		r.script("under-tini", "exec /tini -- \"$@\"\n")
		r.copy(probe, "bin/probe")
		r.copy(sbinit, "sbinit")
	})
}
