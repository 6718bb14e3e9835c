package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sbinit/sbinit/deploy/box"
)

// A run is a box whose main program is load.
type run struct{ *box.Box }

// startRun returns when load is ready.
func startRun(argv []string, env ...string) (*run, error) {
	b, err := box.Start(argv, env...)
	if err != nil {
		return nil, err
	}
	r := &run{b}
	line, err := r.line()
	if err == nil && line != "ready" {
		err = fmt.Errorf("it said %q", line)
	}
	if err != nil {
		r.Kill()
		return nil, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return r, nil
}

func (r *run) line() (string, error) {
	line, err := r.Out.ReadString('\n')
	return strings.TrimSpace(line), err
}

// work lets load do its work, and returns what it measured.
func (r *run) work() (sample, error) {
	if _, err := io.WriteString(r.In, "\n"); err != nil {
		return nil, err
	}
	var s sample
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		if line == "done" {
			return s, nil
		}
		value, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, err
		}
		s = append(s, value)
	}
}
