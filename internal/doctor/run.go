package doctor

import (
	"strings"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/jsonline"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/view"
)

// Run tries everything. It returns what to print, and whether init, guard and terminal
// have what they need, with the settings that the invocation has.
func Run(in config.Invocation) (out string, good bool) {
	p := &patient{socket: in.Config.Socket}
	if p.fs, p.noProc = proc.Open(); p.fs != nil {
		defer p.fs.Close()
	}
	findings := append(read(in.View), p.examine()...)
	if in.View.JSON {
		return findings.json(), findings.good()
	}
	return findings.text(), findings.good()
}

type findings []finding

// read has what is wrong with the settings, and what of them has no effect.
func read(v config.View) (all findings) {
	if len(v.Faults) == 0 {
		all = findings{{probe: &settings, detail: "the init, guard and terminal take them"}}
	}
	for _, f := range v.Faults {
		all = append(all, finding{&settings, f.String(), true})
	}
	for _, w := range v.Warnings {
		all = append(all, finding{&idle, w.String(), true})
	}
	return all
}

func (p *patient) examine() (all findings) {
	for i := range probes {
		f := finding{probe: &probes[i]}
		detail, err := f.try(p)
		if f.detail = detail; err != nil {
			f.detail, f.lacks = err.Error(), true
		}
		all = append(all, f)
	}
	return all
}

func (all findings) good() bool {
	for i := range all {
		if all[i].fatal() {
			return false
		}
	}
	return true
}

// text is for people: what is there in a line, what lacks with all that is known of it.
func (all findings) text() string {
	var b strings.Builder
	for i := range all {
		f := &all[i]
		b.WriteString(f.state() + strings.Repeat(" ", 6-len(f.state())) + f.name + strings.Repeat(" ", 13-len(f.name)) + view.Escaped(f.detail) + "\n")
		if !f.lacks {
			continue
		}
		for _, line := range [][2]string{
			{"needed by", strings.Join(f.need, ", ")}, {"costs", f.costs},
			{"build", f.remedy.build}, {"docker", f.remedy.docker}, {"podman", f.remedy.podman}, {"kubernetes", f.remedy.kubernetes},
		} {
			if line[1] != "" {
				b.WriteString("        " + line[0] + ": " + line[1] + "\n")
			}
		}
	}
	if all.good() {
		return b.String() + "init, guard and terminal have what they need\n"
	}
	return b.String() + "not everything that init, guard and terminal need is here\n"
}

// state is ok, lack for what makes something impossible, less for what makes it worse.
func (f *finding) state() string {
	switch {
	case f.fatal():
		return "lack"
	case f.lacks:
		return "less"
	}
	return "ok"
}

func (all findings) json() string {
	b := append(jsonline.AppendBool([]byte("{"), "ok", all.good()), `,"probes":[`...)
	for i := range all {
		f := &all[i]
		b = append(jsonline.AppendComma(b), '{')
		b = jsonline.AppendText(b, "name", f.name)
		b = jsonline.AppendText(b, "state", f.state())
		b = jsonline.AppendText(b, "detail", f.detail)
		b = append(jsonline.AppendKey(b, "needed_by"), '[')
		for _, need := range f.need {
			b = jsonline.AppendQuoted(jsonline.AppendComma(b), need)
		}
		b = append(b, ']')
		if f.lacks {
			b = jsonline.AppendText(b, "costs", f.costs)
			b = jsonline.AppendText(b, "build", f.remedy.build)
			b = jsonline.AppendText(b, "docker", f.remedy.docker)
			b = jsonline.AppendText(b, "podman", f.remedy.podman)
			b = jsonline.AppendText(b, "kubernetes", f.remedy.kubernetes)
		}
		b = append(b, '}')
	}
	return string(append(b, "]}\n"...))
}
