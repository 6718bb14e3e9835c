package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// The roles that this program plays, each under its name.
const (
	roleLauncher = "demo-launcher"
	roleRunner   = "runner"
	roleDaemon   = "agent-daemon"
	roleChild    = "acp-child"
	roleCLI      = "agent-cli"
	roleShell    = "tool-shell"
	roleServer   = "dev-server"
)

// serverEnv asks one of the daemons for a dev server.
const serverEnv = "DEMO_DEV_SERVER"

var roles map[string]func(args []string) int

func init() {
	roles = map[string]func(args []string) int{
		roleLauncher: launcher,
		roleRunner:   runner,
		roleDaemon:   daemon,
		roleChild:    child,
		roleCLI:      cli,
		roleShell:    shell,
		roleServer:   server,
	}
}

// launcher gives the new namespaces a /proc of their own, and becomes PID 1's program.
func launcher(argv []string) int {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return failed("making mounts private", err)
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return failed("mounting /proc", err)
	}
	return failed(argv[0], syscall.Exec(argv[0], argv, os.Environ()))
}

// runner is the main program. It starts the daemons, and waits for them: it does
// everything right.
func runner([]string) int {
	for i := range daemons {
		cmd := play(roleDaemon)
		cmd.Stdin, cmd.Stdout = nil, nil
		if i == 0 {
			cmd.Env = append(os.Environ(), serverEnv+"=1")
		}
		if err := cmd.Start(); err != nil {
			return failed(roleDaemon, err)
		}
		go cmd.Wait()
	}
	return forever()
}

// daemon talks to its ACP child by pipes, as any stdio protocol does.
func daemon([]string) int {
	cmd := play(roleChild)
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if errIn != nil || errOut != nil {
		return 1
	}
	if err := cmd.Start(); err != nil {
		return failed(roleChild, err)
	}
	go io.Copy(io.Discard, out)
	defer in.Close()
	return forever()
}

// child has read all of its input when the daemon is dead, and stays: other things
// keep its event loop alive. That is the leak.
func child([]string) int {
	cmd := play(roleCLI)
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if errIn != nil || errOut != nil {
		return 1
	}
	if err := cmd.Start(); err != nil {
		return failed(roleCLI, err)
	}
	go io.Copy(io.Discard, out)
	go io.Copy(in, os.Stdin)
	return forever()
}

// cli is the agent. One of them runs `dev-server </dev/null >log 2>&1 &` in a shell.
func cli([]string) int {
	if os.Getenv(serverEnv) != "" {
		cmd := play(roleShell)
		cmd.Stdin, cmd.Stdout = nil, nil
		if err := cmd.Run(); err != nil {
			return failed(roleShell, err)
		}
	}
	io.Copy(io.Discard, os.Stdin)
	return forever()
}

// shell starts the server in a session of its own, and exits: the server belongs to
// PID 1 from now on, while the agent is in good health.
func shell([]string) int {
	log, err := os.Create("dev-server.log")
	if err != nil {
		return failed(roleServer, err)
	}
	cmd := play(roleServer)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return failed(roleServer, err)
	}
	return 0
}

func server([]string) int {
	fmt.Println("dev server: ready")
	return forever()
}

// play is this program in another role. Its stderr is the container's own.
func play(role string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(filepath.Dir(os.Args[0]), role))
	cmd.Stderr = os.Stderr
	return cmd
}

func forever() int {
	for {
		syscall.Pause()
	}
}

func failed(what string, err error) int {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	return 1
}
