package config

import (
	"slices"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	text := Native.Usage()
	for i := range options {
		if o := &options[i]; o.of.has(Native) && !strings.Contains(text, "\n  "+o.String()+" ") {
			t.Errorf("%s is missing", o)
		}
	}
	for _, name := range []string{"keep", "help env", "125", "126", "127", "128+N"} {
		if !strings.Contains(text, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for p := range personalities {
		for _, name := range personalities[p].names {
			if !strings.Contains(text, name) {
				t.Errorf("%s is missing", name)
			}
		}
	}
}

// The help by another init's name is about that: its options, no command of ours.
func TestUsageByAnotherName(t *testing.T) {
	for _, p := range []Personality{Tini, DumbInit, Catatonit} {
		text := p.Usage()
		if !strings.HasPrefix(text, "usage: "+p.String()+" [OPTIONS]") {
			t.Errorf("%s: %q", p, text)
		}
		for i := range options {
			o := &options[i]
			is := slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
				return strings.HasPrefix(line, "  "+o.String()+" ") && strings.HasSuffix(line, " "+o.help)
			})
			if is != o.of.has(p) {
				t.Errorf("%s: %s %s:\n%s", p, o, o.help, text)
			}
		}
		for _, word := range []string{"guard", "terminal", "shell", "keep", " 125"} {
			if strings.Contains(text, word) {
				t.Errorf("%s: the help speaks of %s", p, word)
			}
		}
	}
}

func TestEnvHelp(t *testing.T) {
	text := EnvHelp()
	for _, s := range settings {
		if !strings.Contains(text, "\n"+s.name+"=") && !strings.Contains(text, "\n"+s.name+"\n") {
			t.Errorf("%s is missing", s.name)
		}
	}
	for _, v := range peers {
		if !strings.Contains(text, "\n"+v.name+"\n") {
			t.Errorf("%s is missing", v.name)
		}
	}
	for _, part := range []string{
		"SBINIT_KEEP=1", "SBINIT_STOP_GRACE=off\n    duration, 0, off\n", "SBINIT_SCAN_INTERVAL=1s\n    duration from 100ms\n",
		"SBINIT_SUBREAPER=auto\n    auto, on, off   (-s)\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

func TestPlainTextFitsATerminal(t *testing.T) {
	for _, text := range []string{Native.Usage(), Tini.Usage(), DumbInit.Usage(), Catatonit.Usage(), EnvHelp()} {
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); len(line) > width || strings.HasSuffix(line, " ") {
				t.Errorf("%d columns: %q", len(line), line)
			}
		}
	}
}

// A cell with a bar in it would be two.
func TestMarkdownIsATable(t *testing.T) {
	for name, table := range blocks {
		lines := strings.Split(strings.TrimSuffix(table(), "\n"), "\n")
		bars := strings.Count(lines[0], "|")
		for _, line := range lines {
			if strings.Count(line, "|") != bars || !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") {
				t.Errorf("%s: %q", name, line)
			}
			if strings.Count(line, "`")%2 != 0 {
				t.Errorf("%s: unpaired backtick in %q", name, line)
			}
		}
	}
	if rows := strings.Count(EnvMarkdown(), "\n"); rows != len(settings)+2 {
		t.Errorf("%d rows for %d settings", rows, len(settings))
	}
}
