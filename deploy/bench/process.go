package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpuTime is what all threads of a process have run, from schedstat: the kernel's
// Documentation/scheduler/sched-stats.rst.
func cpuTime(pid int) (time.Duration, error) {
	var sum time.Duration
	err := eachThread(pid, "schedstat", func(content string) error {
		ran, _, _ := strings.Cut(content, " ")
		n, err := strconv.ParseInt(ran, 10, 64)
		sum += time.Duration(n)
		return err
	})
	return sum, err
}

// wakeUps is how often a thread of a process has slept and gone on.
func wakeUps(pid int) (float64, error) {
	var sum float64
	err := eachThread(pid, "status", func(content string) error {
		n, err := field(content, "voluntary_ctxt_switches")
		sum += n
		return err
	})
	return sum, err
}

func eachThread(pid int, file string, take func(content string) error) error {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("process %d has no threads: %v", pid, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := take(string(content)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// resident is VmRSS in MB (proc_pid_status(5)).
func resident(pid int) (float64, error) {
	kib, err := fieldOf(pid, "status", "VmRSS")
	return kib * 1024 / 1e6, err
}

// pss is memory in MB, in which shared pages count by share (proc_pid_smaps(5)).
func pss(pid int) (float64, error) {
	kib, err := fieldOf(pid, "smaps_rollup", "Pss")
	return kib * 1024 / 1e6, err
}

func parent(pid int) (int, error) {
	n, err := fieldOf(pid, "status", "PPid")
	return int(n), err
}

func fieldOf(pid int, file, name string) (float64, error) {
	path := fmt.Sprintf("/proc/%d/%s", pid, file)
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	value, err := field(string(content), name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return value, nil
}

// field is the number behind a name.
func field(content, name string) (float64, error) {
	_, rest, ok := strings.Cut("\n"+content, "\n"+name+":")
	words := strings.Fields(rest)
	if !ok || len(words) == 0 {
		return 0, fmt.Errorf("there is no %s", name)
	}
	return strconv.ParseFloat(words[0], 64)
}
