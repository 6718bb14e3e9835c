// The long-lived runner of the incident, child of the init under test in a PID
// namespace of its own. Per run it starts a daemon, opens a session, and kills
// the daemon alone. Then it waits for everything the runs left to go, and writes
// what it saw to a file. Called by namespace.js with the file of its plan.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Daemon } from './daemon.js';
import { answers, findDevServer } from './devserver.js';
import { leftovers, orphans } from './leftovers.js';
import { startModel } from './model.js';
import { args, memory, snapshot } from './proc.js';
import { within } from './wait.js';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const before = snapshot();
const devServers = [];

const left = () => leftovers(before, snapshot(), devServers.map((server) => server.sid));

async function run(number) {
  const cwd = join(plan.work, `project${number}`);
  cpSync(new URL('project', import.meta.url), cwd, { recursive: true });
  const daemon = await Daemon.start(plan.daemon);
  const session = await daemon.openSession(cwd);
  if (plan.command) {
    await daemon.prompt(session, 'Start the dev server in the background.');
    devServers.push(await findDevServer(cwd));
  }
  const endedBy = await daemon.kill(plan.signal);
  console.log(`run ${number}: the daemon was ended by ${endedBy}, ${left().length} processes are left`);
}

// The agent may run the shell without asking; the model is a local stand-in.
async function prepareModel() {
  const settings = join(process.env.HOME, '.claude');
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, 'settings.json'), JSON.stringify({ permissions: { allow: ['Bash'] } }));
  process.env.ANTHROPIC_BASE_URL = await startModel(plan.command);
  process.env.ANTHROPIC_API_KEY = 'local';
}

async function measure() {
  const lastKill = performance.now();
  const elapsed = () => performance.now() - lastKill;
  const clean = await within(plan.limit, () => left().length === 0);
  const cleanAfter = clean ? elapsed() : null;
  // A dev server has outlived the graces only once the whole limit is over.
  if (devServers.length > 0) await sleep(Math.max(0, plan.limit - elapsed()));
  const rest = left();
  const alive = await Promise.all(devServers.map(answers));
  return {
    pid1: args(1),
    orphans: orphans(rest).length,
    cleanAfter,
    devServers: { started: alive.length, alive: alive.filter(Boolean).length },
    left: rest.map((p) => ({ ...p, ...memory(p.pid), args: args(p.pid) })),
  };
}

// Whoever started this holds the other end of stdin and cleans up. Should it be
// killed, then this has to.
process.stdin.resume().once('end', () => {
  rmSync(plan.work, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.exit(1);
});

if (plan.command) await prepareModel();
for (let number = 1; number <= plan.runs; number++) await run(number);
writeFileSync(plan.result, JSON.stringify(await measure()));
process.exit(0);
