// The command line of incident.js.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { asked, builtin, parseVariant, scenarios } from './variants.js';

const checkout = fileURLToPath(new URL('../../bin/sbinit', import.meta.url));
const expectedBy = { init: 'clean', guard: 'contained', control: 'leak' };
const scenarioNames = Object.keys(scenarios);
const signalNames = ['TERM', 'KILL', 'HUP'];

const builtinHelp = Object.entries(expectedBy)
  .flatMap(([option, expected]) => builtin.filter((v) => v.expected === expected).map(({ text }) => `  --${option} '${text}'`))
  .join('\n');

export const help = `usage: run.sh [OPTION]...

  --init [NAME=]COMMAND     an init that must leave nothing but the dev servers;
                            the runner's command line is added to COMMAND; words are
                            separated by blanks; "COMMAND :: PREFIX" also puts PREFIX
                            before the daemon's command line
  --guard [NAME=]COMMAND    one that must leave nothing at all
  --control [NAME=]COMMAND  one that must leak, for comparison
  --only NAME               only the init of this name
  --runs N                  runs of each case (default: 5)
  --signals LIST            what kills, of ${signalNames} (default: what belongs to the init)
  --scenarios LIST          of ${scenarioNames} (default: what belongs to the init)
  --limit SECONDS           how long leftovers may take to go, longer than all graces
                            of the init together (default: 15)
  --json FILE               also write the rows to FILE
  --verbose                 show what inits and runners print

--init, --guard, --control and --only may be given more than once; each of the
first three takes the place of what is built in of its kind:

${builtinHelp}

A word @ is the sbinit under test: the first --init that is one word, or bin/sbinit.
Exit status: 0 all as it must be, 1 not so, 2 wrong usage or something is missing.
`;

/** A fault of the caller's: wrong usage, or a program that is not there. */
export class UsageError extends Error {}

const list = { type: 'string', multiple: true };
const flag = { type: 'boolean', default: false };
const syntax = {
  init: list,
  guard: list,
  control: list,
  only: { ...list, default: [] },
  runs: { type: 'string', default: '5' },
  signals: { type: 'string' },
  scenarios: { type: 'string' },
  limit: { type: 'string', default: '15' },
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
    variants: variants(values),
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
  if (values[name] === undefined) return undefined;
  const chosen = values[name].split(',');
  const wrong = chosen.find((word) => !legal.includes(word));
  if (wrong === undefined) return chosen;
  throw new UsageError(`--${name} ${values[name]}: "${wrong}" is none of ${legal}`);
}

function variants(values) {
  const sbinit = values.init?.find((text) => /^[^\s=]+$/.test(text)) ?? checkout;
  const all = Object.entries(expectedBy).flatMap(([option, expected]) =>
    values[option]?.map((text) => asked(text, expected)) ?? builtin.filter((variant) => variant.expected === expected));
  return selected(all.map((variant) => parseVariant(variant, sbinit)), values.only);
}

function selected(all, only) {
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
