// Bench measures what sbinit costs, beside tini, dumb-init and catatonit, a bare
// pseudo-terminal and script(1), which take turns in one run:
//
//	bench [-quick] [-only TEXT | -doc FILE] [-floor PATH] PATH-OF-SBINIT
//
// It prints one table, and writes it into FILE between the lines `<!-- bench -->` and
// `<!-- /bench -->`. It needs gcc and script, and root or user namespaces; an init that
// is not installed has no figures. -quick is for a try of seconds, whose figures mean
// nothing and are not written. -only is for those parts whose name has a text; every part
// and its time are named on stderr. -floor is the built program of that folder.
//
// Exit status: 0 if it could be measured, whether the aims are met or missed, 1 if not,
// 2 if it was called wrongly.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/sbinit/sbinit/deploy/box"
)

func main() {
	box.Enter()
	quick := flag.Bool("quick", false, "a try of seconds, whose figures mean nothing")
	doc := flag.String("doc", "", "file to write the table into")
	only := flag.String("only", "", "measure the parts whose name has this")
	least := flag.String("floor", "", "path of the least that a Go program does as an init, to measure it too")
	flag.Parse()
	if flag.NArg() != 1 || *doc != "" && (*quick || *only != "") {
		fmt.Fprintln(os.Stderr, "usage: bench [-quick] [-only TEXT | -doc FILE] [-floor PATH] PATH-OF-SBINIT")
		os.Exit(2)
	}
	size := full
	if *quick {
		size = try
	}
	if err := report(os.Stdout, flag.Arg(0), *least, size, *only, *doc); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// report holds its thread, since the kernel kills the boxes when the thread that made them
// ends.
func report(out io.Writer, sbinit, least string, size scale, only, doc string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b, err := newBench(sbinit, least, size)
	if err != nil {
		return err
	}
	defer b.close()
	head, err := b.heading(time.Now())
	if err != nil {
		return err
	}
	if err := b.measure(only); err != nil {
		return err
	}
	text := head + "\n" + table(b.figures)
	if _, err := io.WriteString(out, text); err != nil || doc == "" {
		return err
	}
	return writeBetween(doc, text)
}
