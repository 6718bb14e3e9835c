package main

import (
	"bufio"
	"fmt"
	"net"
)

// runSession holds a terminal session open at a control socket.
func runSession(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want a socket's path")
	}
	connection, err := net.Dial("unix", args[0])
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(connection, `{"type":"open","cols":80,"rows":24,"argv":["sleep","1002"]}`); err != nil {
		return err
	}
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		fmt.Println(lines.Text())
	}
	return lines.Err()
}
