package view

import (
	"os"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/proc"
)

// TestNobodyIsWaitedForLong: processes that cannot be read hold a view up for as long as
// all of them may together, and stay what they were.
func TestNobodyIsWaitedForLong(t *testing.T) {
	fs, err := proc.Open()
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{fs: fs}
	stuck := make(chan struct{})
	defer close(stuck)
	begun := time.Now()
	for range 20 {
		p := Process{RSS: 7}
		r.patiently(&p, func(_ *proc.FS, p *Process) { p.RSS = 8; <-stuck })
		if p.RSS != 7 {
			t.Fatal("a process is written to while it is used")
		}
	}
	if took := time.Since(begun); took < stallLimit || took > 3*stallLimit {
		t.Errorf("took %v", took)
	}
	if r.fs == fs {
		t.Error("the /proc that a stalled read has is used by others")
	}
}

func TestPatientlyReads(t *testing.T) {
	fs, err := proc.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	r := &reader{fs: fs}
	s, err := fs.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p, ok := r.process(s, sinceBoot(), Wanted{PSS: true})
	if !ok || len(p.Args) != len(os.Args) || p.PSS <= 0 || p.RSS <= 0 || p.UID != os.Getuid() || p.Age <= 0 || p.Age > time.Hour ||
		r.stalled != 0 || r.fs != fs {
		t.Errorf("%+v", p)
	}
	s.PID = 1 << 30
	if _, ok := r.process(s, sinceBoot(), Wanted{}); ok {
		t.Error("a process that has ended is there")
	}
}
