package signals

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// Rewrite says what becomes of a signal before it is forwarded: it stays as it
// is, becomes another one, or is dropped. The zero value changes nothing. It is
// a plain value: copy it, compare it.
type Rewrite struct {
	to [Max + 1]rewritten
}

// rewritten is 0 for a signal nobody wrote a rule for, dropped, or the signal
// that is forwarded instead. A rule that maps a signal to itself is kept as one:
// it says that a default rule for this signal is not wanted.
type rewritten uint8

const dropped rewritten = 0xff

var (
	errPair     = errors.New("want SIGNAL=SIGNAL, such as TERM=INT, or HUP=0 to drop one")
	errOption   = errors.New("want SIGNAL:SIGNAL, such as TERM:INT or 15:2, or HUP:0 to drop one")
	errTwice    = errors.New("this signal is rewritten twice; keep one of the two")
	errUncaught = errors.New("cannot be caught, so it cannot be rewritten; it can be the right side only")
	errChild    = errors.New("tells the init that a child ended and is never forwarded, so it cannot be rewritten")
)

// ParseRewrite reads the form of SBINIT_SIGNAL_REWRITE: TERM=INT,HUP=0. An empty
// string changes nothing. All wrong pairs are reported, joined.
func ParseRewrite(s string) (Rewrite, error) {
	var r Rewrite
	if s == "" {
		return r, nil
	}
	var errs []error
	for pair := range strings.SplitSeq(s, ",") {
		pair = strings.TrimSpace(pair)
		from, to, err := parsePair(pair, "=", errPair)
		switch {
		case err != nil:
			errs = append(errs, err)
		case r.Has(from):
			errs = append(errs, &valueError{value: pair, want: errTwice})
		default:
			r.to[from] = to
		}
	}
	return r, errors.Join(errs...)
}

// AddOption adds one rule in the form of the option -r: TERM:INT, 15:2, HUP:0.
// As with dumb-init, a later rule for a signal replaces an earlier one.
func (r *Rewrite) AddOption(s string) error {
	from, to, err := parsePair(s, ":", errOption)
	if err != nil {
		return err
	}
	r.to[from] = to
	return nil
}

// Default adds a rule for a signal that has none.
func (r *Rewrite) Default(from, to unix.Signal) {
	if !r.Has(from) {
		r.to[from] = rewritten(to)
	}
}

// Has says whether there is a rule for sig.
func (r Rewrite) Has(sig unix.Signal) bool {
	return sig > 0 && sig <= Max && r.to[sig] != 0
}

// Apply returns the signal to forward instead of sig, and false if it is to be
// dropped.
func (r Rewrite) Apply(sig unix.Signal) (unix.Signal, bool) {
	if !r.Has(sig) {
		return sig, true
	}
	if r.to[sig] == dropped {
		return 0, false
	}
	return unix.Signal(r.to[sig]), true
}

// String is the form that ParseRewrite reads back, in order of signal numbers.
func (r Rewrite) String() string {
	var pairs []string
	for from := unix.Signal(1); from <= Max; from++ {
		if !r.Has(from) {
			continue
		}
		to := "0"
		if sig, ok := r.Apply(from); ok {
			to = short(sig)
		}
		pairs = append(pairs, short(from)+"="+to)
	}
	return strings.Join(pairs, ",")
}

func parsePair(pair, separator string, want error) (unix.Signal, rewritten, error) {
	left, right, ok := strings.Cut(pair, separator)
	if !ok {
		return 0, 0, &valueError{value: pair, want: want}
	}
	from, errFrom := parseSource(left)
	to, errTo := parseTarget(right)
	return from, to, errors.Join(errFrom, errTo)
}

func parseSource(s string) (unix.Signal, error) {
	sig, err := Parse(s)
	switch {
	case err != nil:
		return 0, err
	case sig == unix.SIGKILL || sig == unix.SIGSTOP:
		return 0, &valueError{value: s, want: errUncaught}
	case sig == unix.SIGCHLD:
		return 0, &valueError{value: s, want: errChild}
	}
	return sig, nil
}

func parseTarget(s string) (rewritten, error) {
	if s == "0" {
		return dropped, nil
	}
	sig, err := Parse(s)
	return rewritten(sig), err
}
