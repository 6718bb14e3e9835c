package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/deploy/box"
)

func TestMain(m *testing.M) {
	box.Enter()
	m.Run()
}

func TestBudget(t *testing.T) {
	figures := []figure{
		{"binary", 3.5, 3.5, "MB"},
		{"resident", 4.004, 4, "MB"},
		{"threads", 9, 8, ""},
		{"descriptors", 99, 0, ""},
	}
	var out bytes.Buffer
	if err := table(&out, figures); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "OVER"); n != 2 {
		t.Errorf("%d are over:\n%s", n, &out)
	}
	err := judge(figures)
	if err == nil || err.Error() != "over budget: resident 4.004 MB of 4.000 MB, threads 9 of 8" {
		t.Errorf("%v", err)
	}
	if got := status(err); got != 1 {
		t.Errorf("status %d", got)
	}
	if err := judge(figures[:1]); err != nil || status(err) != 0 {
		t.Errorf("within the budget: %v", err)
	}
	if got := status(errors.New("other")); got != 2 {
		t.Errorf("status %d", got)
	}
}

func TestUsage(t *testing.T) {
	u, err := parse("Name:\tx\nVmRSS:\t    3900 kB\nThreads:\t7\nx:\n", 15)
	if err != nil || u != (usage{3900 * 1024, 7, 15}) {
		t.Errorf("%+v, %v", u, err)
	}
	for _, status := range []string{"", "VmRSS:\n", "Threads:\t7\n", "VmRSS: 1 kB\n", "Name: VmRSS: 5\nThreads: 1\n"} {
		if u, err := parse(status, 0); err == nil {
			t.Errorf("%q: %+v", status, u)
		}
	}
	own, err := read(os.Getpid())
	if err != nil || own.resident < 1e6 || own.threads < 1 || own.descriptors < 3 {
		t.Errorf("%+v, %v", own, err)
	}
}

func TestNotMeasured(t *testing.T) {
	for _, path := range []string{"/does/not/exist", "/bin/false"} {
		var out bytes.Buffer
		if err := run(&out, path); err == nil || errors.Is(err, errOverBudget) {
			t.Errorf("%s: %v\n%s", path, err, &out)
		}
	}
}
