package main

import "time"

// idle are inits with a main program that does nothing.
type idle struct {
	bench *bench
	begun time.Time
	runs  map[string]*run
}

func (b *bench) startIdle() (*idle, error) {
	i := &idle{b, time.Now(), map[string]*run{}}
	for _, c := range b.inits {
		r, err := startRun(c.before(b.load, "quiet"))
		if err != nil {
			i.kill()
			return nil, err
		}
		i.runs[c.name] = r
	}
	return i, nil
}

func (i *idle) kill() {
	for _, r := range i.runs {
		r.Kill()
	}
}

// measure counts over six spans, a minute: that is how often the Go runtime's monitor looks
// about, however idle it all is (sysmon in runtime/proc.go).
func (i *idle) measure() error {
	b := i.bench
	wakes := b.figure(figure{name: "wake-ups when idle", unit: "1/s", aim: aim{limit: 0.25}})
	memory := b.figure(figure{name: "resident memory, idle", unit: "MB", aim: aim{limit: 4}})
	time.Sleep(b.quiet - time.Since(i.begun))
	before, err := i.each(wakeUps)
	if err != nil {
		return err
	}
	span := 6 * b.span
	time.Sleep(span)
	after, err := i.each(wakeUps)
	if err != nil {
		return err
	}
	mb, err := i.each(resident)
	if err != nil {
		return err
	}
	for _, c := range b.inits {
		wakes.add(c.name, (after[c.name]-before[c.name])/span.Seconds())
		memory.add(c.name, mb[c.name])
	}
	return nil
}

func (i *idle) each(read func(pid int) (float64, error)) (map[string]float64, error) {
	values := map[string]float64{}
	for name, r := range i.runs {
		value, err := read(r.PID)
		if err != nil {
			return nil, err
		}
		values[name] = value
	}
	return values, nil
}
