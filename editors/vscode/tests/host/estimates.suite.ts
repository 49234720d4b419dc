import { until } from '../until.ts';
import { closeAll, hintsOf, hoverAt, set, show } from './support.ts';

/** 7,241,732,096 parameters of two bytes are 13.49 GiB. */
const load = `import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1", dtype=torch.bfloat16).to("cuda")
`;

describe('estimates', () => {
  afterEach(async () => {
    await set('vramlens.gpu');
    await set('vramlens.inlayHints');
    await closeAll();
  });

  it('are in the hover of a load', async () => {
    const document = await show('load.py', load);
    await until('the GiB in the hover', async () => (await hoverAt(document, 'from_pretrained')).includes('13.49 GiB'));
  });

  it('are judged against the card in the settings', async () => {
    const document = await show('load.py', load);
    await set('vramlens.gpu', 'RTX 4090');
    await until('the card', async () => (await hoverAt(document, 'from_pretrained')).includes('RTX 4090'));
    await set('vramlens.gpu', '8GiB');
    await until('the size', async () => /8(\.00)? ?GiB/.test(await hoverAt(document, 'from_pretrained')));
  });

  it('stand at the end of the line, unless that is turned off', async () => {
    const document = await show('load.py', load);
    await until('a hint', async () => (await hintsOf(document)).some((hint) => hint.includes('GiB')));
    await set('vramlens.inlayHints', false);
    await until('the hint to go', async () => (await hintsOf(document)).length === 0);
  });
});
