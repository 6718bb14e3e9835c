package config

import (
	"errors"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// none is how an empty list and no signal are written, since an empty variable
// counts as one that is not set.
const none = "none"

// codec reads and writes the string form of one setting.
type codec struct {
	values string // what may be written, in Markdown
	set    func(*Config, string) error
	get    func(*Config) string
}

// choice is one of some names, in any case. Where `on` and `off` are among them,
// what YAML and shells write instead is taken too.
func choice[T ~uint8](field func(*Config) *T, names []string) codec {
	return codec{
		values: code(names...),
		set: func(c *Config, value string) error {
			i, ok := indexOf(value, names)
			if !ok {
				return errors.New("want " + strings.Join(names, " or ") + didYouMean(value, names))
			}
			*field(c) = T(i)
			return nil
		},
		get: func(c *Config) string { return names[*field(c)] },
	}
}

func indexOf(value string, names []string) (int, bool) {
	value = strings.ToLower(value)
	switch value {
	case "1", "true", "yes":
		value = "on"
	case "0", "false", "no":
		value = "off"
	}
	i := slices.Index(names, value)
	return i, i >= 0
}

// onOff is on or off.
func onOff(field func(*Config) *bool) codec {
	names := []string{"off", "on"}
	return codec{
		values: code("on", "off"),
		set: func(c *Config, value string) error {
			i, ok := indexOf(value, names)
			if !ok {
				return errors.New("want on or off")
			}
			*field(c) = i == 1
			return nil
		},
		get: func(c *Config) string {
			if *field(c) {
				return "on"
			}
			return "off"
		},
	}
}

func rewrites() codec {
	return codec{
		values: "list of `SIGNAL=SIGNAL`",
		set: func(c *Config, value string) error {
			rewrite, err := signals.ParseRewrite(unlessNone(value))
			if err == nil {
				c.Rewrite = rewrite
			}
			return err
		},
		get: func(c *Config) string { return orNone(c.Rewrite.String()) },
	}
}

func exitCodes() codec {
	return codec{
		values: "list of codes",
		set: func(c *Config, value string) error {
			if value == none {
				c.ExitOK = ExitCodes{}
				return nil
			}
			codes, err := parseExitCodes(value)
			if err == nil {
				c.ExitOK = codes
			}
			return err
		},
		get: func(c *Config) string { return orNone(c.ExitOK.String()) },
	}
}

func oneSignal(field func(*Config) *unix.Signal) codec {
	return codec{
		values: "signal",
		set: func(c *Config, value string) error {
			if value == none {
				*field(c) = 0
				return nil
			}
			sig, err := signals.Parse(value)
			if err == nil {
				*field(c) = sig
			}
			return err
		},
		get: func(c *Config) string {
			if *field(c) == 0 {
				return none
			}
			return signals.Name(*field(c))
		},
	}
}

// globs is a list of names; what starts with + adds to the default list.
func globs(field func(*Config) *[]string, standard string) codec {
	return codec{
		values: listOfGlobs,
		set: func(c *Config, value string) error {
			list, err := parseGlobs(value, standard)
			if err == nil {
				*field(c) = list
			}
			return err
		},
		get: func(c *Config) string { return orNone(strings.Join(*field(c), ",")) },
	}
}

const listOfGlobs = "list of globs"

// blankInName says whether blanks may be meant as commas: few programs have one in their
// name, but for such as "tmux: server".
func blankInName(list string) bool {
	words := strings.Fields(list)
	for i, word := range words[1:] {
		before := words[i]
		if strings.IndexByte(",:+", before[len(before)-1]) < 0 && word[0] != ',' {
			return true
		}
	}
	return false
}

func parseGlobs(value, standard string) ([]string, error) {
	if value == none {
		return nil, nil
	}
	if more, ok := strings.CutPrefix(value, "+"); ok && standard != none {
		value = standard
		if more != "" { // what +${EXTRA} gives if EXTRA is empty
			value += "," + more
		}
	}
	var list []string
	for glob := range strings.SplitSeq(value, ",") {
		glob = strings.TrimSpace(glob)
		if err := checkGlob(glob); err != nil {
			return nil, err
		}
		list = append(list, glob)
	}
	return list, nil
}

func checkGlob(glob string) error {
	if glob == "" {
		return errors.New("there is an empty name in the list; want names such as tmux*,screen")
	}
	if strings.Contains(glob, "/") {
		return errors.New(quote(glob) + " can match nothing: want the base name of a program, without a slash")
	}
	if _, err := path.Match(glob, ""); err != nil {
		return errors.New(quote(glob) + " is a malformed glob: want names with *, ? and closed [...], such as tmux*")
	}
	return nil
}

func unlessNone(value string) string {
	if value == none {
		return ""
	}
	return value
}

func orNone(value string) string {
	if value == "" {
		return none
	}
	return value
}

// code writes words as Markdown code.
func code(words ...string) string {
	return "`" + strings.Join(words, "`, `") + "`"
}
