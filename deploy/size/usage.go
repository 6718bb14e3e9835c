package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// usage is what a process takes.
type usage struct {
	resident    float64 // bytes: VmRSS, which counts pages of the program file too
	threads     int
	descriptors int
}

// read asks this system's /proc about a process (proc_pid_status(5)).
func read(pid int) (usage, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return usage{}, err
	}
	open, err := os.ReadDir(dir + "/fd")
	if err != nil {
		return usage{}, err
	}
	return parse(string(status), len(open))
}

func parse(status string, descriptors int) (usage, error) {
	kib, err := field(status, "VmRSS")
	if err != nil {
		return usage{}, err
	}
	threads, err := field(status, "Threads")
	if err != nil {
		return usage{}, err
	}
	return usage{resident: float64(kib) * 1024, threads: threads, descriptors: descriptors}, nil
}

func field(status, name string) (int, error) {
	_, rest, ok := strings.Cut("\n"+status, "\n"+name+":")
	words := strings.Fields(rest)
	if !ok || len(words) == 0 {
		return 0, fmt.Errorf("there is no %s: it has ended", name)
	}
	return strconv.Atoi(words[0])
}
