#!/usr/bin/env node
// Run a command in a terminal session of sbinit, as a harness does.
//
//   terminal.mjs COMMAND [ARG...]                in a session of `sbinit terminal`
//   SOCKET=/run/sbinit.sock terminal.mjs ...     in one that PID 1 of the container hosts
//
// It prints what the terminal prints, and the report of the end to standard error. It exits with the command's status,
// with 1 if there was none, and with 125 if something may be left of the session: then throw the whole sandbox away.
import { spawn as start } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";

// A session at the socket. There is no exit status: `end`, or that it is missing, has to do. The socket's folder must
// be this container's alone, for Node cannot ask who listens (SO_PEERCRED).
function dial(path) {
  const connection = connect(path);
  return { lines: connection, requests: connection, ended: Promise.resolve([null]) };
}

// A session of a process of its own. Standard error stays a log for people.
function spawn() {
  const worker = start("sbinit", ["terminal"], { stdio: ["pipe", "pipe", "inherit"] });
  return { lines: worker.stdout, requests: worker.stdin, ended: once(worker, "close") };
}

// Messages end with a newline, and with nothing else that is one in Unicode.
async function* messages(stream) {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    yield* lines.map((line) => JSON.parse(line));
  }
}

async function main(argv) {
  const { lines, requests, ended } = process.env.SOCKET ? dial(process.env.SOCKET) : spawn();
  requests.on("error", () => {}); // refused before `open` was read: the lines say why
  requests.write(JSON.stringify({ type: "open", cols: 80, rows: 24, argv }) + "\n");

  let code = 1;
  let contained = false;
  try {
    // All the time: who does not read for 5 seconds loses the session.
    for await (const message of messages(lines)) {
      switch (message.type) {
        case "data":
          process.stdout.write(Buffer.from(message.data, "base64"));
          break;
        case "exited":
          code = message.exit_code ?? 1;
          break;
        case "error":
          console.error("error:", message.code, message.message);
          break;
        case "end":
          contained = message.contained;
          console.error("end:", JSON.stringify(message));
      }
    }
  } catch (error) {
    console.error("error:", error.message); // the connection broke
  }

  const [status, signal] = await ended;
  if (!contained || signal || ![null, 0, 1].includes(status)) {
    console.error("not contained: throw the sandbox away; status", signal ?? status);
    return 125;
  }
  return code;
}

process.exitCode = await main(process.argv.slice(2));
