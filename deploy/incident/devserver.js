// The dev server that the agent puts in the background on purpose, as the runner
// sees it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { snapshot } from './proc.js';
import { until, within } from './wait.js';

const startLimit = 60_000; // milliseconds
const answerLimit = 5_000;

/** Waits for the dev server of the project in folder cwd to answer, and to be on its own. */
export async function findDevServer(cwd) {
  const file = join(cwd, 'address.json');
  const listens = await within(startLimit, () => existsSync(file));
  if (!listens) throw new Error(`the dev server does not listen: ${said(cwd)}`);
  const { pid, port } = JSON.parse(readFileSync(file, 'utf8'));
  const server = { pid, port, sid: ownSession(pid) };
  await until(startLimit, 'the shell that started the dev server ends', () => !exists(server.sid));
  if (!(await answers(server))) throw new Error('the dev server does not answer');
  return server;
}

// Where the agent's command puts the dev server's output (variants.js).
function said(cwd) {
  const file = join(cwd, 'dev.log');
  return existsSync(file) ? `it says "${readFileSync(file, 'utf8').trim()}"` : 'it was not started';
}

// Its session tells the dev server from the leak, so it must be one of its own.
function ownSession(pid) {
  const processes = snapshot();
  const session = (of) => processes.find((p) => p.pid === of)?.sid;
  if (session(pid) === session(process.pid)) throw new Error("the dev server is in the runner's session");
  return session(pid);
}

function exists(pid) {
  return snapshot().some((p) => p.pid === pid);
}

/** Whether the dev server has gone, with its npm and its shell. */
export function gone({ sid }) {
  return !snapshot().some((p) => p.sid === sid);
}

/** Whether the same process still answers. */
export async function answers({ pid, port }) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(answerLimit) });
    return (await response.text()) === String(pid);
  } catch {
    return false;
  }
}
