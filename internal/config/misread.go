package config

import (
	"slices"
	"strings"
)

// Misread says what a program that was not found may have been meant as; empty: nothing is
// like it. The program and its arguments are the last words of the command line, program
// of them.
func Misread(args []string, program int, pid1 bool) string {
	word, before := args[len(args)-program], args[:len(args)-program]
	switch {
	case word == "--":
		return "there are two --: leave one out"
	case strings.Contains(word, " "):
		return "its words have to be arguments of their own, without quotes around all of them; or sh -c '...'"
	case called(args[0]) != Native:
		return ""
	}
	ask := ""
	if !isCommand(word, false) {
		near, ok := nearest(word, commandWords())
		if !ok {
			return ""
		}
		word, ask = near, "did you mean "+near+"? "
	}
	switch {
	case !isCommand(word, pid1):
		return ask + "as PID 1 only " + strings.Join(pid1Words, ", ") + " are commands: `sbinit -- sbinit " + word + " ...` runs another one below it"
	case !slices.Contains(before, "--"):
		return "`sbinit " + word + "` is a command"
	case pid1:
		return ask + "after -- it is a program; for the command leave out --: docker run --entrypoint /sbinit IMAGE " + word
	}
	return ask + "after -- it is a program; for the command leave out --: sbinit " + word
}
