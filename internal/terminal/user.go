package terminal

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
)

// passwd is the user database (passwd(5)). A container may have none.
const passwd = "/etc/passwd"

// A user is another one than the worker's, whom the program runs as.
type user struct{ uid, gid uint32 }

// otherUser is nil if the program runs as the worker does. It is refused without the
// capabilities to become that user, and to end what that user runs.
func otherUser(u config.User) (*user, error) {
	if !u.Set || int(u.UID) == os.Geteuid() && int(u.GID) == os.Getegid() {
		return nil, nil
	}
	for _, c := range []struct {
		bit  uint
		name string
	}{{unix.CAP_SETUID, "CAP_SETUID"}, {unix.CAP_SETGID, "CAP_SETGID"}, {unix.CAP_CHOWN, "CAP_CHOWN"}, {unix.CAP_KILL, "CAP_KILL"}} {
		if !capable(c.bit) {
			return nil, errors.New("SBINIT_TERMINAL_USER=" + u.String() + " needs " + c.name + ", which user " + strconv.Itoa(os.Geteuid()) + " has not here")
		}
	}
	return &user{uid: u.UID, gid: u.GID}, nil
}

// capable says whether this process has an effective capability (capget(2)).
func capable(bit uint) bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&head, &data[0]) == nil && data[bit/32].Effective&(1<<(bit%32)) != 0
}

// An account is an entry of the user database.
type account struct{ name, home, shell string }

// accountOf looks a user up; false if there is no entry, or no database.
func accountOf(uid uint32) (a account, ok bool) {
	content, err := os.ReadFile(passwd)
	if err != nil {
		return account{}, false
	}
	want := strconv.FormatUint(uint64(uid), 10)
	for line := range bytes.Lines(content) {
		f := bytes.Split(bytes.TrimRight(line, "\n"), []byte{':'}) // name:password:uid:gid:gecos:home:shell
		if len(f) == 7 && string(f[2]) == want {
			return account{name: string(f[0]), home: string(f[5]), shell: string(f[6])}, true
		}
	}
	return account{}, false
}

// personal replaces what the worker's environment says of its own user.
func (u *user) personal(env *environ) {
	env.unset("HOME", "USER", "LOGNAME", "SHELL")
	a, ok := accountOf(u.uid)
	if !ok {
		env.set("HOME=/")
		return
	}
	env.set("HOME=" + a.home)
	env.set("USER=" + a.name)
	env.set("LOGNAME=" + a.name)
	if a.shell != "" {
		env.set("SHELL=" + a.shell)
	}
}
