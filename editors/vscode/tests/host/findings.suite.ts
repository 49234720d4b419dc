import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import * as vscode from 'vscode';

import { until } from '../until.ts';
import { closeAll, codes, findings, fixesFor, set, show, untilFound } from './support.ts';

const summedLoss = `import torch


def evaluate(model: torch.nn.Module, loader, criterion):
    total = 0.0
    for images, labels in loader:
        total += criterion(model(images.cuda()), labels.cuda())
    return total


evaluate(torch.nn.Linear(2, 2).cuda(), [], torch.nn.CrossEntropyLoss())
`;

describe('findings', () => {
  afterEach(closeAll);

  it('are shown in a script', async () => {
    const document = await show('classic_loop.py');
    await untilFound(document, ['OOM202', 'OOM101', 'OOM101']);
    const [, summed, small] = findings(document);
    assert.equal(document.getText(summed?.range), 'loss_sum += F.cross_entropy(logits, labels, reduction="sum")');
    assert.equal(summed?.severity, vscode.DiagnosticSeverity.Error);
    assert.equal(small?.severity, vscode.DiagnosticSeverity.Warning);
    assert.match(summed.message, /activation/);
    assert.equal(summed.relatedInformation?.length, 2);
  });

  it('go when the fix is applied, which is then on the disk', async () => {
    const document = await show('collect_predictions.py');
    await untilFound(document, ['OOM202', 'OOM102']);
    const [finding] = findings(document);
    assert.ok(finding);
    const [fix] = await fixesFor(document, finding);
    assert.ok(fix?.edit, 'the first action has an edit');
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    // Without their graphs, the embeddings themselves are still on the GPU.
    await untilFound(document, ['OOM203']);
    assert.ok(await document.save());
    assert.match(readFileSync(document.uri.fsPath, 'utf8'), /@torch\.no_grad\(\)\ndef embed\(/);
  });

  it('can be ignored from the menu of fixes', async () => {
    const document = await show('trainer_class.py');
    await untilFound(document, ['OOM101', 'OOM102']);
    // The server looks again when it has read the files around the script; until then it may have nothing to offer.
    const edit = await until('the action', async () => {
      const [finding] = findings(document);
      const fixes = finding ? await fixesFor(document, finding) : [];
      return fixes.find(({ title }) => title.includes('Ignore OOM101'))?.edit;
    });
    assert.ok(await vscode.workspace.applyEdit(edit));
    await untilFound(document, ['OOM102']);
  });

  it('are fixed on saving, when the user has asked for that', async () => {
    await set('editor.codeActionsOnSave', { 'source.fixAll.vramlens': 'explicit' });
    try {
      const document = await show('on_save.py', summedLoss);
      await until('a finding', () => codes(document).length > 0);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), '# A user was here.\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      assert.ok(await document.save());
      await untilFound(document, []);
      assert.match(readFileSync(document.uri.fsPath, 'utf8'), /@torch\.no_grad\(\)|\.item\(\)/);
    } finally {
      await set('editor.codeActionsOnSave');
    }
  });

  it('are shown while a script has no file yet', async () => {
    const document = await vscode.workspace.openTextDocument({ language: 'python', content: summedLoss });
    await vscode.window.showTextDocument(document);
    await until('a finding', () => codes(document).includes('OOM101'));
  });

  it('follow what is typed', async () => {
    const document = await show('typed.py', summedLoss);
    await until('a finding', () => codes(document).includes('OOM101'));
    const end = document.positionAt(document.getText().indexOf('labels.cuda())') + 'labels.cuda())'.length);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, end, '.item()');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the finding to go', () => !codes(document).includes('OOM101'));
  });

  it('are not looked for in other languages', async () => {
    const other = await vscode.workspace.openTextDocument({ language: 'plaintext', content: summedLoss });
    const script = await show('typed.py', summedLoss);
    await until('a finding', () => codes(script).length > 0);
    assert.deepEqual(codes(other), []);
  });
});
