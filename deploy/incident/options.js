// The command line of incident.js.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { parseInit, scenarios } from './variants.js';

const defaultInit = fileURLToPath(new URL('../../bin/sbinit', import.meta.url));
const scenarioNames = Object.keys(scenarios);
const signalNames = ['TERM', 'KILL', 'HUP'];

export const help = `usage: run.sh [OPTION]...

  --init [NAME=]COMMAND     an init that must leave nothing (default: bin/sbinit);
                            the runner's command line is added to COMMAND; words are
                            separated by blanks; "COMMAND :: PREFIX" also puts PREFIX
                            before the daemon's command line
  --control [NAME=]COMMAND  an init that must leak, for comparison (default: tini --)
  --only NAME               only the init of this name
  --runs N                  runs of each case (default: 5)
  --signals LIST            what kills the daemon, of ${signalNames} (default: TERM,KILL)
  --scenarios LIST          of ${scenarioNames} (default: all)
  --limit SECONDS           how long leftovers may take to go, longer than all graces
                            of the init together (default: 20)
  --json FILE               also write the rows to FILE
  --verbose                 show what inits and runners print

--init, --control and --only may be given more than once.
Exit status: 0 all as it must be, 1 not so, 2 wrong usage or something is missing.
`;

/** A fault of the caller's: wrong usage, or a program that is not there. */
export class UsageError extends Error {}

const list = { type: 'string', multiple: true };
const flag = { type: 'boolean', default: false };
const syntax = {
  init: { ...list, default: [defaultInit] },
  control: { ...list, default: ['tini --'] },
  only: { ...list, default: [] },
  runs: { type: 'string', default: '5' },
  signals: { type: 'string', default: 'TERM,KILL' },
  scenarios: { type: 'string', default: String(scenarioNames) },
  limit: { type: 'string', default: '20' },
  json: { type: 'string' },
  verbose: flag,
  help: { ...flag, short: 'h' },
};

/** The options, checked; limit in milliseconds. Throws UsageError. */
export function parseOptions(words) {
  const values = rawOptions(words);
  if (values.help) return { help: true };
  return {
    runs: wholeNumber(values, 'runs'),
    signals: choice(values, 'signals', signalNames),
    scenarios: choice(values, 'scenarios', scenarioNames),
    limit: wholeNumber(values, 'limit') * 1000,
    json: values.json,
    verbose: values.verbose,
    inits: inits(values),
  };
}

function rawOptions(words) {
  try {
    return parseArgs({ args: words, options: syntax }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function wholeNumber(values, name) {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new UsageError(`--${name} ${values[name]}: not a whole number of at least 1`);
}

function choice(values, name, legal) {
  const chosen = values[name].split(',');
  const wrong = chosen.find((word) => !legal.includes(word));
  if (wrong === undefined) return chosen;
  throw new UsageError(`--${name} ${values[name]}: "${wrong}" is none of ${legal}`);
}

function inits({ init, control, only }) {
  const all = [...init.map((text) => parseInit(text, 'clean')), ...control.map((text) => parseInit(text, 'leak'))];
  const names = all.map(({ name }) => name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new UsageError(`--only ${unknown}: none of ${names}`);
  const chosen = only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
  chosen.forEach(requirePrograms);
  return chosen;
}

function requirePrograms({ name, init, prefix }) {
  const missing = [...init.slice(0, 1), ...prefix.slice(0, 1)].find((program) => !isInstalled(program));
  if (missing === undefined) return;
  throw new UsageError(`${missing} is missing: build or install it, or name the inits other than "${name}" with --only`);
}

function isInstalled(program) {
  if (program.includes('/')) return isExecutable(program);
  return process.env.PATH.split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
