package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// runDaemon plays an agent daemon: it starts a child that speaks a protocol on stdin and stdout, with the daemon's own
// stderr, and it starts what an agent would put in the background on purpose, with /dev/null and a file. It never ends
// by itself, and it cleans nothing up.
func runDaemon(args []string) error {
	flags := flag.NewFlagSet("daemon", flag.ContinueOnError)
	uid := flags.Int("uid", os.Getuid(), "user of what the daemon starts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	child := commandAs(*uid, "protocol")
	if _, err := child.StdinPipe(); err != nil {
		return err
	}
	answers, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		return err
	}
	if _, err := fmt.Fscanln(answers, new(string)); err != nil {
		return fmt.Errorf("the child did not answer: %w", err)
	}
	if err := startDevServer(*uid); err != nil {
		return err
	}
	fmt.Println("ready")
	sleepForever()
	return nil
}

func startDevServer(uid int) error {
	log, err := os.CreateTemp("", "dev-server-*.log")
	if err != nil {
		return err
	}
	server := commandAs(uid, "dev-server")
	server.Stdout, server.Stderr = log, log
	return server.Start()
}

// commandAs is a child of that name, as another user if uid is not the daemon's own.
func commandAs(uid int, name string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", "child", name)
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	return cmd
}

// runChild greets on stdout, reads its input to the end, and stays: the leak of the incident in one function.
func runChild([]string) error {
	fmt.Println("hello")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	sleepForever()
	return nil
}

func sleepForever() {
	for {
		time.Sleep(time.Hour)
	}
}
