package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sbinit/sbinit/deploy/box"
)

// quiet is a main program that starts so many others, says so, and then does nothing,
// as they do.
const quiet = `i=0; while [ $i -lt "$1" ]; do sleep 1000000 & i=$((i+1)); done; echo ready; exec sleep 1000000`

// measure runs sbinit as PID 1 among so many processes, until it has come to rest.
func measure(sbinit string, others int) (usage, error) {
	sbinit, err := filepath.Abs(sbinit)
	if err != nil {
		return usage{}, err
	}
	argv := []string{sbinit, "--", "/bin/sh", "-c", quiet, "sh", strconv.Itoa(others)}
	c, err := box.Start(argv)
	if err != nil {
		return usage{}, err
	}
	defer c.Kill()
	if line, err := c.Out.ReadString('\n'); err != nil {
		return usage{}, fmt.Errorf("sbinit's main program said %q: %w", line, err)
	}
	return settled(c.PID)
}

// limit is how long a slow machine may take to start, and to come to rest.
const limit = time.Minute

// rest is how long nothing may change: three of sbinit's looks for new processes.
const rest = 3 * time.Second

// settled waits until sbinit's memory has not changed for a while.
func settled(pid int) (usage, error) {
	last, since := usage{}, time.Now()
	for begun := since; time.Since(since) < rest; time.Sleep(rest / 30) {
		now, err := read(pid)
		if err != nil {
			return usage{}, err
		}
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(begun) > limit {
			return usage{}, fmt.Errorf("sbinit has not come to rest after %v: %+v", limit, now)
		}
	}
	return last, nil
}
