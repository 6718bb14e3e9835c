// Turns what was measured into rows, a verdict for each, and a table.

/** One row: the case, what the runner measured, and what is wrong with that. */
export function measuredRow(test, runs, { pid1, left, orphans, cleanAfter, devServers, faults }) {
  const sum = (field) => left.reduce((total, p) => total + p[field], 0);
  return {
    ...names(test, runs),
    pid1,
    orphans,
    processes_left: left.length,
    rss_kb: sum('rss'),
    pss_kb: sum('pss'),
    clean_after_ms: cleanAfter && Math.round(cleanAfter),
    dev_servers: devServers,
    left,
    faults: [...faults, ...leakFaults(test, left, orphans, cleanAfter), ...devServerFaults(test, devServers)],
  };
}

/** The row of a case that could not be measured. */
export function failedRow(test, runs, error) {
  return { ...names(test, runs), faults: [`not measured: ${error.message}`] };
}

function names({ name, expected, scenario, kill }, runs) {
  return { init: name, expected, scenario, ...kill, runs };
}

// A control without a leak means that the incident did not happen at all.
function leakFaults({ leaks }, left, orphans, cleanAfter) {
  if (leaks) return orphans > 0 ? [] : ['the control shows no leak: nothing is proved'];
  if (left.length > 0) return [`${left.length} processes left`];
  return cleanAfter === null ? ['clean after the limit only'] : [];
}

function devServerFaults(test, { started, alive }) {
  if (test.devServers === 'go') return alive === 0 ? [] : [`${alive} of ${started} dev servers stayed`];
  return alive === started ? [] : [`${started - alive} of ${started} dev servers gone`];
}

const titles = [
  'init', 'scenario', 'signal', 'to', 'runs', 'orphans', 'left', 'RSS MB', 'PSS MB', 'clean after', 'dev servers', 'verdict',
];

/** The rows as a Markdown table, readable as it is. */
export function table(rows) {
  const lines = rows.map((row) => [row.init, row.scenario, row.signal, row.victim, row.runs, ...figures(row), verdict(row)].map(String));
  const widths = titles.map((_, i) => Math.max(...[titles, ...lines].map((line) => line[i].length)));
  const draw = (line) => `| ${line.map((text, i) => text.padEnd(widths[i])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [draw(titles), rule, ...lines.map(draw)].join('\n');
}

function figures({ orphans, processes_left, rss_kb, pss_kb, clean_after_ms, dev_servers, left }) {
  if (!left) return Array(6).fill('?');
  const seconds = clean_after_ms === null ? 'never' : `${(clean_after_ms / 1000).toFixed(1)} s`;
  const servers = dev_servers.started === 0 ? '-' : `${dev_servers.alive} of ${dev_servers.started}`;
  return [orphans, processes_left, megabytes(rss_kb), megabytes(pss_kb), seconds, servers];
}

const megabytes = (kilobytes) => Math.round(kilobytes / 1000);

function verdict({ expected, faults }) {
  if (faults.length > 0) return 'NOT OK';
  return expected === 'leak' ? 'leaks' : expected;
}

/** What is wrong, one paragraph for each faulty row, with the processes left unless that was expected. */
export function complaints(rows) {
  return rows.filter((row) => row.faults.length > 0).map((row) => {
    const processes = row.expected === 'leak' ? [] : row.left ?? [];
    const lines = processes.map((p) => `  pid ${p.pid} ppid ${p.ppid} sid ${p.sid} ${p.state} ${p.args.join(' ') || `[${p.name}]`}`);
    return [`${row.init}, ${row.scenario}, ${row.signal} to the ${row.victim}: ${row.faults.join('; ')}`, ...lines].join('\n');
  });
}
