package config

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		line string
		sets []string // what is not the default
		argv string
	}{
		{"sbinit true", nil, "true"},
		{"sbinit -- true", nil, "true"},
		{"sbinit -g true", nil, "true"},
		{"sbinit -s true", []string{"SBINIT_SUBREAPER=on"}, "true"},
		{"sbinit -w true", []string{"SBINIT_WARN_REAPED=on"}, "true"},
		{"sbinit -p SIGKILL true", []string{"SBINIT_PARENT_DEATH_SIGNAL=SIGKILL"}, "true"},
		{"sbinit -pTERM true", []string{"SBINIT_PARENT_DEATH_SIGNAL=SIGTERM"}, "true"},
		{"sbinit -p 15 true", []string{"SBINIT_PARENT_DEATH_SIGNAL=SIGTERM"}, "true"},
		{"sbinit -e 143 -e130 true", []string{"SBINIT_EXIT_OK=130,143"}, "true"},
		{"sbinit -v true", []string{"SBINIT_LOG_LEVEL=info"}, "true"},
		{"sbinit -v --verbose true", []string{"SBINIT_LOG_LEVEL=debug"}, "true"},
		{"sbinit -vvvvv true", []string{"SBINIT_LOG_LEVEL=debug"}, "true"},
		{"sbinit -c true", []string{"SBINIT_FORWARD=child"}, "true"},
		{"sbinit --single-child true", []string{"SBINIT_FORWARD=child"}, "true"},
		{"sbinit --sing true", []string{"SBINIT_FORWARD=child"}, "true"},
		{"sbinit -cg true", nil, "true"},
		{"sbinit -gc true", []string{"SBINIT_FORWARD=child"}, "true"},
		{"sbinit -r TERM:INT -r15:QUIT -r HUP:0 true", []string{"SBINIT_SIGNAL_REWRITE=HUP=0,TERM=QUIT"}, "true"},
		{"sbinit --rewrite 15:2 true", []string{"SBINIT_SIGNAL_REWRITE=TERM=INT"}, "true"},
		{"sbinit --rewrite=15:2 true", []string{"SBINIT_SIGNAL_REWRITE=TERM=INT"}, "true"},
		{"sbinit --rew=15:2 true", []string{"SBINIT_SIGNAL_REWRITE=TERM=INT"}, "true"},
		{"sbinit -P", []string{"SBINIT_PAUSE=on"}, ""},
		{"sbinit -P --", []string{"SBINIT_PAUSE=on"}, ""},
		{"sbinit -gvswe3 true", []string{"SBINIT_EXIT_OK=3", "SBINIT_SUBREAPER=on", "SBINIT_LOG_LEVEL=info",
			"SBINIT_WARN_REAPED=on"}, "true"},

		// The first argument that is no option is the program, and the rest is the program's.
		{"sbinit sh -c -g", nil, "sh -c -g"},
		{"sbinit -g sh -s -- -w", nil, "sh -s -- -w"},
		{"sbinit -- -g", nil, "-g"},
		{"sbinit -g -- -- x", nil, "-- x"},
		{"sbinit - x", nil, "- x"},
		{"sbinit true --help", nil, "true --help"},
		{"sbinit -- ps", nil, "ps"},
		{"sbinit -g ps", nil, "ps"},
		{"sbinit -- help", nil, "help"},
	} {
		inv, warnings, err := run(c.line)
		if err != nil || len(warnings) > 0 || inv.Command != CommandRun {
			t.Errorf("%s: command %d, error %v, warnings %v", c.line, inv.Command, err, warnings)
			continue
		}
		if got := strings.Join(inv.Argv, " "); got != c.argv {
			t.Errorf("%s: runs %q, want %q", c.line, got, c.argv)
		}
		if got := differences(inv.Config, Default(Native)); !slices.Equal(got, sorted(c.sets)) {
			t.Errorf("%s: sets %q, want %q", c.line, got, c.sets)
		}
	}
}

// differences lists the settings of c that standard has otherwise, sorted.
func differences(c, standard Config) []string {
	var lines []string
	before := Effective(standard)
	for _, line := range Effective(c) {
		if !slices.Contains(before, line) {
			lines = append(lines, line)
		}
	}
	return sorted(lines)
}

func sorted(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	return lines
}

// unknown is what is said of an option that is like none.
const unknown = ": unknown option; want one of -g -c -r -e -s -p -w -v -P -l -L -V -h"

func TestWrongOptions(t *testing.T) {
	for line, want := range map[string]string{
		"sbinit":                     "PROGRAM: no program given; usage: sbinit [OPTIONS] [--] PROGRAM [ARG...]; `sbinit help` says more",
		"sbinit --":                  "PROGRAM: no program given; " + Native.usageLine() + "; `sbinit help` says more",
		"sbinit -g":                  "PROGRAM: no program given; " + Native.usageLine() + "; `sbinit help` says more",
		"sbinit -x true":             "-x" + unknown,
		"sbinit -G true":             "-G: unknown option; did you mean -g?",
		"sbinit -R true":             "-R: unknown option; did you mean -r?",
		"sbinit -gxs true":           "-x" + unknown,
		"sbinit --foo true":          "--foo" + unknown,
		"sbinit --rewrit3=1:2 true":  "--rewrit3: unknown option; did you mean --rewrite?",
		"sbinit --singel-child true": "--singel-child: unknown option; did you mean --single-child?",
		"sbinit --=x true":           "--" + unknown,
		"sbinit --orphans=keep x":    "--orphans: unknown option; set the variable SBINIT_ORPHANS",
		"sbinit --kill-grace 5s x":   "--kill-grace: unknown option; set the variable SBINIT_KILL_GRACE",
		"tini -x true":               "-x: unknown option",
		"tini":                       "PROGRAM: no program given; " + Tini.usageLine(),
		"sbinit --ver true":          "--ver: may be --verbose or --version",
		"sbinit --verbose=2 true":    `--verbose "2": takes no argument`,
		"sbinit -version true":       "-version: unknown option; did you mean --version?",
		"sbinit -single-child true":  "-single-child: unknown option; did you mean --single-child?",
		"sbinit -p":                  "-p: wants SIGNAL after it\nPROGRAM: no program given; " + Native.usageLine() + "; `sbinit help` says more",
		"sbinit -ge":                 "-e: wants CODE after it\nPROGRAM: no program given; " + Native.usageLine() + "; `sbinit help` says more",
		"sbinit --rewrite":           "--rewrite: wants A:B after it\nPROGRAM: no program given; " + Native.usageLine() + "; `sbinit help` says more",
		"sbinit -p TREM true":        `-p "TREM": want a signal name such as TERM, SIGTERM or RTMIN+3, or a number from 1 to 64`,
		"sbinit -p 0 true":           `-p "0": want a signal name such as TERM, SIGTERM or RTMIN+3, or a number from 1 to 64`,
		"sbinit -e 300 true":         `-e "300": want an exit code from 0 to 255`,
		"sbinit -e 1,2 true":         `-e "1,2": want an exit code from 0 to 255`,
		"sbinit -se -- true":         `-e "--": want an exit code from 0 to 255`,
		"sbinit -r 15 true":          `-r "15": want SIGNAL:SIGNAL, such as TERM:INT or 15:2, or HUP:0 to drop one`,
		"sbinit --rewrite=15=2 true": `--rewrite "15=2": want SIGNAL:SIGNAL, such as TERM:INT or 15:2, or HUP:0 to drop one`,
		"sbinit -r CHLD:TERM true":   `-r "CHLD:TERM": "CHLD": tells the init that a child ended and is never forwarded, so it cannot be rewritten`,
		"sbinit -P true":             `PROGRAM="true": a pause (-P, SBINIT_PAUSE=on) runs no program; want one of the two`,
		"sbinit -\x1b true":          `-\x1b` + unknown,
		"sbinit --\x1bq true":        `--\x1bq` + unknown,
	} {
		_, _, err := run(line)
		faultsOf(t, err)
		if err.Error() != want {
			t.Errorf("%s:\n%s\nwant\n%s", line, err, want)
		}
	}
}

// A blank is the other case of the byte that stands for no letter.
func TestABlankIsNoOption(t *testing.T) {
	_, _, err := Parse(Input{Args: []string{"tini", "- ", "true"}})
	if faultsOf(t, err); err.Error() != "- : unknown option" {
		t.Error(err)
	}
}

func TestAnEmptyCommandLine(t *testing.T) {
	_, _, err := Parse(Input{})
	if faults := faultsOf(t, err); faults[0].Name != "PROGRAM" {
		t.Errorf("without argv[0]: %v", err)
	}
}

// An option that prints something wins over all that stands after it.
func TestOptionsThatAreCommands(t *testing.T) {
	wrong := "SBINIT_KILL_GRACE=wrong"
	for line, want := range map[string]Command{
		"sbinit -h": CommandHelp, "sbinit --help": CommandHelp, "sbinit --he": CommandHelp, "sbinit -help": CommandHelp,
		"sbinit -V": CommandVersion, "sbinit --version": CommandVersion, "sbinit --vers": CommandVersion,
		"sbinit -l": CommandLicense, "sbinit -L": CommandLicense,
		"sbinit -gh -x": CommandHelp, "sbinit -hx": CommandHelp, "sbinit -V true": CommandVersion,
		"sbinit -e 300 -h": CommandHelp, "sbinit -V -h": CommandVersion,
		"sbinit -h --foo": CommandHelp, "sbinit --version --help": CommandVersion, "sbinit -h -e": CommandHelp,
		"docker-init --version": CommandVersion, "tini -h": CommandHelp, "tini -l": CommandLicense,
		"dumb-init -V": CommandVersion, "dumb-init --version": CommandVersion, "dumb-init --help": CommandHelp,
		"catatonit -V": CommandVersion, "catatonit --version": CommandVersion, "podman-init -L": CommandLicense,
	} {
		inv, warnings, err := run(line, wrong, "SBINIT_WRONG=1")
		if err != nil || len(warnings) > 0 || inv.Command != want {
			t.Errorf("%s: command %d, error %v, warnings %v, want command %d", line, inv.Command, err, warnings, want)
		}
	}
	if _, _, err := run("sbinit --foo -h"); err == nil || err.Error() != "--foo"+unknown {
		t.Errorf("--foo -h: %v", err)
	}
}

func TestParentDeathSignalIsASignal(t *testing.T) {
	if c := mustRun(t, "sbinit -p RTMIN+1 true"); c.ParentDeathSignal != unix.Signal(35) {
		t.Errorf("-p RTMIN+1 is %d", c.ParentDeathSignal)
	}
}
