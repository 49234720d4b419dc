"""Compares raw JSON with the protocol's published types, field by field.

Turning messages into objects, as clients do, forgives much: `"0"` for `0`, a field nobody knows, a null where
none is allowed. Here the JSON itself is walked beside the types that `lsprotocol` generates from the
protocol's own description, and every difference is a fault.
"""

import enum
import functools
import json
import types as python_types
import typing
from collections.abc import Mapping, Sequence

import attrs
from lsprotocol import types as lsp

# Enumerations that the protocol leaves open: any value of the base type is allowed.
OPEN_ENUMERATIONS = {
    lsp.CodeActionKind,
    lsp.ErrorCodes,
    lsp.FoldingRangeKind,
    lsp.LanguageKind,
    lsp.LSPErrorCodes,
    lsp.PositionEncodingKind,
    lsp.SemanticTokenModifiers,
    lsp.SemanticTokenTypes,
    lsp.WatchKind,
}

# Fields that must be there although their value may be null. The generated types tell which fields may be
# null, but not which of those may also be left out.
REQUIRED_THOUGH_NULLABLE = {
    (lsp.InitializeParams, "processId"),
    (lsp.InitializeParams, "rootUri"),
    (lsp.OptionalVersionedTextDocumentIdentifier, "version"),
    (lsp.WorkspaceFullDocumentDiagnosticReport, "version"),
    (lsp.WorkspaceUnchangedDocumentDiagnosticReport, "version"),
}


class Field(typing.NamedTuple):
    """One field of a structure, as the wire sees it."""

    hint: typing.Any
    required: bool
    nullable: bool
    attribute: attrs.Attribute


def faults(value, hint, place):
    """What is wrong with the JSON `value` where the protocol wants `hint`, as a list of sentences."""
    hint = resolved(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (typing.Any, object):
        return []
    if origin in (typing.Union, python_types.UnionType):
        return union_faults(value, arguments, place)
    if origin is typing.Literal:
        return [] if value in arguments else [f"{place}: {brief(value)} is not {arguments}"]
    if origin in (list, Sequence):
        return sequence_faults(value, arguments[0], place)
    if origin is tuple:
        return tuple_faults(value, arguments, place)
    if origin in (dict, Mapping):
        return mapping_faults(value, arguments[1], place)
    if hint is lsp.LSPObject:
        return mapping_faults(value, typing.Any, place)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return enumeration_faults(value, hint, place)
    if attrs.has(hint):
        return structure_faults(value, hint, place)
    return scalar_faults(value, hint, place)


@functools.cache
def fields(structure):
    """The fields of a generated class under the names they have on the wire."""
    hints = typing.get_type_hints(structure, vars(lsp))
    found = {}
    for attribute in attrs.fields(structure):
        name, hint = wire_name(attribute.name), hints[attribute.name]
        optional = type(None) in typing.get_args(hint)
        found[name] = Field(
            hint=without_null(hint),
            required=not optional or (structure, name) in REQUIRED_THOUGH_NULLABLE,
            nullable=optional and lsp.is_special_property(structure, attribute.name),
            attribute=attribute,
        )
    return found


def wire_name(name):
    """The name on the wire of a generated attribute: `from_ranges` is `fromRanges`."""
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(word.capitalize() for word in tail)


def without_null(hint):
    """The hint with null taken out of its choices."""
    choices = tuple(choice for choice in typing.get_args(hint) if choice is not type(None))
    if typing.get_origin(hint) not in (typing.Union, python_types.UnionType):
        return hint
    return typing.Union[choices]


def resolved(hint):
    """Follows a name to the generated type of that name."""
    name = hint.__forward_arg__ if isinstance(hint, typing.ForwardRef) else hint
    return getattr(lsp, name) if isinstance(name, str) else hint


def union_faults(value, choices, place):
    """The faults against the choice that fits best; none when one fits."""
    attempts = [faults(value, choice, place) for choice in choices]
    return [] if [] in attempts else min(attempts, key=lambda found: (len(found), is_wrong_kind(found)))


def is_wrong_kind(found):
    return any("wanted" in fault for fault in found)


def sequence_faults(value, item, place):
    if not isinstance(value, list):
        return [f"{place}: wanted a list, got {brief(value)}"]
    return [fault for index, part in enumerate(value) for fault in faults(part, item, f"{place}[{index}]")]


def tuple_faults(value, items, place):
    if not isinstance(value, list) or len(value) != len(items):
        return [f"{place}: wanted a list of {len(items)}, got {brief(value)}"]
    pairs = zip(value, items, strict=True)
    return [fault for index, (part, item) in enumerate(pairs) for fault in faults(part, item, f"{place}[{index}]")]


def mapping_faults(value, item, place):
    if not isinstance(value, dict):
        return [f"{place}: wanted an object, got {brief(value)}"]
    return [fault for key, part in value.items() for fault in faults(part, item, f"{place}.{key}")]


def enumeration_faults(value, enumeration, place):
    members = [member.value for member in enumeration]
    if not has_type(value, type(members[0])):
        return [f"{place}: wanted {enumeration.__name__}, got {brief(value)}"]
    if enumeration in OPEN_ENUMERATIONS or value in members:
        return []
    return [f"{place}: {brief(value)} is no {enumeration.__name__}"]


def structure_faults(value, structure, place):
    if not isinstance(value, dict):
        return [f"{place}: wanted {structure.__name__}, got {brief(value)}"]
    known = fields(structure)
    found = [f"{place}.{name}: not in {structure.__name__}" for name in value if name not in known]
    for name, field in known.items():
        if name in value:
            found += field_faults(value[name], field, f"{place}.{name}")
        elif field.required:
            found.append(f"{place}.{name}: missing")
    return found


def field_faults(value, field, place):
    if value is None and field.nullable:
        return []
    if value is None and resolved(field.hint) not in (typing.Any, object, type(None)):
        return [f"{place}: may be left out but not null"]
    found = faults(value, field.hint, place)
    if not found and field.attribute.validator and not isinstance(value, (dict, list)):
        try:
            field.attribute.validator(None, field.attribute, value)
        except (TypeError, ValueError) as refused:
            found.append(f"{place}: {brief(value)}: {refused}")
    return found


def scalar_faults(value, kind, place):
    if kind is float:
        fits = has_type(value, int) or has_type(value, float)
    else:
        fits = has_type(value, kind)
    return [] if fits else [f"{place}: wanted {kind.__name__}, got {brief(value)}"]


def has_type(value, kind):
    """Whether a JSON value has this type; true and false are no numbers."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def brief(value):
    return json.dumps(value)[:60]


def result_hint(response):
    """What the protocol wants as `result` in this generated response."""
    return typing.get_type_hints(response, vars(lsp))["result"]


def params_hint(request):
    """What the protocol wants as `params` in this generated message, and whether they must be there."""
    hint = typing.get_type_hints(request, vars(lsp)).get("params", type(None))
    optional = hint is type(None) or type(None) in typing.get_args(hint)
    return hint, not optional
