// Runs one case: the init under test as PID 1 of a new PID namespace with its own
// /proc, the runner as its child. The namespace ends with the call, whatever happens.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (file) => fileURLToPath(new URL(file, import.meta.url));
const modules = path('node_modules');
const outputKept = 8192; // characters, shown when a case fails

/**
 * Runs the case and returns what the runner measured. limit is how long the
 * leftovers may take to go, deadline how long all may take, both in milliseconds;
 * cancelled is an AbortSignal. onOutput gets what init and runner print.
 */
export async function measure(test, { runs, limit, deadline, cancelled, onOutput }) {
  const work = mkdtempSync(join(tmpdir(), 'sbinit-incident-'));
  try {
    const result = join(work, 'result.json');
    const plan = join(work, 'plan.json');
    const { agents, command, hold, variable, kill, devServers } = test;
    const daemon = [...test.prefix, prepareDaemon(work)];
    writeFileSync(plan, JSON.stringify({ agents, command, hold, variable, kill, devServers, runs, limit, daemon, work, result }));
    const stop = AbortSignal.any([cancelled, AbortSignal.timeout(deadline)]);
    await runNamespace([...test.init, process.execPath, path('runner.js'), plan], environment(work), stop, onOutput);
    return JSON.parse(readFileSync(result, 'utf8'));
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

// The daemon takes its agent from PATH, and looks for a "claude" beside it only to
// see that it exists: the ACP child brings its own.
function prepareDaemon(work) {
  const bin = join(work, 'bin');
  mkdirSync(bin);
  mkdirSync(join(work, 'home'));
  symlinkSync(join(modules, '.bin/claude-agent-acp'), join(bin, 'claude-agent-acp'));
  symlinkSync(join(modules, '@anthropic-ai/claude-agent-sdk/cli.js'), join(bin, 'claude'));
  return join(modules, `@sandbox-agent/cli-linux-${process.arch}/bin/sandbox-agent`);
}

// A list of its own, so that no setting of the caller's reaches the init.
function environment(work) {
  return {
    PATH: join(work, 'bin') + delimiter + process.env.PATH,
    HOME: join(work, 'home'),
    LANG: 'C.UTF-8',
    TMPDIR: work,
    CLAUDE_CODE_TMPDIR: work,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    SANDBOX_AGENT_REQUIRE_PREINSTALL: '1',
    npm_config_update_notifier: 'false',
    SBINIT_SOCKET: 'off', // /run is the machine's
  };
}

async function runNamespace(words, env, stop, onOutput) {
  const unprivileged = process.getuid() === 0 ? [] : ['--user', '--map-root-user'];
  const child = spawn(
    'unshare',
    [...unprivileged, '--pid', '--fork', '--mount-proc', '--kill-child', '--', 'setsid', ...words],
    { env, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let output = '';
  const collect = (part) => {
    output = (output + part).slice(-outputKept);
    onOutput(part);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', collect);
  const kill = () => killNamespace(child);
  stop.addEventListener('abort', kill, { once: true });
  const status = await ended(child).finally(() => stop.removeEventListener('abort', kill));
  if (stop.aborted) throw new Error(`${stop.reason.message}\n${output}`);
  if (status !== 0) throw new Error(`the init ended with ${status}\n${output}`);
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve(signal ?? status));
  });
}

// With its PID 1 the namespace goes, and unshare returns by itself.
function killNamespace(unshare) {
  const children = readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8').trim();
  if (children === '') return unshare.kill('SIGKILL');
  for (const pid of children.split(' ')) process.kill(Number(pid), 'SIGKILL');
}
