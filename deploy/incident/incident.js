// Runs every init with every scenario and signal, prints one table, and exits with
// 0 only if all inits under test were clean, all controls leaked, and every dev
// server lived or went as it should. Called by run.sh, which sees to node and the packages.

import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';

import { measure } from './namespace.js';
import { help, parseOptions, UsageError } from './options.js';
import { complaints, failedRow, measuredRow, table } from './report.js';
import { cases } from './variants.js';

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(help);
    return 0;
  }
  const tests = cases(options.variants, options.scenarios, options.signals);
  const cancelled = cancellation();
  const rows = await measureAll(tests, options, cancelled);
  const ok = rows.length === tests.length && rows.every((row) => row.faults.length === 0);
  console.log(table(rows));
  for (const complaint of complaints(rows)) console.error(`incident: ${complaint}`);
  if (options.json) writeFileSync(options.json, JSON.stringify(result(ok, options, rows), null, 2));
  if (cancelled.aborted) return 128 + constants.signals[cancelled.reason.message];
  return ok ? 0 : 1;
}

/** An AbortSignal that tells of the signals that end this program, its reason the name. */
function cancellation() {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => controller.abort(new Error(name)));
  }
  return controller.signal;
}

/** One case after the other; once cancelled, the remaining ones are left out. */
async function measureAll(tests, { runs, limit, verbose }, cancelled) {
  const deadline = ({ agents, hold }) => 60_000 + limit + runs * agents * (60_000 + hold + limit);
  const onOutput = (text) => verbose && process.stderr.write(text);
  const rows = [];
  for (const [i, test] of tests.entries()) {
    if (cancelled.aborted) break;
    console.error(`incident: ${i + 1} of ${tests.length}: ${test.name}, ${test.scenario}, SIG${test.kill.signal} to the ${test.kill.victim}`);
    rows.push(await measure(test, { runs, limit, deadline: deadline(test), cancelled, onOutput }).then(
      (measured) => measuredRow(test, runs, measured),
      (error) => failedRow(test, runs, error),
    ));
  }
  return rows;
}

function result(ok, { limit }, rows) {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  return { ok, packages: dependencies, node: process.version, limit_ms: limit, rows };
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`incident: ${error.message} (see --help)`);
  process.exitCode = 2;
}
