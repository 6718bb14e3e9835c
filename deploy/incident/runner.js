// The long-lived runner of the incident, child of the init under test in a PID
// namespace of its own. Per run it starts a daemon or more, opens a session in
// each, and kills the daemons alone. Then it waits for everything the runs left to
// go, and writes what it saw to a file. Called by namespace.js with the file of
// its plan.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { lossesWithin, startAgent } from './agent.js';
import { answers, gone } from './devserver.js';
import { leftovers, orphans } from './leftovers.js';
import { startModel } from './model.js';
import { args, memory, snapshot } from './proc.js';
import { within } from './wait.js';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const before = snapshot();
const devServers = [];
const faults = [];
let lastKill;

const kept = () => (plan.devServers === 'stay' ? devServers.map((server) => server.sid) : []);
const left = () => leftovers(before, snapshot(), kept());

async function run(number) {
  const agents = [];
  for (let i = 1; i <= plan.agents; i++) {
    const agent = await startAgent(plan, `${number}.${i}`);
    agents.push(agent);
    if (agent.server) devServers.push(agent.server);
  }
  if (plan.hold > 0) faults.push(...(await lossesWithin(plan.hold, agents)));
  for (let agent = agents.shift(); agent; agent = agents.shift()) await end(agent, agents);
}

/**
 * Kills one agent's daemon. Where dev servers go, its own must go now, not with a
 * later agent; agents that live at the same time must not notice.
 */
async function end({ name, daemon, server }, others) {
  const endedBy = await daemon.kill(plan.kill);
  lastKill = performance.now();
  console.log(`agent ${name}: the daemon was ended by ${endedBy}, ${left().length} processes are left`);
  const watched = others.length > 0 ? lossesWithin(plan.hold, others) : [];
  const went = !server || plan.devServers !== 'go' || (await within(plan.limit, () => gone(server)));
  if (!went) faults.push(`the dev server of agent ${name} did not go with it`);
  faults.push(...(await watched).map((loss) => `${loss} when agent ${name} did`));
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
  const elapsed = () => performance.now() - lastKill;
  const clean = await within(plan.limit, () => left().length === 0);
  const cleanAfter = clean ? elapsed() : null;
  // A dev server has outlived the graces only once the whole limit is over.
  if (kept().length > 0) await sleep(Math.max(0, plan.limit - elapsed()));
  const rest = left();
  const alive = await Promise.all(devServers.map(answers));
  return {
    pid1: args(1),
    orphans: orphans(rest).length,
    cleanAfter,
    devServers: { started: alive.length, alive: alive.filter(Boolean).length },
    faults,
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
