package doctor

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// This file has what only is said: nothing is lacking, whatever it is.

const untold = "cannot be told without /proc"

func sayPID1(p *patient) (string, error) {
	if os.Getpid() == 1 {
		return "this very command", nil
	}
	if p.fs == nil {
		return untold, nil
	}
	if same, err := p.fs.RunsThis(1); err == nil && same {
		return "this sbinit", nil
	}
	names, err := p.fs.Names(1)
	if err != nil {
		return "hidden from us", nil
	}
	return names.String() + ", not this program: guard and terminal work here all the same", nil
}

func sayKernel(*patient) (string, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "", os.NewSyscallError("uname", err)
	}
	return unix.ByteSliceToString(name.Release[:]) + " " + unix.ByteSliceToString(name.Machine[:]), nil
}

// The inode numbers of the first namespaces (include/linux/proc_ns.h).
const (
	firstUser = 0xeffffffd
	firstPID  = 0xeffffffc
)

func sayNamespaces(*patient) (string, error) {
	var parts []string
	for _, ns := range []struct {
		kind  string
		first uint64
	}{{"user", firstUser}, {"pid", firstPID}} {
		var st unix.Stat_t
		whose := "a container's"
		switch err := unix.Stat("/proc/self/ns/"+ns.kind, &st); {
		case err != nil:
			whose = "unknown"
		case st.Ino == ns.first:
			whose = "the machine's"
		}
		parts = append(parts, ns.kind+": "+whose)
	}
	return strings.Join(parts, ", ") + ", uid " + strconv.Itoa(os.Geteuid()), nil
}

// sayConfinement reads /proc/self/status (proc_pid_status(5)).
func sayConfinement(*patient) (string, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return untold, nil
	}
	value := func(key string) string {
		_, rest, _ := strings.Cut(string(status), "\n"+key+":\t")
		word, _, _ := strings.Cut(rest, "\n")
		return word
	}
	seccomp := map[string]string{"0": "no", "1": "strict", "2": "a filter"}[value("Seccomp")]
	privileges := map[string]string{"0": "may be gained", "1": "cannot be gained (no_new_privs)"}[value("NoNewPrivs")]
	return "seccomp: " + orUnknown(seccomp) + ", privileges: " + orUnknown(privileges), nil
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}
