package proc

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("forget-file", forgetFile) }

// residentFile is RssFile of proc_pid_status(5), in kilobytes.
func residentFile() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	n, _ := strconv.Atoi(string(regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)[1]))
	return n
}

// forgetFile says how much of the file is resident before and after, and goes on
// working: its data are as they were.
func forgetFile([]string) int {
	data := []string{"written", "since"}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	before := residentFile()
	if err := fs.ForgetFile(); err != nil {
		return complain(err)
	}
	after := residentFile()
	if data[0]+data[1] != "writtensince" || after <= 0 || after > before*3/4 {
		os.Stderr.WriteString(strconv.Itoa(before) + " kB before, " + strconv.Itoa(after) + " kB after\n")
		return 1
	}
	return 0
}

func TestForgetFile(t *testing.T) {
	c := testns.Start(t, testns.Options{}, testns.Self("forget-file")...)
	if s := c.Wait(t); s.Code != 0 {
		t.Errorf("%v: %s", s, c.Stderr())
	}
}

func TestFileMapping(t *testing.T) {
	for line, want := range map[string][2]uintptr{
		"00400000-00625000 r-xp 00000000 fe:00 123                          /sbinit\n":        {0x400000, 0x625000},
		"00625000-00700000 r--p 00225000 fe:00 123                          /a b (deleted)\n": {0x625000, 0x700000},
		"00700000-00710000 rw-p 00300000 fe:00 123                          /sbinit\n":        {},
		"7ffd1000-7ffd3000 r-xp 00000000 00:00 0                            [vdso]\n":         {},
		"00710000-00720000 rw-p 00000000 00:00 0 \n":                                          {},
		"x-y r-xp 00000000 fe:00 123 /sbinit\n":                                               {},
		"\n":                                                                                  {},
	} {
		start, end, ok := fileMapping([]byte(line))
		if ok != (want != [2]uintptr{}) || ok && [2]uintptr{start, end} != want {
			t.Errorf("%q: %x-%x, %v", line, start, end, ok)
		}
	}
}
