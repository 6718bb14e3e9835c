// One sandbox-agent daemon with one agent session, driven as a runner does it:
// start the server, speak ACP (JSON-RPC) over its HTTP interface, kill it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { basename } from 'node:path';

import { args, descendants, snapshot } from './proc.js';
import { until } from './wait.js';

const startLimit = 60_000; // milliseconds, this and the next two
const callLimit = 60_000;
const exitLimit = 10_000;

export class Daemon {
  #child;
  #base;
  #calls = 0;

  /** command is the program with whatever wraps it; variables are added to the runner's own. */
  static async start(command, variables = {}) {
    const daemon = new Daemon();
    const port = await freePort();
    const [program, ...options] = [
      ...command, 'server', '--no-token', '--no-telemetry', '--host', '127.0.0.1', '--port', String(port),
    ];
    const env = { ...process.env, ...variables };
    daemon.#child = spawn(program, options, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    await once(daemon.#child, 'spawn');
    daemon.#base = `http://127.0.0.1:${port}/v1`;
    await until(startLimit, 'sandbox-agent becomes healthy', () => daemon.#healthy());
    return daemon;
  }

  async #healthy() {
    if (this.#ended()) throw new Error(`sandbox-agent ended early: ${this.#ended()}`);
    const answer = await fetch(`${this.#base}/health`, { signal: AbortSignal.timeout(1000) }).catch(() => null);
    return answer?.ok;
  }

  /** Opens a session in folder cwd; returns its ID once the agent is idle in it. */
  async openSession(cwd) {
    await this.#call('initialize', {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: { name: 'sbinit-incident', version: '1' },
    });
    const { sessionId } = await this.#call('session/new', { cwd, mcpServers: [] });
    await this.#announcement('available_commands_update');
    if (!this.agentRuns()) throw new Error('the session is open, but the ACP child and its agent do not run');
    return sessionId;
  }

  // After session/new has been answered the ACP child still announces its commands,
  // and a write into a pipe without reader would end it: no incident.
  async #announcement(kind) {
    const signal = AbortSignal.timeout(callLimit);
    const { body } = await fetch(`${this.#base}/acp/incident`, { headers: { accept: 'text/event-stream' }, signal });
    let events = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      events += part;
      if (events.includes(`"${kind}"`)) return;
    }
    throw new Error(`the agent never announced ${kind}`);
  }

  /**
   * Whether the ACP child and its agent run. Without both of them there would be
   * nothing to leak, and a clean end no proof.
   */
  agentRuns() {
    const commands = descendants(snapshot(), this.#child.pid).map((p) => args(p.pid).join(' '));
    return commands.some((c) => c.includes('claude-agent-acp')) && commands.some((c) => /^claude( |$)/.test(c));
  }

  /** Runs one turn of the session to its end. */
  async prompt(sessionId, text) {
    const { stopReason } = await this.#call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    if (stopReason !== 'end_turn') throw new Error(`the turn stopped with ${stopReason}`);
  }

  async #call(method, params) {
    const id = ++this.#calls;
    const agent = id === 1 ? '?agent=claude' : '';
    const response = await fetch(`${this.#base}/acp/incident${agent}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      signal: AbortSignal.timeout(callLimit),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method}: HTTP ${response.status}: ${text}`);
    const { error, result } = JSON.parse(text);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Signals the victim, nobody else, and returns what ended the process that the runner started. */
  async kill({ signal, victim }) {
    process.kill(this.#pid(victim), `SIG${signal}`);
    return until(exitLimit, `the end of sandbox-agent by SIG${signal} to the ${victim}`, () => this.#ended());
  }

  // Below a guard the runner's child is the front, and the daemon's parent the keeper.
  #pid(victim) {
    const front = this.#child.pid;
    if (victim === 'front') return front;
    const processes = snapshot();
    const daemon = processes.find(({ pid }) => pid === front && isDaemon(pid))
      ?? descendants(processes, front).find(({ pid }) => isDaemon(pid));
    const pid = victim === 'daemon' ? daemon?.pid : daemon?.pid !== front && daemon?.ppid;
    if (!pid) throw new Error(`there is no ${victim} to signal`);
    return pid;
  }

  #ended() {
    return this.#child.signalCode ?? (this.#child.exitCode !== null && `status ${this.#child.exitCode}`);
  }
}

function isDaemon(pid) {
  return basename(args(pid)[0] ?? '') === 'sandbox-agent';
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
