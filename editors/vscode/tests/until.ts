/** Waiting for something to become true, with a limit. */

import { setTimeout as pause } from 'node:timers/promises';

/** The longest that anything is waited for, in milliseconds; machines that run tests are slow at times. */
export const limit = 60_000;

/** Asks again and again until the answer is neither empty nor false, and returns it. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  within = limit,
): Promise<Exclude<T, undefined | null | false | '' | 0>> {
  const end = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer) {
      return answer as Exclude<T, undefined | null | false | '' | 0>;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${within / 1000} s for ${what}`);
    }
    await pause(50);
  }
}
