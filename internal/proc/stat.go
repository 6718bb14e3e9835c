package proc

import (
	"bytes"
	"errors"
	"math"
)

// ID names one process for good: a number is given out again after its process
// was reaped, number and start time together are not. (They would be if the
// kernel went through all other numbers within a tick of 10 ms.)
type ID struct {
	PID   int
	Start uint64 // clock ticks after boot, field 22 of /proc/PID/stat
}

// Stat is what /proc/PID/stat says of a process (proc_pid_stat(5)).
type Stat struct {
	ID
	PPID    int // 0: the parent is outside the PID namespace
	PGID    int
	SID     int
	Threads int
	State   byte
	comm    [15]byte // TASK_COMM_LEN less its NUL
	commLen uint8
}

// Comm is the name that the process gave itself or got from exec, up to 15
// bytes of anything.
func (s *Stat) Comm() string { return string(s.comm[:s.commLen]) }

// Alive says whether the process can still do something. A zombie whose
// leading thread has exited while others go on shows state Z and is alive.
func (s *Stat) Alive() bool {
	return (s.State != 'Z' && s.State != 'X') || s.Threads > 1
}

var errStat = errors.New("malformed /proc/PID/stat")

// parseStat reads one line of /proc/PID/stat. The name in parentheses may hold
// spaces and parentheses itself, so it ends at the last ") ".
func parseStat(line []byte, s *Stat) error {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open || end+2 > len(line) {
		return errStat
	}
	pid, ok := parseUint(bytes.TrimSpace(line[:open]))
	if !ok || pid > math.MaxInt32 {
		return errStat
	}
	s.PID = int(pid)
	s.commLen = uint8(copy(s.comm[:], line[open+1:end]))
	return s.parseFields(line[end+1:])
}

// parseFields reads fields 3 (state) to 22 (start time).
func (s *Stat) parseFields(rest []byte) error {
	for field := 3; field <= 22; field++ {
		var word []byte
		word, rest, _ = bytes.Cut(bytes.TrimLeft(rest, " "), []byte{' '})
		if len(word) == 0 {
			return errStat
		}
		if field == 3 {
			s.State = word[0]
			continue
		}
		n, ok := parseUint(word)
		switch field {
		case 4:
			s.PPID = int(n)
		case 5:
			s.PGID = int(n)
		case 6:
			s.SID = int(n)
		case 20:
			s.Threads = int(n)
		case 22:
			s.Start = n
		default:
			continue
		}
		if !ok || field != 22 && n > math.MaxInt32 {
			return errStat
		}
	}
	return nil
}

// parseUint reads decimal digits only, no sign and no space.
func parseUint(b []byte) (n uint64, ok bool) {
	for _, c := range b {
		digit := uint64(c - '0')
		if digit > 9 || n > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, len(b) > 0
}

// Stat reads the process with that number now. An error of unix.ENOENT or
// unix.ESRCH says that there is none.
func (fs *FS) Stat(pid int) (Stat, error) {
	var s Stat
	line, err := fs.readOnce(fs.in(pid, "stat"))
	if err != nil {
		return s, err
	}
	return s, parseStat(line, &s)
}
