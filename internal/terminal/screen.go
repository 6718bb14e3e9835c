package terminal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A screen is the terminal of a person, on standard input and output.
type screen struct {
	in, out *descriptor
	modes   unix.Termios // as they were found
}

// openScreen refuses what is no terminal: programs have a protocol of their own.
func openScreen() (*screen, error) {
	modes, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return nil, errors.New("standard input is no terminal; for programs there is `sbinit terminal`")
	}
	in, err := openDescriptor(0, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	out, err := openDescriptor(1, unix.O_WRONLY)
	if err != nil {
		in.close()
		return nil, errors.New("standard output is not open")
	}
	return &screen{in: in, out: out, modes: *modes}, nil
}

// raw leaves everything that is typed, control characters too, to the terminal of the
// session (cfmakeraw in termios(3)). SIGTTOU is blocked: it has effect in the background.
func (s *screen) raw() error {
	raw := s.modes
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag = raw.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	return os.NewSyscallError("ioctl", unix.IoctlSetTermios(s.in.fd, unix.TCSETS, &raw))
}

// restore undoes raw. A terminal that hung up needs nothing.
func (s *screen) restore() { _ = unix.IoctlSetTermios(s.in.fd, unix.TCSETS, &s.modes) }

// size is the terminal's, within what the protocol knows. Serial lines say 0 by 0.
func (s *screen) size() wire.Resize {
	w, err := unix.IoctlGetWinsize(s.in.fd, unix.TIOCGWINSZ)
	if err != nil || w.Col == 0 || w.Row == 0 {
		return wire.Resize{Cols: 80, Rows: 24}
	}
	return wire.Resize{Cols: min(int(w.Col), wire.MaxSide), Rows: min(int(w.Row), wire.MaxSide)}
}
