package pid1_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestEndInStorm: the main program's end is noticed at once among the ends of many
// others. Which of sbinit's threads is asked first varies, hence the rounds.
func TestEndInStorm(t *testing.T) {
	t.Parallel()
	tool := testns.Tool(t)
	for range 20 {
		c := sbinit(t, testns.Options{}, []string{"SBINIT_EXIT_GRACE=0"}, "sh", "-c", `"$0" comets 8 20000 & exec "$1" mute`, tool,
			testns.As(t, "main", tool))
		ready(t, c)
		main := c.One("main")
		begin := time.Now()
		c.Kill(main, unix.SIGKILL)
		ends(t, c, 137)
		if took := time.Since(begin); took > 4*time.Second {
			t.Errorf("ended after %v", took)
		}
	}
}
