package pid1

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("listen", listenOnce) }

// listenOnce PATH waits for a line on stdin, tries to listen, says how that went, and
// stays until stdin ends.
func listenOnce(args []string) int {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	_, _ = in.ReadString('\n')
	_, err := listen(args[0])
	fmt.Println(err)
	_, _ = in.ReadString('\n')
	return 0
}

// TestListenTogether: several processes find a dead one's socket at the same moment. One
// gets it, and none that listens loses it to another.
func TestListenTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what starts processes")
	}
	path := filepath.Join(t.TempDir(), "socket")
	const rounds, rivals = 30, 6
	for round := range rounds {
		leaveStale(t, path)
		var ins []io.WriteCloser
		var outs []*bufio.Reader
		for range rivals {
			argv := testns.Self("listen", path)
			cmd := exec.Command(argv[0], argv[1:]...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer in.Close()
			ins, outs = append(ins, in), append(outs, bufio.NewReader(out))
		}
		for _, out := range outs {
			readLine(t, out)
		}
		for _, in := range ins {
			if _, err := in.Write([]byte("\n")); err != nil {
				t.Fatal(err)
			}
		}
		with := 0
		for _, out := range outs {
			if readLine(t, out) == "<nil>\n" {
				with++
			}
		}
		if with != 1 {
			t.Fatalf("round %d: %d of them listen", round, with)
		}
		for _, in := range ins {
			in.Close()
		}
	}
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	text, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// leaveStale puts a socket there that nobody listens at.
func leaveStale(t *testing.T, path string) {
	t.Helper()
	_ = os.Remove(path)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
}
