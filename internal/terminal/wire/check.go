package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sbinit/sbinit/internal/jsonline"
)

// Check says what of o a worker would refuse, or could not be told. An environment of
// more than MaxLine, for instance, or arguments that are no UTF-8.
func (o Open) Check() error {
	if fault := o.fault(); fault != nil {
		return fault
	}
	if len(o.Append(nil)) > MaxLine {
		return &Error{CodeLineTooLong, tooLong}
	}
	return nil
}

// fault is what is wrong with the values; nil if nothing is.
func (o Open) fault() *Error {
	switch {
	case !isSide(o.Cols):
		return bad("cols", wantSide)
	case !isSide(o.Rows):
		return bad("rows", wantSide)
	case o.Cwd != "" && o.Cwd[0] != '/':
		return bad("cwd", "an absolute path")
	case len(o.Argv) > 0 && o.Argv[0] == "":
		return bad("argv", "the name of a program first")
	case o.Lifetime < 0:
		return bad("lifetime_ms", "a positive number")
	case o.Idle < 0:
		return bad("idle_ms", "a positive number")
	case !isID(o.ID):
		return bad("id", wantID)
	}
	for _, text := range [][]string{{o.Cwd, o.ID}, o.Argv, o.Env} {
		if fault := textFault(text); fault != nil {
			return fault
		}
	}
	return environmentFault(o.Env)
}

// textFault finds text that JSON or the kernel cannot hold.
func textFault(list []string) *Error {
	for _, text := range list {
		if !utf8.ValidString(text) {
			return &Error{CodeBadUTF8, strconv.Quote(jsonline.Cut(text, longestName)) + " is not UTF-8"}
		}
		if strings.IndexByte(text, 0) >= 0 {
			return &Error{CodeBadValue, strconv.Quote(jsonline.Cut(text, longestName)) + " has a NUL"}
		}
	}
	return nil
}

// environmentFault finds what is no NAME=value, and names that come twice.
func environmentFault(list []string) *Error {
	seen := make(map[string]bool, len(list))
	for _, variable := range list {
		name, _, ok := strings.Cut(variable, "=")
		switch {
		case !ok || name == "":
			return bad("env", wantName)
		case seen[name]:
			return &Error{CodeDuplicateKey, "there are two of " + quoted([]byte(name))}
		}
		seen[name] = true
	}
	return nil
}

func isSide(n int) bool { return n >= 1 && n <= MaxSide }

func isID(text string) bool { return utf8.RuneCountInString(text) <= MaxID }

const (
	wantID   = "at most 128 characters"
	wantSide = "an integer from 1 to 1000"
	wantName = "names that are not empty and have no ="
)

func bad(name, want string) *Error {
	return &Error{CodeBadValue, strconv.Quote(name) + ": want " + want}
}
