// One sandbox-agent daemon with one agent session, driven as a runner does it:
// start the server, speak ACP (JSON-RPC) over its HTTP interface, kill it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

import { args, descendants, snapshot } from './proc.js';
import { until } from './wait.js';

const startLimit = 30_000; // milliseconds, this and the next two
const callLimit = 60_000;
const exitLimit = 10_000;

export class Daemon {
  #child;
  #base;
  #calls = 0;

  /** command is the program with whatever wraps it. */
  static async start(command) {
    const daemon = new Daemon();
    const port = await freePort();
    const [program, ...options] = [
      ...command, 'server', '--no-token', '--no-telemetry', '--host', '127.0.0.1', '--port', String(port),
    ];
    daemon.#child = spawn(program, options, { stdio: ['ignore', 'inherit', 'inherit'] });
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
    if (!this.#agentRuns()) throw new Error('the session is open, but the ACP child and its agent do not run');
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

  // Without both of them there would be nothing to leak, and a clean end no proof.
  #agentRuns() {
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

  /** Signals the daemon, nothing else, and returns what ended it. */
  async kill(signal) {
    this.#child.kill(`SIG${signal}`);
    return until(exitLimit, `the end of sandbox-agent by SIG${signal}`, () => this.#ended());
  }

  #ended() {
    return this.#child.signalCode ?? (this.#child.exitCode !== null && `status ${this.#child.exitCode}`);
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
