package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// heading says where, when and with what the figures were taken, and how to read them.
func (b *bench) heading(now time.Time) (string, error) {
	var system unix.Utsname
	if err := unix.Uname(&system); err != nil {
		return "", os.NewSyscallError("uname", err)
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "", err
	}
	versions, err := b.versions()
	if err != nil {
		return "", err
	}
	minute, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf(`%s, %d × %s, Linux %s %s, load %s before.
%s.

A cell is the median of the rounds, with the middle half of them in brackets. A ratio is taken round by round.
`,
		now.UTC().Format("2006-01-02"), runtime.NumCPU(), processor(), unix.ByteSliceToString(system.Release[:]),
		runtime.GOARCH, minute, strings.Join(versions, "; ")), nil
}

// processor is the model's name, where the kernel tells it (amd64 does, arm64 does not).
func processor() string {
	content, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "processor"
	}
	for line := range strings.Lines(string(content)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "processor"
}

// versions are what the programs say of themselves.
func (b *bench) versions() ([]string, error) {
	var list []string
	for _, i := range b.inits {
		if i.name == floor {
			continue // it has no versions
		}
		line, err := firstLine(i.path, "--version")
		if err != nil {
			return nil, err
		}
		list = append(list, i.name+": "+line)
	}
	line, err := firstLine(script, "--version")
	return append(list, script+": "+line), err
}

func firstLine(argv ...string) (string, error) {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, out)
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return string(line), nil
}
