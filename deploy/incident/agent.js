// An agent at work: a daemon with one session, and the dev server started in it.

import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { Daemon } from './daemon.js';
import { answers, findDevServer } from './devserver.js';
import { within } from './wait.js';

/** Starts the agent of that name by a plan of namespace.js, up to the end of its first turn. */
export async function startAgent({ daemon: command, work, variable, command: asked }, name) {
  const cwd = join(work, `project${name}`);
  cpSync(new URL('project', import.meta.url), cwd, { recursive: true });
  const daemon = await Daemon.start(command, variable ? { [variable]: name } : {});
  const session = await daemon.openSession(cwd);
  if (!asked) return { name, daemon };
  await daemon.prompt(session, 'Start the dev server in the background.');
  return { name, daemon, server: await findDevServer(cwd) };
}

/** Watches agents for that many milliseconds; returns what was lost meanwhile, as sentences. */
export async function lossesWithin(time, agents) {
  const lost = await within(time, async () => {
    const found = await Promise.all(agents.map(losses));
    return found.flat().length > 0 && found.flat();
  });
  return lost || [];
}

async function losses({ name, daemon, server }) {
  const lost = [];
  if (!daemon.agentRuns()) lost.push(`agent ${name} ended`);
  if (server && !(await answers(server))) lost.push(`the dev server of agent ${name} ended`);
  return lost;
}
