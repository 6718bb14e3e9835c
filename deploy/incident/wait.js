import { setTimeout as sleep } from 'node:timers/promises';

const pollInterval = 50; // milliseconds

/**
 * Polls probe until it gives something true and returns that; false once limit
 * milliseconds have passed.
 */
export async function within(limit, probe) {
  const end = performance.now() + limit;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() >= end) return false;
    await sleep(pollInterval);
  }
}

/** Like within, but it is an error when the limit passes. */
export async function until(limit, what, probe) {
  const value = await within(limit, probe);
  if (!value) throw new Error(`${what}: not within ${limit / 1000} s`);
  return value;
}
