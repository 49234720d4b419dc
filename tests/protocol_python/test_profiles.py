"""Every recorded editor opens a script, sees the finding, takes the fix and leaves."""

import asyncio
import re

import conversation
import edits
import profiles
import promises
import pytest
import scripts
from lsprotocol import types as lsp

PATIENCE_SECONDS = 30
LEAK = "total_loss += loss"
# The same with characters of one to four bytes before the place, where every encoding counts differently.
FAR_SCRIPT = scripts.TRAINER.replace("    total_loss +=", "    name = 'é損失🔥'; total_loss +=")


class Editor:
    """One recorded editor with one document open."""

    def __init__(self, client, params, folder):
        self.client, self.params = client, params
        self.uri = (folder / "train.py").as_uri()
        self.version, self.text = 0, ""

    async def start(self):
        answer = await self.client.initialize_session(self.params)
        self.encoding = answer.capabilities.position_encoding or "utf-16"
        self.declares_pull = answer.capabilities.diagnostic_provider is not None

    @property
    def document(self):
        return lsp.TextDocumentIdentifier(self.uri)

    def open(self, text):
        self.version, self.text = 1, text
        item = lsp.TextDocumentItem(self.uri, lsp.LanguageKind.Python, self.version, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def change(self, changes):
        """Applies edits and tells the server, last one first, as editors do."""
        self.version += 1
        self.text, told = edits.applied(self.text, changes, self.encoding), []
        for edit in sorted(changes, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            told.append(lsp.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text))
        identifier = lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, told))

    @property
    def pulls(self):
        return self.declares_pull or any(r.method == lsp.TEXT_DOCUMENT_DIAGNOSTIC for r in self.client.registrations)

    async def diagnostics(self, fit):
        """The diagnostics: what a pull answers, or the first push that `fit` is content with."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            if self.pulls:
                report = await self.client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(self.document))
                return list(report.items)
            while not fit(found := await self._pushed()):
                pass
        return found

    async def _pushed(self):
        await self.client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self.client.diagnostics.get(self.uri, []))

    async def hover(self, position):
        return await self.client.text_document_hover_async(lsp.HoverParams(self.document, position))

    async def hints(self):
        end = lsp.Position(len(self.text.splitlines()), 0)
        asked = lsp.InlayHintParams(self.document, lsp.Range(lsp.Position(0, 0), end))
        return await self.client.text_document_inlay_hint_async(asked)

    def set(self, **settings):
        """Tells new settings in the way of this editor: it is asked, or sends them along."""
        self.client.set_configuration(settings, section="vramlens")
        self.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({"vramlens": settings}))

    async def actions(self, place, diagnostics, only=None):
        context = lsp.CodeActionContext(diagnostics, only=only)
        asked = lsp.CodeActionParams(self.document, place, context)
        return [await self._whole(action) for action in await self.client.text_document_code_action_async(asked)]

    async def _whole(self, action):
        if action.edit or action.disabled:
            return action
        return await self.client.code_action_resolve_async(action)


@pytest.fixture(params=profiles.NAMES)
async def editor(request, client, tmp_path):
    """Each recorded editor in turn, its session begun."""
    editor = Editor(client, profiles.RecordedParams(profiles.recorded(request.param), tmp_path), tmp_path)
    await editor.start()
    return editor


def leaks(found):
    return [diagnostic for diagnostic in found if diagnostic.code == "OOM101"]


@pytest.mark.parametrize("script", [scripts.TRAINER, FAR_SCRIPT], ids=["ascii", "beyond-ascii"])
async def test_finding_and_fix(editor, script):
    editor.open(script)
    [leak] = leaks(await editor.diagnostics(leaks))
    assert script.splitlines()[leak.range.start.line].endswith(LEAK)
    assert leak.severity == lsp.DiagnosticSeverity.Warning
    place = edits.covered(script, leak.range, editor.encoding)
    assert re.fullmatch(r"total_loss( \+= loss)?|loss", place), f"the finding marks {place!r}"

    actions = await editor.actions(leak.range, [leak], [lsp.CodeActionKind.QuickFix])
    [fix] = [action for action in actions if action.is_preferred]
    assert fix.kind == lsp.CodeActionKind.QuickFix
    editor.change(edits.text_edits(fix.edit, editor.uri, editor.version))
    assert editor.text == script.replace(LEAK, f"{LEAK}.item()")
    assert await editor.diagnostics(lambda found: not leaks(found)) == []


async def test_the_request_goes_out_word_for_word(editor, recording):
    assert conversation.entries(recording)[0]["message"]["params"] == editor.params.as_sent


async def test_fix_found_by_position_alone(editor):
    editor.open(scripts.TRAINER)
    [leak] = leaks(await editor.diagnostics(leaks))
    spot = lsp.Range(leak.range.start, leak.range.start)
    actions = await editor.actions(spot, [])
    assert [action.is_preferred for action in actions if action.is_preferred] == [True]


async def test_ignoring_comes_last_and_silences(editor):
    editor.open(scripts.TRAINER)
    [leak] = leaks(await editor.diagnostics(leaks))
    actions = await editor.actions(leak.range, [leak], [lsp.CodeActionKind.QuickFix])
    editor.change(edits.text_edits(actions[-1].edit, editor.uri, editor.version))
    assert f"{LEAK}  # vramlens: ignore[OOM101]\n" in editor.text
    assert leaks(await editor.diagnostics(lambda found: not leaks(found))) == []


async def test_fix_all(editor):
    editor.open(scripts.TRAINER)
    await editor.diagnostics(leaks)
    everywhere = lsp.Range(lsp.Position(0, 0), lsp.Position(len(scripts.TRAINER.splitlines()), 0))
    [action] = await editor.actions(everywhere, [], ["source.fixAll.vramlens"])
    assert action.kind == "source.fixAll.vramlens"
    assert edits.applied(
        scripts.TRAINER, edits.text_edits(action.edit, editor.uri, editor.version), editor.encoding
    ) == scripts.TRAINER.replace(LEAK, f"{LEAK}.item()")


async def test_findings_leave_with_the_document(editor):
    editor.open(scripts.TRAINER)
    await editor.diagnostics(leaks)
    editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(editor.document))
    if not editor.pulls:
        assert await editor.diagnostics(lambda found: not found) == []


async def test_pull_exactly_when_the_client_can(editor):
    declared = editor.params.as_sent
    if promises.pulls(declared):
        editor.open(scripts.TRAINER)
        await editor.diagnostics(leaks)
        assert editor.pulls
    elif promises.declared(declared, "textDocument.diagnostic") is None:
        assert not editor.pulls


NAME = '"mistralai/Mistral-7B-v0.1"'
# The model's name with characters of one to four bytes before it.
FAR_LOADER = scripts.LOADER.replace("model =", "name = 'é損失🔥'; model =")


def position_of(text, words, encoding, into=0):
    """The position `into` characters into the first place where `words` stand."""
    line = text[: text.index(words)].count("\n")
    before = text.splitlines()[line].partition(words)[0] + words[:into]
    return lsp.Position(line, len(before.encode(edits.CODEC[encoding])) // edits.UNIT_BYTES[encoding])


@pytest.mark.parametrize("script", [scripts.LOADER, FAR_LOADER], ids=["ascii", "beyond-ascii"])
async def test_hover_and_hint_of_a_load(editor, script):
    editor.open(script)
    hover = await editor.hover(position_of(script, NAME, editor.encoding, into=3))
    assert edits.covered(script, hover.range, editor.encoding) == NAME
    assert "13.49 GiB of weights on the GPU (7.24B parameters, float16" in hover.contents.value
    assert await editor.hover(position_of(script, "import", editor.encoding)) is None

    [hint] = await editor.hints()
    assert hint.label == "13.49 GiB"
    assert hint.position == position_of(script, ".to(", editor.encoding)


async def test_the_forms_of_a_hover_have_the_same_words(editor):
    editor.open(scripts.LOADER)
    hover = await editor.hover(position_of(scripts.LOADER, NAME, editor.encoding))
    words = re.sub(r"^```\w*\n|\*\*|\n?^```$", "", hover.contents.value, flags=re.MULTILINE)
    headline, points, block = words.split("\n\n")
    assert headline.startswith("`mistralai/Mistral-7B-v0.1`: 13.49 GiB")
    assert all(point.startswith("- ") for point in points.splitlines())
    assert len({len(line) for line in block.splitlines()}) == 1, "the block is aligned"


async def test_a_changed_setting_changes_the_hover(editor):
    editor.open(scripts.LOADER)
    place = position_of(scripts.LOADER, NAME, editor.encoding)
    for gpu, words in [("RTX 4090", "The weights fit: RTX 4090"), ("8GiB", "The weights do not fit: 8 GiB")]:
        editor.set(gpu=gpu)
        async with asyncio.timeout(PATIENCE_SECONDS):
            # An editor that is asked for its settings may be asked after this request.
            while words not in (await editor.hover(place)).contents.value:
                pass


async def test_hints_leave_when_they_are_not_wanted(editor):
    editor.open(scripts.LOADER)
    editor.set(inlayHints=False)
    is_told = promises.declared(editor.params.as_sent, "workspace.inlayHint.refreshSupport")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await editor.hints() or (is_told and not editor.client.hint_refreshes):
            pass
