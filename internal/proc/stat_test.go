package proc

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// line is a line of /proc/PID/stat with these names and fields 3 to 22.
func line(comm, fields string) string { return "42 (" + comm + ") " + fields + " 0 0\n" }

// fields 3 to 22: state ppid pgrp session tty tpgid flags, faults, times, priority,
// nice, threads, itrealvalue, start time.
const fields = "S 7 40 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 -5 3 0 123456"

func TestParseStat(t *testing.T) {
	for name, comm := range map[string]string{
		"plain": "bash", "empty": "", "longest": "fifteen-bytes-x", "space": "a b", "closing parenthesis": "a b)",
		"looks like fields": ") Z 1", "only parentheses": "))((", "newline": "a\nb", "not UTF-8": "\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			var s Stat
			if err := parseStat([]byte(line(comm, fields)), &s); err != nil {
				t.Fatal(err)
			}
			want := Stat{ID: ID{PID: 42, Start: 123456}, PPID: 7, PGID: 40, SID: 41, Threads: 3, State: 'S'}
			if s.Comm() != comm {
				t.Errorf("name %q, want %q", s.Comm(), comm)
			}
			s.comm, s.commLen = want.comm, want.commLen
			if s != want {
				t.Errorf("%+v, want %+v", s, want)
			}
		})
	}
}

func TestParseStatLongName(t *testing.T) {
	// Kernel threads show more than TASK_COMM_LEN (fs/proc/array.c, proc_task_name).
	var s Stat
	if err := parseStat([]byte(line("kworker/u8:3-events_unbound", fields)), &s); err != nil || s.Comm() != "kworker/u8:3-ev" {
		t.Errorf("name %q, error %v", s.Comm(), err)
	}
}

func TestParseStatMalformed(t *testing.T) {
	head, _, _ := strings.Cut(fields, " 123456")
	for _, bad := range []string{
		"", "42", "42 (", "42 (x", "42 (x)", "42 (x) ", "42 )x( S 1", "(x) " + fields, "x (x) " + fields, "-1 (x) " + fields,
		"42 (x) S", "42 (x) " + head, line("x", strings.Replace(fields, "S 7", "S x", 1)),
		line("x", strings.Replace(fields, " 40 ", " -40 ", 1)), line("x", strings.Replace(fields, " 3 0 123456", "  123456", 1)),
		line("x", strings.Replace(fields, "123456", "18446744073709551616", 1)),
		line("x", strings.Replace(fields, "S 7", "S 99999999999", 1)),
		"99999999999 (x) " + fields, "18446744073709551616 (x) " + fields,
	} {
		var s Stat
		if err := parseStat([]byte(bad), &s); err != errStat {
			t.Errorf("%q: %v, %+v", bad, err, s)
		}
	}
}

func TestParseStatLargestNumbers(t *testing.T) {
	var s Stat
	largest := "S 2147483647 2147483647 2147483647 0 -1 0 0 0 0 0 0 0 0 0 0 0 2147483647 0 18446744073709551615"
	if err := parseStat([]byte("2147483647 (x) "+largest), &s); err != nil {
		t.Fatal(err)
	}
	if s.PID != 1<<31-1 || s.PPID != 1<<31-1 || s.Threads != 1<<31-1 || s.Start != 1<<64-1 {
		t.Errorf("%+v", s)
	}
}

func TestAlive(t *testing.T) {
	for _, c := range []struct {
		state   byte
		threads int
		want    bool
	}{
		{'R', 1, true}, {'S', 1, true}, {'D', 1, true}, {'T', 1, true}, {'t', 1, true}, {'I', 1, true},
		{'Z', 1, false}, {'Z', 0, false}, {'X', 1, false}, {'Z', 2, true},
	} {
		s := Stat{State: c.state, Threads: c.threads}
		if s.Alive() != c.want {
			t.Errorf("state %c with %d threads: alive is %v", c.state, c.threads, s.Alive())
		}
	}
}

// FuzzParseStat: whatever is parsed has the fields that a split at the last
// parenthesis gives.
func FuzzParseStat(f *testing.F) {
	f.Add([]byte(line("x", fields)))
	f.Add([]byte(line(") Z 1", fields)))
	f.Add([]byte("1 () Z 0 0 0"))
	if own, err := os.ReadFile("/proc/self/stat"); err == nil {
		f.Add(own)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var s Stat
		before := bytes.Clone(in)
		err := parseStat(in, &s)
		if !bytes.Equal(in, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		if s.PID < 0 || s.PPID < 0 || s.PGID < 0 || s.SID < 0 || s.Threads < 0 {
			t.Errorf("negative: %+v", s)
		}
		rest := strings.Split(string(in[bytes.LastIndexByte(in, ')')+1:]), " ")
		var words []string
		for _, w := range rest {
			if w != "" {
				words = append(words, w)
			}
		}
		for field, got := range map[int]uint64{4: uint64(s.PPID), 5: uint64(s.PGID), 6: uint64(s.SID), 20: uint64(s.Threads), 22: s.Start} {
			if want := strings.TrimLeft(words[field-3], "0"); want != strings.TrimLeft(fmt.Sprint(got), "0") {
				t.Errorf("field %d is %d, want %s", field, got, want)
			}
		}
		if len(s.Comm()) > 15 || s.State != words[0][0] {
			t.Errorf("name %q, state %c", s.Comm(), s.State)
		}
	})
}

func TestStatOfMissingProcess(t *testing.T) {
	fs := open(t)
	if _, err := fs.Stat(1 << 30); err != unix.ENOENT {
		t.Errorf("error %v", err)
	}
}
