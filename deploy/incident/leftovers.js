// Decides which processes are left over from the runs.
//
// A parent process ID alone would not do: an init may put a subreaper between
// itself and an orphan. So everything counts that was not there before the
// first run, but for what the agent started to stay.

const identity = (p) => `${p.pid} ${p.start}`;

/**
 * The processes in now that were not there before, a zombie among them too, less
 * those of the kept sessions (a dev server's npm, shell and node share one).
 */
export function leftovers(before, now, keptSessions = []) {
  const known = new Set(before.map(identity));
  return now.filter((p) => !known.has(identity(p)) && !keptSessions.includes(p.sid));
}

/** The living leftovers whose parent is none: what the init adopted. */
export function orphans(left) {
  const pids = new Set(left.map((p) => p.pid));
  return left.filter((p) => p.state !== 'Z' && !pids.has(p.ppid));
}
