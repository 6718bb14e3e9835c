#!/usr/bin/env python3
"""Run a command in a terminal session of sbinit, as a harness does.

    terminal.py COMMAND [ARG...]                 in a session of `sbinit terminal`
    SOCKET=/run/sbinit.sock terminal.py ...      in one that PID 1 of the container hosts

It prints what the terminal prints, and the report of the end to standard error. It exits with the command's status, with
1 if there was none, and with 125 if something may be left of the session: then throw the whole sandbox away.
"""
import base64
import json
import os
import socket
import struct
import subprocess
import sys


def dial(path):
    """A session at the socket. There is no exit status: `end`, or that it is missing, has to do."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    if struct.unpack("3i", peer)[0] != 1:
        sys.exit(path + " is not this container's init's: /run is shared with another one")
    stream = connection.makefile("rwb")
    return stream, stream, lambda: None


def spawn():
    """A session of a process of its own. Standard error stays a log for people."""
    worker = subprocess.Popen(["sbinit", "terminal"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return worker.stdout, worker.stdin, worker.wait


def log(*words):
    print(*words, file=sys.stderr)


def main(argv):
    path = os.environ.get("SOCKET")
    lines, requests, wait = dial(path) if path else spawn()
    try:
        requests.write(json.dumps({"type": "open", "cols": 80, "rows": 24, "argv": argv}).encode() + b"\n")
        requests.flush()
    except BrokenPipeError:
        pass  # refused before it was read: the lines say why

    code, contained = 1, False
    try:
        for line in lines:  # all the time: who does not read for 5 seconds loses the session
            message = json.loads(line)
            kind = message["type"]
            if kind == "data":
                sys.stdout.buffer.write(base64.b64decode(message["data"]))
                sys.stdout.buffer.flush()
            elif kind == "exited":
                code = message.get("exit_code", 1)
            elif kind == "error":
                log("error:", message["code"], message["message"])
            elif kind == "end":
                contained = message["contained"]
                log("end:", json.dumps(message))
    except (ConnectionResetError, json.JSONDecodeError) as error:  # the worker was killed, maybe within a line
        log("error:", error)

    status = wait()
    if not contained or status not in (None, 0, 1):
        log("not contained: throw the sandbox away; status", status)
        return 125
    return code


sys.exit(main(sys.argv[1:]))
