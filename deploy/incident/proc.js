// Reads /proc. Facts only: what counts as a leftover is decided in leftovers.js.

import { readFileSync, readdirSync } from 'node:fs';

/**
 * Parses the text of /proc/PID/stat, proc_pid_stat(5). The name may hold blanks
 * and brackets, so the fields are counted from the last closing bracket.
 */
export function parseStat(text) {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const [state, ppid, , sid, ...rest] = text.slice(close + 2).split(' ');
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    state,
    ppid: Number(ppid),
    sid: Number(sid),
    start: Number(rest[15]), // field 22: clock ticks since boot
  };
}

/** All processes of this PID namespace. One that ends meanwhile is left out. */
export function snapshot() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/stat`))
    .filter((text) => text !== '')
    .map(parseStat);
}

/** The processes below pid, at any depth. */
export function descendants(processes, pid) {
  const children = processes.filter((p) => p.ppid === pid);
  return children.flatMap((child) => [child, ...descendants(processes, child.pid)]);
}

/** The argument list of a process; empty for a zombie. */
export function args(pid) {
  return read(`/proc/${pid}/cmdline`).split('\0').filter((word) => word !== '');
}

/** Resident memory in kB: all pages, and the share that is the process's own. */
export function memory(pid) {
  return {
    rss: kilobytes(read(`/proc/${pid}/status`), 'VmRSS'),
    pss: kilobytes(read(`/proc/${pid}/smaps_rollup`), 'Pss'),
  };
}

function kilobytes(text, field) {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text);
  return found ? Number(found[1]) : 0;
}

// A process may end between any two looks; what cannot be read reads as empty.
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return '';
    throw error;
  }
}
