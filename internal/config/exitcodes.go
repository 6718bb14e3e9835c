package config

import (
	"errors"
	"strconv"
	"strings"
)

// ExitCodes is a set of exit statuses, 0 to 255: one bit each.
type ExitCodes [4]uint64

var (
	errExitCode  = errors.New("want an exit code from 0 to 255")
	errExitCodes = errors.New("want exit codes from 0 to 255, such as 143,130")
)

// Has says whether code is in the set.
func (e ExitCodes) Has(code int) bool {
	return code >= 0 && code <= 255 && e[code/64]&(1<<(code%64)) != 0
}

// String is the list that parseExitCodes reads back, in ascending order.
func (e ExitCodes) String() string {
	var codes []string
	for code := range 256 {
		if e.Has(code) {
			codes = append(codes, strconv.Itoa(code))
		}
	}
	return strings.Join(codes, ",")
}

// add puts one code, in decimal, into the set.
func (e *ExitCodes) add(code string) error {
	n, err := strconv.ParseUint(code, 10, 8)
	if err != nil {
		return errExitCode
	}
	e[n/64] |= 1 << (n % 64)
	return nil
}

func parseExitCodes(list string) (ExitCodes, error) {
	var codes ExitCodes
	for code := range strings.SplitSeq(list, ",") {
		if err := codes.add(strings.TrimSpace(code)); err != nil {
			return ExitCodes{}, errExitCodes
		}
	}
	return codes, nil
}
