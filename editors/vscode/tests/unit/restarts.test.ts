import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RestartLimit } from '../../src/restarts.ts';

const minute = 60_000;

test('a server that stops again and again is left off', () => {
  const limit = new RestartLimit();
  const allowed = [0, 1, 2, 3, 4].map((second) => limit.allows(second * 1000));
  assert.deepEqual(allowed, [true, true, true, true, false]);
});

test('a server that stops once in a while always comes back', () => {
  const limit = new RestartLimit();
  for (let time = 0; time < 60 * minute; time += minute) {
    assert.ok(limit.allows(time));
  }
});

test('whoever restarts it by hand starts from nothing', () => {
  const limit = new RestartLimit();
  [0, 1, 2, 3].forEach((time) => limit.allows(time));
  limit.reset();
  assert.ok(limit.allows(4));
});
