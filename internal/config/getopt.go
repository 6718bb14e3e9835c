package config

import (
	"cmp"
	"errors"
	"strings"
)

// givenOption is an option as it stood on the command line.
type givenOption struct {
	option *option
	name   string // -e, --rewrite
	arg    string
}

// scan reads options as getopt_long(3) does with a leading `+`: letters together
// (-gv), an argument attached or apart (-pTERM, -p TERM, --rewrite=A:B), a long
// name cut short where it stays unique, and an end at `--` or at the first
// argument that is no option. It returns the options in order and the rest. An
// option that is a command ends it, as what follows does not matter then.
func (p *parser) scan(args []string, takes func(*option) bool) (given []givenOption, rest []string) {
	s := scanner{parser: p, takes: takes, args: args}
	for len(s.args) > 0 && !s.command {
		arg := s.args[0]
		if arg == "--" {
			return s.given, s.args[1:]
		}
		if len(arg) < 2 || arg[0] != '-' {
			break
		}
		s.args = s.args[1:]
		if long, ok := strings.CutPrefix(arg, "--"); ok {
			s.long(long)
			continue
		}
		s.letters(arg[1:])
	}
	return s.given, s.args
}

type scanner struct {
	*parser
	takes   func(*option) bool
	args    []string // what is not read yet
	given   []givenOption
	command bool // an option that is a command was read
}

func (s *scanner) long(text string) {
	name, value, hasValue := strings.Cut(text, "=")
	o, err := s.findLong(name)
	switch {
	case err != nil:
		s.faults.add("--"+name, "", err)
	case o.arg == "" && hasValue:
		s.faults.add("--"+o.long, value, errors.New("takes no argument"))
	case o.arg != "" && !hasValue:
		s.withNext(o, "--"+o.long)
	default:
		s.take(o, "--"+o.long, value)
	}
}

func (s *scanner) letters(letters string) {
	if o := s.exactLong(letters); o != nil && o.command != CommandHelp { // -help is -h, well enough
		s.faults.add("-"+letters, "", s.unknown("; did you mean --"+letters+"?"))
		return
	}
	for i := 0; i < len(letters) && !s.command; i++ {
		name := "-" + letters[i:i+1]
		o := s.findShort(letters[i])
		switch {
		case o == nil:
			s.faults.add(name, "", s.unknown(s.otherCase(letters[i])))
		case o.arg == "":
			s.take(o, name, "")
		case i+1 < len(letters):
			s.take(o, name, letters[i+1:])
			return
		default:
			s.withNext(o, name)
		}
	}
}

// withNext takes the argument of o from the next word, whatever it looks like.
func (s *scanner) withNext(o *option, name string) {
	if len(s.args) == 0 {
		s.faults.add(name, "", errors.New("wants "+o.arg+" after it"))
		return
	}
	value := s.args[0]
	s.args = s.args[1:]
	s.take(o, name, value)
}

func (s *scanner) take(o *option, name, value string) {
	s.given = append(s.given, givenOption{option: o, name: name, arg: value})
	s.command = o.command != CommandRun
}

func (s *scanner) findShort(letter byte) *option {
	if letter == 0 { // stands for no letter in the table
		return nil
	}
	for i := range options {
		if o := &options[i]; o.short == letter && s.takes(o) {
			return o
		}
	}
	return nil
}

func (s *scanner) exactLong(name string) *option {
	for i := range options {
		if o := &options[i]; o.long == name && s.takes(o) {
			return o
		}
	}
	return nil
}

func (s *scanner) findLong(name string) (*option, error) {
	if name == "" { // --=x; no name stands for no long option in the table
		return nil, s.unknown("")
	}
	if o := s.exactLong(name); o != nil {
		return o, nil
	}
	var all, begin []string
	for i := range options {
		o := &options[i]
		if o.long == "" || !s.takes(o) {
			continue
		}
		all = append(all, "--"+o.long)
		if strings.HasPrefix(o.long, name) {
			begin = append(begin, o.long)
		}
	}
	switch len(begin) {
	case 0:
		return nil, s.unknown(cmp.Or(variableFor(name), didYouMean("--"+name, all)))
	case 1:
		return s.exactLong(begin[0]), nil
	}
	return nil, errors.New("may be --" + strings.Join(begin, " or --"))
}

// otherCase is the hint for a letter that is known as a capital, or the reverse.
func (s *scanner) otherCase(letter byte) string {
	const caseBit = 'a' - 'A'
	if o := s.findShort(letter ^ caseBit); o != nil {
		return "; did you mean -" + string(o.short) + "?"
	}
	return ""
}

// variableFor is the hint for a setting written as if it were a long option.
func variableFor(name string) string {
	variable := prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if named(variable) == nil {
		return ""
	}
	return "; set the variable " + variable
}

// unknown says which options there are, unless a hint says something better.
func (s *scanner) unknown(hint string) error {
	if hint == "" && s.personality == Native {
		hint = "; want one of"
		for i := range options {
			if o := &options[i]; s.takes(o) {
				hint += " " + o.name()
			}
		}
	}
	return errors.New("unknown option" + hint)
}

// name is the shorter one.
func (o *option) name() string {
	if o.short == 0 {
		return "--" + o.long
	}
	return "-" + string(o.short)
}
