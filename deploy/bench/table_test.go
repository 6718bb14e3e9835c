package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	atMost, atLeast, value := aim{limit: 1.3, ratio: true}, aim{limit: 0.7, ratio: true, atLeast: true}, aim{limit: 4}
	for _, c := range []struct {
		aim       aim
		own, base sample
		want      string
	}{
		{aim{}, sample{9}, sample{1}, ""},
		{atMost, sample{13}, sample{10}, "met"},
		{atMost, sample{14}, sample{10}, "**missed**"},
		{atMost, sample{14}, nil, "not measured"},
		{atMost, sample{14}, sample{0}, "not measured"},
		{atMost, sample{9, 40, 9}, sample{10, 10, 10}, "met"},
		{atMost, sample{30, 60, 9}, sample{30, 60, 1}, "met"}, // of each round, not of the medians
		{atLeast, sample{7}, sample{10}, "met"},
		{atLeast, sample{6}, sample{10}, "**missed**"},
		{value, sample{4}, nil, "met"},
		{value, sample{4.1}, sample{9}, "**missed**"},
		{value, nil, sample{9}, "not measured"},
	} {
		f := figure{base: "tini", aim: c.aim, values: map[string]sample{sbinit: c.own, "tini": c.base}}
		if got := f.verdict(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestTable(t *testing.T) {
	f := figure{name: "signal", unit: "µs", base: "tini", aim: aim{limit: 1.5, ratio: true}}
	for _, v := range []float64{10, 40, 20, 30, 50} {
		f.add(sbinit, v)
		f.add("tini", 10)
	}
	f.add(bare, 123.4)
	const want = "| signal | µs | 30.0 (20.0–40.0) | 10.0 (10.0–10.0) |  |  |  | 123 |  | 3.00 (2.00–4.00) of tini | ≤ 1.5 times | **missed** |\n"
	if got := table([]*figure{&f}); !strings.HasSuffix(got, "\n"+want) || strings.Count(got, "\n") != 3 {
		t.Errorf("%s", got)
	}
}

func TestPercentile(t *testing.T) {
	s := sample{}
	for i := range 101 {
		s = append(s, float64((i*37)%101))
	}
	for _, percent := range []int{0, 25, 50, 99, 100} {
		if got := s.percentile(percent); got != float64(percent) {
			t.Errorf("%d: %v", percent, got)
		}
	}
}

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0.00", 0.126: "0.13", 9.994: "9.99", 9.996: "10.0", 99.94: "99.9", 99.96: "100", 1234.5: "1234",
	} {
		if got := number(value); got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
	}
}

func TestWriteBetween(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.md")
	write := func(text string) string {
		t.Helper()
		if err := writeBetween(file, text); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	if got := write("one\n"); got != "# Benchmarks\n\n<!-- bench -->\n\none\n\n<!-- /bench -->\n" {
		t.Errorf("made %q", got)
	}
	const around = "before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n"
	if err := os.WriteFile(file, []byte(around), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := write("two\n"); got != "before\n<!-- bench -->\n\ntwo\n\n<!-- /bench -->\nafter\n" {
		t.Errorf("replaced to %q", got)
	}
	for _, content := range []string{"", "<!-- bench -->\n", "<!-- /bench -->\n<!-- bench -->\n"} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := writeBetween(file, "three\n"); err == nil {
			t.Errorf("%q was written into", content)
		}
	}
}

func TestField(t *testing.T) {
	const status = "Name:\tx\nVmRSS:\t  3900 kB\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t9\nx:\n"
	for name, want := range map[string]float64{"VmRSS": 3900, "voluntary_ctxt_switches": 7} {
		if got, err := field(status, name); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"RSS", "x", "Name"} {
		if got, err := field(status, name); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
