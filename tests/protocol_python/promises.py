"""What a server may send depends on what the client declared. Each such dependence that matters here."""

import re

import wire
from lsprotocol import types as lsp

# Code in Markdown, and what is HTML outside of it.
CODE = re.compile(r"^(`{3,}).*?^\1|`[^`]*`", re.DOTALL | re.MULTILINE)
HTML = re.compile(r"(?<!\\)<[a-zA-Z/!]|(?<!\\)&\w+;")

# A request of the server, and the capability without which no client expects it.
REQUEST_NEEDS = {
    lsp.WORKSPACE_APPLY_EDIT: "workspace.applyEdit",
    lsp.WORKSPACE_CONFIGURATION: "workspace.configuration",
    lsp.WORKSPACE_WORKSPACE_FOLDERS: "workspace.workspaceFolders",
    lsp.WORKSPACE_CODE_LENS_REFRESH: "workspace.codeLens.refreshSupport",
    lsp.WORKSPACE_INLAY_HINT_REFRESH: "workspace.inlayHint.refreshSupport",
    lsp.WORKSPACE_SEMANTIC_TOKENS_REFRESH: "workspace.semanticTokens.refreshSupport",
    lsp.WINDOW_WORK_DONE_PROGRESS_CREATE: "window.workDoneProgress",
    lsp.WINDOW_SHOW_DOCUMENT: "window.showDocument.support",
}

# Methods whose registration is declared under another name than their own.
REGISTERED_AS = {
    lsp.TEXT_DOCUMENT_DID_OPEN: "textDocument/synchronization",
    lsp.TEXT_DOCUMENT_DID_CHANGE: "textDocument/synchronization",
    lsp.TEXT_DOCUMENT_DID_SAVE: "textDocument/synchronization",
    lsp.TEXT_DOCUMENT_DID_CLOSE: "textDocument/synchronization",
}

# Fields of a diagnostic that only some clients understand, and what they declare by saying nothing.
# Editors follow links of codes without declaring it; only an outspoken no is one.
DIAGNOSTIC_NEEDS = {
    "relatedInformation": ("relatedInformation", False),
    "codeDescription": ("codeDescriptionSupport", True),
    "tags": ("tagSupport", False),
}


def declared(client, path):
    """What the client declared at this dotted path of its capabilities; None when nothing."""
    value = client.get("capabilities", {})
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def pulls(client):
    """Whether the client asks for diagnostics itself, and can be told to ask again."""
    return declared(client, "textDocument.diagnostic") is not None and bool(
        declared(client, "workspace.diagnostics.refreshSupport")
    )


def refreshes(client):
    """Whether the client can be told to ask again. Some clients misspell the capability."""
    names = ("workspace.diagnostics.refreshSupport", "workspace.diagnostic.refreshSupport")
    return any(declared(client, name) for name in names)


def call_faults(method, params, client, server):
    """What a request or notification of the server presumes without the client's word."""
    needed = REQUEST_NEEDS.get(method)
    if needed and not declared(client, needed):
        return [f"{method}: the client did not declare {needed}"]
    if method == lsp.WORKSPACE_DIAGNOSTIC_REFRESH and not refreshes(client):
        return [f"{method}: the client did not declare that it can refresh"]
    if method == lsp.CLIENT_REGISTER_CAPABILITY:
        return registration_faults(params, client)
    if method == lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
        found = [f"{method}: pushed to a client that pulls"] if pulls(client) else []
        if server.get("capabilities", {}).get("diagnosticProvider"):
            found.append(f"{method}: pushed although pulls are answered")
        return found + diagnostic_faults(method, params["diagnostics"], client)
    if method == lsp.WORKSPACE_APPLY_EDIT:
        return edit_faults(method, params["edit"], client)
    return []


def answer_faults(method, result, client):
    """What an answer of the server presumes without the client's word."""
    if method == lsp.INITIALIZE:
        return encoding_faults(result, client)
    if method == lsp.TEXT_DOCUMENT_DIAGNOSTIC:
        return diagnostic_faults(method, result.get("items", []), client)
    if method == lsp.TEXT_DOCUMENT_HOVER and result:
        return hover_faults(method, result["contents"], client)
    if method == lsp.TEXT_DOCUMENT_CODE_ACTION:
        return [fault for action in result or [] for fault in action_faults(method, action, client)]
    return []


def registration_faults(params, client):
    found = []
    for registration in params["registrations"]:
        method = registration["method"]
        capability = REGISTERED_AS.get(method, method).replace("/", ".") + ".dynamicRegistration"
        if not declared(client, capability):
            found.append(f"{method}: registered although the client did not declare {capability}")
        options = lsp.METHOD_TO_TYPES[method][3] if method in lsp.METHOD_TO_TYPES else None
        if options and "registerOptions" in registration:
            found += wire.faults(registration["registerOptions"], options, f"registration of {method}")
    return found


def encoding_faults(result, client):
    chosen = result["capabilities"].get("positionEncoding", "utf-16")
    offered = declared(client, "general.positionEncodings") or ["utf-16"]
    return [] if chosen in offered else [f"initialize: chose {chosen}, offered were {offered}"]


def diagnostic_faults(method, diagnostics, client):
    found = []
    for diagnostic in diagnostics:
        for field, (capability, silence) in DIAGNOSTIC_NEEDS.items():
            families = ("textDocument.publishDiagnostics", "textDocument.diagnostic")
            said = [declared(client, f"{family}.{capability}") for family in families]
            spoken = [value for value in said if value is not None] or [silence]
            if field in diagnostic and not any(spoken):
                found.append(f"{method}: {field} although the client did not declare {capability}")
    return found


def hover_faults(method, contents, client):
    """A hover is in the first form that the client names; without a word about it, plain."""
    offered = declared(client, "textDocument.hover.contentFormat") or ["plaintext"]
    if contents.get("kind") != offered[0]:
        return [f"{method}: in {contents.get('kind')}, wanted {offered[0]}"]
    if contents["kind"] == "markdown" and (html := HTML.search(CODE.sub("", contents["value"]))):
        return [f"{method}: HTML in Markdown: {html[0]!r}"]
    return []


def action_faults(method, action, client):
    if "command" in action and isinstance(action["command"], str):
        return []
    if not declared(client, "textDocument.codeAction.codeActionLiteralSupport"):
        return [f"{method}: an action although the client understands only commands"]
    if "edit" in action:
        return edit_faults(method, action["edit"], client)
    resolvable = declared(client, "textDocument.codeAction.resolveSupport.properties") or []
    if "command" in action or "disabled" in action or "edit" in resolvable:
        return []
    return [f"{method}: an action that does nothing: {action['title']!r}"]


def edit_faults(method, edit, client):
    if "documentChanges" in edit and not declared(client, "workspace.workspaceEdit.documentChanges"):
        return [f"{method}: documentChanges although the client did not declare them"]
    return []
