"""Printed trees of nodes, read."""

from __future__ import annotations

import pytest

from compat_stack.schema_types.node_tree import BrokenTreeError, items, node, number, read_tree


def test_a_node_has_its_type_and_the_first_value_of_each_field():
    tree = read_tree(r"({QUERY :kind 1 :none <> :empty :const 4 [ 1 0 ] :name we\ ird \(a\)})")
    assert node(items(tree)[0], "QUERY") == {
        "kind": "1", "none": None, "empty": None, "const": "4", "name": "we ird",
    }  # fmt: skip
    assert node(items(tree)[0], "VAR") is None


def test_lists_are_of_nodes_of_words_and_of_numbers():
    tree = node(read_tree('{A :nodes ({B :x 1} <>) :words ("i" "x") :numbers (i 1 2)}'), "A")
    assert tree is not None
    assert [node(each, "B") for each in items(tree["nodes"])] == [{"x": "1"}, None]
    assert items(tree["words"]) == ['"i"', '"x"']
    assert [number(each) for each in items(tree["numbers"])] == [1, 2]
    assert items(None) == []
    assert number("-1") == -1


@pytest.mark.parametrize("text", ["", "{A", "(a", "a)", "{A :x (1}", "a b"])
def test_what_is_no_tree_is_refused(text: str):
    with pytest.raises(BrokenTreeError):
        read_tree(text)
