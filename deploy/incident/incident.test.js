// Tests of the measuring itself, without the real programs: node --test deploy/incident/

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { lossesWithin } from './agent.js';
import { leftovers, orphans } from './leftovers.js';
import { measure } from './namespace.js';
import { parseOptions, UsageError } from './options.js';
import { parseStat } from './proc.js';
import { complaints, failedRow, measuredRow, table } from './report.js';
import { asked, builtin, cases, expectations, parseVariant, scenarios } from './variants.js';

const process1 = { pid: 1, ppid: 0, sid: 1, start: 1, state: 'S' };
const runner = { pid: 2, ppid: 1, sid: 1, start: 2, state: 'S' };
const adapter = { pid: 7, ppid: 1, sid: 1, start: 3, state: 'S' };
const agent = { pid: 8, ppid: 7, sid: 1, start: 4, state: 'S' };
const devServer = { pid: 9, ppid: 1, sid: 9, start: 5, state: 'S' };

test('the fields of stat are found after a name with blanks and brackets', () => {
  const stat = parseStat('42 (a) Z 1 (b) S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987 1000 1 1\n');
  assert.deepEqual(stat, { pid: 42, name: 'a) Z 1 (b', state: 'S', ppid: 7, sid: 9, start: 987 });
});

test('left is what was not there before, by number and start', () => {
  const recycled = { ...runner, start: 99 };
  assert.deepEqual(leftovers([process1, runner], [process1, runner, adapter, agent]), [adapter, agent]);
  assert.deepEqual(leftovers([process1, runner], [process1, recycled]), [recycled]);
});

test('a zombie is left, but is no orphan', () => {
  const zombie = { ...adapter, state: 'Z' };
  assert.deepEqual(leftovers([], [zombie]), [zombie]);
  assert.deepEqual(orphans([zombie]), []);
});

test('only the session of the dev server is kept', () => {
  assert.deepEqual(leftovers([process1], [process1, adapter, devServer], [9]), [adapter]);
});

test('an orphan is a leftover without a leftover as parent, whoever adopted it', () => {
  const bySubreaper = { ...devServer, ppid: 5 };
  assert.deepEqual(orphans([adapter, agent, bySubreaper]), [adapter, bySubreaper]);
});

test('an init is data: name, words, and what goes before the daemon', () => {
  const parsed = (text) => {
    const { name, init, prefix } = parseVariant(asked(text, 'clean'), '/new/sbinit');
    return [name, init, prefix];
  };
  assert.deepEqual(parsed('/x/sbinit'), ['sbinit', ['/x/sbinit'], []]);
  assert.deepEqual(parsed('none='), ['none', [], []]);
  assert.deepEqual(parsed('tini -- /x/sbinit guard --'), ['tini sbinit guard', ['tini', '--', '/x/sbinit', 'guard', '--'], []]);
  assert.deepEqual(parsed('strict=env SBINIT_ORPHANS=terminate /x/sbinit'), ['strict', ['env', 'SBINIT_ORPHANS=terminate', '/x/sbinit'], []]);
  assert.deepEqual(parsed('guard=tini -- :: @ guard --'), ['guard', ['tini', '--'], ['/new/sbinit', 'guard', '--']]);
});

test('the built-in variants are whole', () => {
  for (const { text, expected, scenarios: names, kills } of builtin) {
    assert.ok(expectations[expected], text);
    for (const name of names) assert.ok(scenarios[name], `${text}: ${name}`);
    for (const kill of kills) assert.match(kill, /^(TERM|KILL|HUP) (daemon|front|keeper)$/, text);
    assert.equal(text.includes('::'), kills.some((kill) => !kill.endsWith('daemon')), `${text}: front and keeper belong to a prefix`);
  }
});

test('a variant is run with its own scenarios and kills, or those asked for', () => {
  const variant = parseVariant({ text: 'x :: y', expected: 'contained', scenarios: ['session', 'pair'], kills: ['KILL front', 'TERM keeper'] });
  const listed = (...by) => cases([variant], ...by).map(({ scenario, kill }) => `${scenario} ${kill.signal} ${kill.victim}`);
  assert.deepEqual(listed(), ['session KILL front', 'session TERM keeper', 'pair KILL front', 'pair TERM keeper']);
  assert.deepEqual(listed(['twins'], ['HUP']), ['twins HUP front', 'twins HUP keeper']);
  const [first] = cases([variant]);
  assert.deepEqual([first.devServers, first.leaks, first.agents], ['go', false, 1]);
});

test('wrong options are refused', () => {
  const wrong = [['--runs', '0'], ['--runs', 'x'], ['--limit', '1.5'], ['--signals', 'TERM,FOO'], ['--scenarios', ''],
    ['--bogus'], ['--init', '/no/such/init'], ['--init', 'sh :: no-such-guard', '--only', 'sh'], ['--only', 'nobody']];
  for (const words of wrong) assert.throws(() => parseOptions(words), UsageError, words.join(' '));
});

const named = (options) => parseOptions(options).variants.map(({ name, init, prefix }) => [name, init, prefix].flat().join(' '));

test('--only leaves the other inits out, missing ones too', () => {
  assert.deepEqual(named(['--init', '/bin/sh', '--control', 'no-such-init', '--only', 'sh']), ['sh /bin/sh']);
});

test('each option takes the place of the built-in inits of its kind', () => {
  const words = ['--init', 'x=env A=1 sh', '--init', '/bin/sh', '--control', 'cat'];
  const [first, second, ...others] = named([...words, '--guard', 'g=sh :: @ guard']);
  assert.deepEqual([first, second], ['x env A=1 sh', 'sh /bin/sh']);
  assert.deepEqual(others, ['g sh /bin/sh guard', 'cat cat']);
  const [guard] = parseOptions([...words, '--only', 'guard-agent']).variants;
  assert.equal(guard.init.at(-2), '/bin/sh', 'a built-in one runs the sbinit under test');
});

const measured = { pid1: ['init'], orphans: 0, cleanAfter: 5100, devServers: { started: 0, alive: 0 }, faults: [], left: [] };
const leak = { orphans: 1, cleanAfter: null, left: [{ ...adapter, rss: 70_000, pss: 40_000, args: ['node', 'acp'] }] };

const kill = { signal: 'TERM', victim: 'front' };
const caseOf = (name, expected) => ({ name, expected, ...expectations[expected], scenario: 'session', kill });
const rowOf = (expected, changes = {}) => measuredRow(caseOf('x', expected), 1, { ...measured, ...changes });

test('an init under test must leave nothing, in time', () => {
  assert.deepEqual(rowOf('clean').faults, []);
  assert.deepEqual(rowOf('clean', leak).faults, ['1 processes left']);
  assert.deepEqual(rowOf('clean', { cleanAfter: null }).faults, ['clean after the limit only']);
});

test('a control must leak', () => {
  assert.deepEqual(rowOf('leak', leak).faults, []);
  assert.deepEqual(rowOf('leak').faults, ['the control shows no leak: nothing is proved']);
});

test('a dev server must live, where it is not contained', () => {
  const devServers = { started: 2, alive: 1 };
  assert.deepEqual(rowOf('clean', { devServers }).faults, ['1 of 2 dev servers gone']);
  assert.deepEqual(rowOf('leak', { ...leak, devServers }).faults, ['1 of 2 dev servers gone']);
});

test('a dev server must go with its agent, where that is contained', () => {
  assert.deepEqual(rowOf('contained', { devServers: { started: 2, alive: 0 } }).faults, []);
  assert.deepEqual(rowOf('contained', { devServers: { started: 2, alive: 1 } }).faults, ['1 of 2 dev servers stayed']);
});

test('what the runner saw go wrong is a fault', () => {
  assert.deepEqual(rowOf('contained', { faults: ['the dev server of agent 1.2 ended'] }).faults, ['the dev server of agent 1.2 ended']);
});

test('agents are watched: what ends meanwhile is a loss', async (context) => {
  const server = createServer((request, response) => response.end(String(process.pid))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const { port } = server.address();
  const agent = (name, runs, pid) => ({ name, daemon: { agentRuns: () => runs }, server: { pid, port } });
  assert.deepEqual(await lossesWithin(100, [agent('1', true, process.pid)]), []);
  const start = performance.now();
  assert.deepEqual(await lossesWithin(60_000, [agent('1', true, process.pid), agent('2', false, 0)]),
    ['agent 2 ended', 'the dev server of agent 2 ended']);
  assert.ok(performance.now() - start < 30_000, 'and the watch ends with it');
});

test('the report shows figures, faults and what is left', () => {
  const rows = [rowOf('clean'), rowOf('clean', leak), failedRow(caseOf('y', 'clean'), 1, new Error('no namespace'))];
  const lines = table(rows).split('\n');
  assert.match(lines[2], /\| 0 +\| 0 +\| 0 +\| 0 +\| 5\.1 s +\| - +\| clean +\|$/);
  assert.match(lines[3], /\| 1 +\| 1 +\| 70 +\| 40 +\| never +\| - +\| NOT OK +\|$/);
  assert.match(lines[4], /^\| y .*\| \? .*\| NOT OK +\|$/);
  assert.deepEqual(complaints(rows), [
    'x, session, TERM to the front: 1 processes left\n  pid 7 ppid 1 sid 1 S node acp',
    'y, session, TERM to the front: not measured: no namespace',
  ]);
});

test('a case past its deadline is ended, with everything in it', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'sbinit-incident-test-'));
  context.after(() => rmSync(folder, { recursive: true }));
  process.env.TMPDIR = folder;
  const stubborn = { init: ['sh', '-c', 'trap "" TERM; setsid sleep 60 & echo ready; wait'], prefix: [] };
  let output = '';
  const onOutput = (text) => { output += text; };
  const limits = { runs: 1, limit: 1000, deadline: 2000, cancelled: new AbortController().signal, onOutput };
  const start = performance.now();
  await assert.rejects(measure(stubborn, limits), /timeout/);
  assert.ok(performance.now() - start < 30_000);
  assert.match(output, /ready/);
  assert.deepEqual(readdirSync(folder), []);
});
