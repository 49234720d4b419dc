import { rm, writeFile } from 'node:fs/promises';

import { closeAll, inProject, set, show, untilFound } from './support.ts';

describe('settings', () => {
  afterEach(async () => {
    for (const name of ['select', 'ignore', 'exclude', 'gpu']) {
      await set(`vramlens.${name}`);
    }
    await rm(inProject('vramlens.toml').fsPath, { force: true });
    await closeAll();
  });

  it('take effect at once, and so does unsetting them', async () => {
    const document = await show('classic_loop.py');
    await untilFound(document, ['OOM202', 'OOM101', 'OOM101']);
    await set('vramlens.ignore', ['OOM101']);
    await untilFound(document, ['OOM202']);
    await set('vramlens.ignore');
    await untilFound(document, ['OOM202', 'OOM101', 'OOM101']);
    await set('vramlens.select', ['OOM1']);
    await untilFound(document, ['OOM101', 'OOM101']);
    await set('vramlens.select');
    await set('vramlens.exclude', ['classic_*.py']);
    await untilFound(document, []);
  });

  it('that are not set leave it to the file of the project, and else win over it', async () => {
    const document = await show('classic_loop.py');
    await untilFound(document, ['OOM202', 'OOM101', 'OOM101']);
    await writeFile(inProject('vramlens.toml').fsPath, 'ignore = ["OOM202"]\n');
    await untilFound(document, ['OOM101', 'OOM101']);
    await set('vramlens.ignore', ['OOM101']);
    await untilFound(document, ['OOM202']);
  });
});
