package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// A contender is an init that is measured.
type contender struct{ name, path string }

// before is the command line that runs argv below the init.
func (c contender) before(argv ...string) []string {
	return append([]string{c.path, "--"}, argv...)
}

// A bench has what all measurements need, and what came out.
type bench struct {
	scale
	inits   []contender // sbinit first
	load    string      // path of what load.c was built to
	dir     string      // for files, removed by close
	figures []*figure
}

// newBench has sbinit's path, and the floor's, which may be empty.
func newBench(path, least string, size scale) (*bench, error) {
	inits := []contender{{sbinit, path}}
	inits = append(inits, peers()...)
	if least != "" {
		inits = append(inits, contender{floor, least})
	}
	for i := range inits {
		var err error
		if inits[i].path, err = filepath.Abs(inits[i].path); err != nil {
			return nil, err
		}
		if _, err := os.Stat(inits[i].path); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "sbinit-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{scale: size, inits: inits, dir: dir}
	if b.load, err = buildLoad(dir); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// sbinit is the path of the binary.
func (b *bench) sbinit() string { return b.inits[0].path }

// peers are those that are installed.
func peers() (list []contender) {
	for _, name := range []string{"tini", "dumb-init", "catatonit"} {
		if path, err := exec.LookPath(name); err == nil {
			list = append(list, contender{name, path})
		}
	}
	return list
}

//go:embed load/load.c
var loadSource []byte

// buildLoad builds without shared libraries, so that the loader's time does not count.
func buildLoad(dir string) (string, error) {
	source, program := filepath.Join(dir, "load.c"), filepath.Join(dir, "load")
	if err := os.WriteFile(source, loadSource, 0o644); err != nil {
		return "", err
	}
	if out, err := exec.Command("gcc", "-O2", "-Wall", "-static", "-o", program, source).CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return program, nil
}

// figure adds a row to the table.
func (b *bench) figure(f figure) *figure {
	b.figures = append(b.figures, &f)
	return &f
}

// inTurns calls measure with each init in each round. The order changes from round to
// round, so that nobody always comes after the same one.
func (b *bench) inTurns(rounds int, measure func(contender) error) error {
	for round := range rounds {
		first := round % len(b.inits)
		for _, c := range slices.Concat(b.inits[first:], b.inits[:first]) {
			if err := measure(c); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	return nil
}

// sizes are those of the program files: the peers' have the C library beside them.
func (b *bench) sizes() error {
	size := b.figure(figure{name: "size of the binary", unit: "MB", aim: aim{limit: 3.5}})
	for _, c := range b.inits {
		file, err := os.Stat(c.path)
		if err != nil {
			return err
		}
		size.add(c.name, float64(file.Size())/1e6)
	}
	return nil
}
