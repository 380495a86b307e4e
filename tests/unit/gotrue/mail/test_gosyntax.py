"""Go's template syntax as a tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotrue_compat.mail.gosyntax import (
    Branch,
    Call,
    Leave,
    Show,
    TemplateError,
    Text,
    literal,
    read,
)


def test_branches_hold_what_is_in_them():
    tree = read("a{{ if .A }}b{{ break }}{{ else with .B }}c{{ end }}")
    [before, branch, _after] = tree.nodes
    assert before == Text("a")
    assert isinstance(branch, Branch)
    assert (branch.kind, branch.words, branch.body[:2]) == (
        "if",
        (".A",),
        (Text("b"), Leave(ends=True)),
    )
    [nested] = branch.otherwise
    assert isinstance(nested, Branch)
    assert (nested.kind, nested.body) == ("with", (Text("c"),))


def test_named_templates_are_kept_and_a_block_is_called_where_it_stands():
    tree = read('{{ define "a" }}x{{ end }}{{ block "b" .C }}y{{ end }}')
    assert tree.named == {"a": (Text("x"),), "b": (Text("y"),)}
    assert Call("b", (".C",)) in tree.nodes


def test_white_space_is_trimmed_at_dashes_alone():
    texts = [
        node.text for node in read("a {{- .B -}} c {{ .D }} e").nodes if isinstance(node, Text)
    ]
    assert texts == ["a", "c ", " e"]


@pytest.mark.parametrize(
    "text",
    ["{{ if .A }}", "{{ end }}", "{{ else }}", "{{ .A", "{{ template }}", "{{ template x }}",
     '{{ define "a" }}{{ end }}{{ define "a" }}{{ end }}', "{{ range .A }}{{ else }}"],
)  # fmt: skip
def test_what_is_not_closed_or_named_is_refused(text: str):
    with pytest.raises(TemplateError):
        read(text)


def test_words_are_quoted_in_two_ways():
    assert literal(r'"a\n\"b\x"') == 'a\n"bx'
    assert literal(r"`a\n`") == r"a\n"


@given(st.text('{}- "`ifendrangewith.A|()', max_size=40))
def test_any_text_is_a_template_or_refused(text: str):
    try:
        tree = read(text)
    except TemplateError:
        return
    assert all(isinstance(node, Text | Show | Branch | Leave | Call) for node in tree.nodes)
