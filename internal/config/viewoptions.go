package config

import (
	"errors"
	"strconv"
)

// viewOptions are the rows of the table of options that views alone take.
var viewOptions = []option{
	{
		long: "json", views: []Command{CommandPS, CommandOrphans, CommandSessions, CommandStats, CommandDoctor},
		look: func(v *View, _ string) error { v.JSON = true; return nil },
		help: "print JSON, one object on one line",
	},
	{
		long: "prometheus", views: []Command{CommandStats},
		look: func(v *View, _ string) error { v.Prometheus = true; return nil },
		help: "print Prometheus's text format",
	},
	{
		long: "pss", views: []Command{CommandPS},
		look: func(v *View, _ string) error { v.PSS = true; return nil },
		help: "show the proportional memory too, where it can be read",
	},
	{
		short: 'w', long: "wide", views: []Command{CommandPS, CommandOrphans, CommandSessions},
		look: func(v *View, _ string) error { v.Wide = true; return nil },
		help: "do not cut lines at a terminal's width, or 240 columns",
	},
	{
		long: "count", views: []Command{CommandOrphans},
		look: func(v *View, _ string) error { v.Count = true; return nil },
		help: "print their number alone",
	},
	{
		long: "match", arg: "NAME", views: []Command{CommandOrphans}, look: addMatch,
		help: "those of that name, a glob as in SBINIT_GUARD; repeatable",
	},
	{
		long: "max", arg: "N", views: []Command{CommandOrphans},
		look: bound(func(v *View) *int { return &v.Max }),
		help: "exit with 1 if there are more than N",
	},
	{
		long: "max-orphans", arg: "N", views: []Command{CommandCheck},
		look: bound(func(v *View) *int { return &v.Max }),
		help: "unhealthy if there are more than N orphans",
	},
	{
		long: "max-zombies", arg: "N", views: []Command{CommandCheck},
		look: bound(func(v *View) *int { return &v.MaxZombies }),
		help: "unhealthy if there are more than N zombies",
	},
}

func addMatch(v *View, glob string) error {
	if err := checkGlob(glob); err != nil {
		return err
	}
	v.Match = append(v.Match, glob)
	return nil
}

// bound is a whole number from 0.
func bound(field func(*View) *int) func(*View, string) error {
	return func(v *View, arg string) error {
		n, err := strconv.ParseUint(arg, 10, 31)
		if err != nil {
			return errors.New("want a number from 0")
		}
		*field(v) = int(n)
		return nil
	}
}
