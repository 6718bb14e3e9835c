package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		line    string
		pid1    bool
		command Command
		argv    string
		topic   string
	}{
		{"sbinit help", false, CommandHelp, "", ""},
		{"sbinit help", true, CommandHelp, "", ""},
		{"sbinit help env", false, CommandHelpEnv, "", "env"},
		{"sbinit help env", true, CommandHelpEnv, "", "env"},
		{"sbinit version", false, CommandVersion, "", ""},
		{"sbinit version", true, CommandVersion, "", ""},
		{"sbinit keep sshd -D", false, CommandKeep, "sshd -D", ""},
		{"sbinit keep -- -x", false, CommandKeep, "-x", ""},
		{"sbinit keep -- -- x", false, CommandKeep, "-- x", ""},
		{"sbinit keep x -- y", false, CommandKeep, "x -- y", ""},
		{"sbinit keep --help", false, CommandHelp, "", "keep"},
		{"sbinit keep -h", false, CommandHelp, "", "keep"},
		{"sbinit version --help", true, CommandHelp, "", "version"},
		{"sbinit help -h", true, CommandHelp, "", "help"},
		{"sbinit help guard", true, CommandHelp, "", "guard"},
		{"sbinit keep keep", false, CommandKeep, "keep", ""},

		// As PID 1 and under a peer's name these are programs.
		{"sbinit keep sshd", true, CommandRun, "keep sshd", ""},
		{"sbinit ps", true, CommandRun, "ps", ""},
		{"sbinit guard x", true, CommandRun, "guard x", ""},
		{"sbinit check", true, CommandRun, "check", ""},
		{"tini help", false, CommandRun, "help", ""},
		{"docker-init version", true, CommandRun, "version", ""},
		{"catatonit ps", false, CommandRun, "ps", ""},
	} {
		inv, _, err := Parse(Input{Args: strings.Fields(c.line), PID1: c.pid1})
		if err != nil || inv.Command != c.command || strings.Join(inv.Argv, " ") != c.argv || inv.Topic != c.topic {
			t.Errorf("%s (PID 1 %v): %+v, %v", c.line, c.pid1, inv, err)
		}
	}
}

func TestWrongCommands(t *testing.T) {
	for line, want := range map[string]string{
		"sbinit help me":        `help "me": want nothing, env, or one of guard, terminal, shell, keep, version, help, ps, orphans, sessions, stats, check, doctor`,
		"sbinit help ps x":      `help ps "x": takes no argument here`,
		"sbinit help env now":   `help env "now": takes no argument here`,
		"sbinit version all":    `version "all": takes no argument here`,
		"sbinit version --json": "--json: unknown option; want one of -h",
		"sbinit keep":           "keep: no program given; usage: sbinit keep [--] PROGRAM [ARG...]",
		"sbinit keep --":        "keep: no program given; usage: sbinit keep [--] PROGRAM [ARG...]",
		"sbinit keep -g sshd":   "-g: unknown option; want one of -h",
	} {
		_, _, err := run(line)
		if faultsOf(t, err); err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// Commands read no settings, and what is wrong there does not keep them from
// running.
func TestCommandsReadNoSettings(t *testing.T) {
	for _, line := range []string{"sbinit help", "sbinit version", "sbinit keep true"} {
		if _, warnings, err := run(line, "SBINIT_FORWARD=wrong", "SBINIT_WRONG=1"); err != nil || len(warnings) > 0 {
			t.Errorf("%s: error %v, warnings %v", line, err, warnings)
		}
	}
}

func TestPID1WordsAreCommands(t *testing.T) {
	for _, word := range pid1Words {
		if !isCommand(word, false) {
			t.Errorf("%s is a command as PID 1 only", word)
		}
	}
}

func TestGuard(t *testing.T) {
	in, _, err := run("sbinit guard -v -e 143 -r TERM:INT -- agent -x", "SBINIT_KILL_GRACE=1s")
	if err != nil {
		t.Fatal(err)
	}
	if in.Command != CommandGuard || !slices.Equal(in.Argv, []string{"agent", "-x"}) {
		t.Errorf("command %v, program %q", in.Command, in.Argv)
	}
	c := in.Config
	if c.KillGrace != time.Second || c.LogLevel != LevelInfo || !c.ExitOK.Has(143) || !c.Rewrite.Has(unix.SIGTERM) {
		t.Errorf("settings %q", Effective(c))
	}
}

func TestGuardIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		"sbinit guard":          "guard: no program given",
		"sbinit guard -v":       "guard: no program given",
		"sbinit guard -s agent": "-s: unknown option; want one of -r -e -v -h",
		"sbinit guard -P":       "-P: unknown option",
	} {
		if _, _, err := run(line); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestTerminalCommands(t *testing.T) {
	for line, want := range map[string]Invocation{
		"sbinit terminal":          {Command: CommandTerminal},
		"sbinit terminal -v":       {Command: CommandTerminal},
		"sbinit shell":             {Command: CommandShell},
		"sbinit shell top -d 1":    {Command: CommandShell, Argv: []string{"top", "-d", "1"}},
		"sbinit shell -vv -- -x y": {Command: CommandShell, Argv: []string{"-x", "y"}},
		"sbinit terminal -h":       {Command: CommandHelp, Topic: "terminal"},
		"sbinit shell --help":      {Command: CommandHelp, Topic: "shell"},
	} {
		got, _, err := run(line)
		if err != nil || got.Command != want.Command || got.Topic != want.Topic || !slices.Equal(got.Argv, want.Argv) {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
	for line, says := range map[string]string{
		"sbinit terminal sh":    `terminal "sh": takes no argument here`,
		"sbinit terminal -e 1":  "-e: unknown option",
		"sbinit shell -r 1:2 x": "-r: unknown option",
	} {
		in, _, err := run(line)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", line, err, says)
		}
		if in.Command != CommandTerminal && in.Command != CommandShell {
			t.Errorf("%s: command %d: a fault must not hide which it was", line, in.Command)
		}
	}
	in, _, err := run("sbinit terminal", "SBINIT_TERMINAL_IDLE=x")
	if err == nil || in.Command != CommandTerminal {
		t.Errorf("%+v, %v", in, err)
	}
	if in, _, _ := Parse(Input{Args: []string{"sbinit", "shell"}, PID1: true}); in.Command != CommandRun {
		t.Error("as PID 1 shell is a program of the image's")
	}
}
