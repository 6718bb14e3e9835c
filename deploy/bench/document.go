package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

const (
	beginMark = "<!-- bench -->\n"
	endMark   = "<!-- /bench -->\n"
)

// writeBetween puts a text between the marks of a document, in place of what was there. A
// document that is not there is made.
func writeBetween(file, text string) error {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = []byte("# Benchmarks\n\n"+beginMark+endMark), nil
	}
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(content), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return fmt.Errorf("%s has no lines %q and %q", file, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	return os.WriteFile(file, []byte(before+beginMark+"\n"+text+"\n"+endMark+after), 0o644)
}
