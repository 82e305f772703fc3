"""A skill's identity."""

from __future__ import annotations

import hashlib
import json

from fakes import bundle
from skilldelta.diff.tree_hash import made_of, tree_hash
from skilldelta.domain.skill import TreeEntry


def _entry(path: str, oid: str = "a", mode: str = "100644") -> TreeEntry:
    return TreeEntry.model_validate({"path": path, "mode": mode, "oid": oid * 40, "size": 1})


def test_the_hash_is_the_documented_one() -> None:
    """SHA-256 of the canonical JSON of the sorted (path, mode, blob id), as the decision record spells out."""
    entries = [_entry("skills/a/b"), _entry("skills/a/SKILL.md", "c", "100755")]
    listed = [[["SKILL.md", "100755", "c" * 40], ["b", "100644", "a" * 40]]]
    written = json.dumps(listed, separators=(",", ":")).encode()
    assert tree_hash("skills/a", entries) == hashlib.sha256(written).hexdigest()


def test_the_same_content_anywhere_is_the_same_skill() -> None:
    """Neither the folder nor the order of the listing matters."""
    here = tree_hash("skills/a", [_entry("skills/a/x"), _entry("skills/a/y")])
    assert here == tree_hash("b", [_entry("b/y"), _entry("b/x")]) == tree_hash(".", [_entry("x"), _entry("y")])


def test_path_mode_and_content_each_change_it() -> None:
    """A rename within the skill, a mode and a byte make another skill."""
    hashes = {
        tree_hash("a", [_entry("a/x")]),
        tree_hash("a", [_entry("a/y")]),
        tree_hash("a", [_entry("a/x", mode="100755")]),
        tree_hash("a", [_entry("a/x", "b")]),
        tree_hash("a", [_entry("a/x"), _entry("a/y")]),
    }
    assert len(hashes) == 5


def test_what_is_made_of_a_skill_has_the_hash_of_what_was_made() -> None:
    """Other words, another file or another way are another skill; the same ones are the same."""
    real = bundle("old", files={"a.md": "text"})
    made = real.model_copy(update={"body": "other"})
    more = made.model_copy(update={"files": (*real.files, *bundle(files={"b.bin": None}).files)})
    hashes = [real.tree_hash, *(made_of(real, one, how).tree_hash for one in (real, made, more) for how in ("x", "y"))]
    assert len(set(hashes)) == 7
    assert made_of(real, made, "x").tree_hash == hashes[3]
    assert made_of(real.model_copy(update={"tree_hash": "z"}), made, "x").tree_hash not in hashes
