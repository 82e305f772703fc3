"""A git repository read through plumbing alone: commits, trees and blobs; nothing in it is run or changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..domain.skill import TreeEntry
from ..errors import GitProblem, NoRepository
from .git_command import Answer, ask_git
from .git_records import contents, is_in, path_of, shown, sized_entry, unsized_entry

_LISTING = 256 * 1024 * 1024
"""Bytes of a tree listing: about two million files."""
_BLOBS = 256 * 1024 * 1024
"""Bytes of all blobs read by one call."""
_STATUS = 8 * 1024 * 1024
_FOLDERS = 200
"""git compares every path with every folder it is given; beyond this many, the whole tree is listed at once."""


class GitRepository:
    """One repository on disk, bare or with a work tree; every method reads objects, never files of the work tree."""

    def __init__(self, *, git_dir: Path, root: Path | None) -> None:
        self.git_dir = git_dir
        self.root = root
        """Top of the work tree; None in a bare repository."""

    @classmethod
    def open(cls, path: Path) -> GitRepository:
        """Return the repository that `path` (a folder, at any depth) is in.

        Raises GitProblem: no such folder, not a repository, owned by somebody else, git missing.
        """
        try:
            exists = path.is_dir()
        except OSError as error:
            raise GitProblem(f"the folder cannot be opened: {error.strerror}", where=str(path)[:200]) from None
        if not exists:
            raise GitProblem("there is no such folder", where=str(path), fix="name the repository's folder with --repo")
        found = ask_git(path, "rev-parse", "--is-inside-work-tree", "--absolute-git-dir")
        if found.code != 0:
            raise _cannot_open(found.errors, path)
        inside, git_dir = os.fsdecode(found.output).rstrip("\n").split("\n", 1)
        root = None
        if inside == "true":
            top = ask_git(path, "rev-parse", "--show-toplevel")
            root = Path(os.fsdecode(top.output).rstrip("\n"))
        return cls(git_dir=Path(git_dir), root=root)

    @property
    def place(self) -> str:
        """The folder a person knows the repository by."""
        return str(self.root or self.git_dir)

    @property
    def is_shallow(self) -> bool:
        """True when the clone's history is cut off."""
        return self._ask("rev-parse", "--is-shallow-repository").output.strip() == b"true"

    def resolve(self, ref: str) -> str:
        """Return the commit (40 or 64 hex digits) that `ref` names; GitProblem says why it names none."""
        if not ref.strip() or ref.startswith("-") or re.search(r"[\0-\x1f\x7f]", ref) or len(ref) > 1000:
            raise GitProblem(
                f"{ref[:100]!r} cannot be the name of a commit",
                fix="name a branch, a tag or a commit, like `main` or `HEAD`",
            )
        answer = self._ask("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
        commit = answer.output.decode("ascii", "replace").strip()
        if answer.code == 0 and re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", commit):  # `^main` is answered with a sign
            return commit
        raise self._unknown(ref, answer.errors)

    def checked_out(self) -> str | None:
        """Return the commit of HEAD; None while its branch has none."""
        answer = self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return answer.output.decode().strip() if answer.code == 0 else None

    def parents(self, commit: str) -> tuple[str, ...]:
        """Return the commit's parents in their order; empty for a root commit or where a shallow clone ends."""
        return tuple(self._expect("rev-parse", f"{commit}^@").decode().split())

    def merge_base(self, one: str, other: str) -> str:
        """Return the best common ancestor of two commits; GitProblem says whether history is missing or unrelated."""
        answer = self._ask("merge-base", one, other)
        if answer.code == 0 and answer.output:
            return answer.output.decode().split()[0]
        if answer.code not in (0, 1):
            raise self._failed("merge-base", answer)
        if self.is_shallow:
            raise GitProblem(
                f"this shallow clone does not reach the commit that {one[:12]} and {other[:12]} have in common",
                where=self.place,
                fix="run `git fetch --unshallow`, or set `fetch-depth: 0` for actions/checkout",
            )
        raise GitProblem(
            f"{one[:12]} and {other[:12]} have no commit in common: their histories are unrelated",
            where=self.place,
            fix="compare with a ref that the change was branched from",
        )

    def landmarks(self, commit: str) -> tuple[TreeEntry, ...]:
        """Return the entries that tell where skills are: each SKILL.md (in any spelling), symlink and submodule.

        Their sizes are not looked up (0), so that a tree of a hundred thousand files costs next to nothing.
        """
        listing = self._expect("ls-tree", "-r", "-z", "--full-tree", commit, limit=_LISTING)
        return tuple(
            unsized_entry(record)
            for record in listing.split(b"\0")
            if record.startswith((b"12", b"16")) or record[-9:].lower() in (b"/skill.md", b"\tskill.md")
        )

    def tree(self, commit: str, folders: Sequence[str] = ()) -> tuple[TreeEntry, ...]:
        """Return every file, symlink and submodule of a commit, in git's order; only those in `folders`, when given.

        A folder is named from the repository's root; the name of a single file does as well.
        """
        everything = not folders or "." in folders
        named = () if everything or len(folders) > _FOLDERS else ("--", *folders)
        listing = self._expect("ls-tree", "-r", "-z", "-l", "--full-tree", commit, *named, limit=_LISTING)
        records: Iterable[bytes] = filter(None, listing.split(b"\0"))
        if not everything and not named:
            wanted = set(folders)
            records = (record for record in records if is_in(path_of(record), wanted))
        return tuple(sized_entry(record) for record in records)

    def blobs(self, oids: Iterable[str], *, limit: int) -> dict[str, bytes | None]:
        """Return the content of each blob; None for one of more than `limit` bytes, which is not read at all.

        Raises GitProblem for an object that is missing (a partial clone), and beyond 256 MiB in all.
        """
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return {}
        small, total = [], 0
        for oid, size in self._sizes(wanted).items():
            if size <= limit:
                small.append(oid)
                total += size
        if total > _BLOBS:
            raise GitProblem(f"{total:,} bytes of skills are more than the {_BLOBS:,} that are read", where=self.place)
        result: dict[str, bytes | None] = dict.fromkeys(wanted)
        if small:
            room = total + 200 * len(small)
            data = self._expect("cat-file", "--batch", feed="".join(f"{oid}\n" for oid in small).encode(), limit=room)
            result.update(contents(data))
        return result

    def blob(self, oid: str, *, limit: int) -> bytes | None:
        """Return one blob's content; None when it has more than `limit` bytes."""
        return self.blobs([oid], limit=limit)[oid]

    def read(self, commit: str, path: str, *, limit: int) -> bytes | None:
        """Return the content of a file at a commit; None when there is no such file there.

        Raises GitProblem when it has more than `limit` bytes, or is a link.
        """
        for found in self.tree(commit, [path]):
            if found.path == path and not found.is_file:
                raise GitProblem("is a link or a submodule", where=path, fix="make it an ordinary file")
            if found.path == path:
                content = self.blob(found.oid, limit=limit)
                if content is None:
                    raise GitProblem(f"the file has {found.size:,} bytes; at most {limit:,} are read", where=path)
                return content
        return None

    def renamed_files(self, base: str, head: str, paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return (old path, new path) of the files among `paths` that git takes for renamed between two commits."""
        options = ("-r", "-z", "-M50%", "-l1000", "--diff-filter=R", "--no-ext-diff", "--no-textconv")
        found = self._expect("diff-tree", *options, base, head, "--", *paths, limit=_STATUS)
        fields = found.split(b"\0")[:-1]
        return tuple((shown(old), shown(new)) for old, new in zip(fields[1::3], fields[2::3], strict=True))

    def tracked(self, place: str) -> tuple[str, ...]:
        """Return what git tracks at or below `place` (from the root): in the index, and at HEAD."""
        commit = self.checked_out()
        committed = {entry.path for entry in self.tree(commit, [place])} if commit else set()
        listing = self._expect("ls-files", "-z", "--cached", "--", place, limit=_LISTING)
        return tuple(sorted({shown(record) for record in listing.split(b"\0") if record} | committed))

    def uncommitted(self) -> tuple[str, ...]:
        """Return the paths that differ between HEAD, the index and the work tree, untracked files among them.

        Empty for a bare repository. Filters are off, so that none of them is run.
        """
        if self.root is None:
            return ()
        options = ("--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames")
        answer = ask_git(self.root, *self._without_filters(), "status", *options, limit=_STATUS)
        if answer.code != 0 and not answer.cut:
            raise self._failed("status", answer)
        records = answer.output.split(b"\0")[:-1]
        return tuple(shown(record[3:]) for record in records)

    def merge_in_progress(self) -> bool:
        """Return True while a merge has been started and not committed."""
        return (self.git_dir / "MERGE_HEAD").exists()

    def _without_filters(self) -> tuple[str, ...]:
        answer = self._ask("config", "--null", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process|required)$")
        names = {name for name in os.fsdecode(answer.output).split("\0") if name}
        if any("=" in name for name in names):  # `-c` has no way to write such a name
            raise GitProblem(
                "a filter of this repository has a `=` in its name", fix="rename it in git's configuration"
            )
        return tuple(
            word for name in sorted(names) for word in ("-c", f"{name}={'false' if name.endswith('.required') else ''}")
        )

    def _sizes(self, oids: Sequence[str]) -> dict[str, int]:
        feed = "".join(f"{oid}\n" for oid in oids).encode()
        answer = self._expect("cat-file", "--batch-check", feed=feed, limit=200 * len(oids) + 4096)
        sizes = {}
        for line in answer.decode().splitlines():
            oid, kind, *rest = line.split()
            if kind != "blob":
                raise self._missing(f"the object {oid} is missing from this clone")
            sizes[oid] = int(rest[0])
        return sizes

    def _ask(self, *arguments: str, feed: bytes = b"", limit: int = 1024 * 1024) -> Answer:
        return ask_git(self.root or self.git_dir, *arguments, feed=feed, limit=limit, timeout=60)

    def _expect(self, *arguments: str, feed: bytes = b"", limit: int = 1024 * 1024) -> bytes:
        answer = self._ask(*arguments, feed=feed, limit=limit)
        if answer.cut:
            raise GitProblem(f"git {arguments[0]} wrote more than {limit:,} bytes", where=self.place)
        if answer.code != 0:
            raise self._failed(arguments[0], answer)
        return answer.output

    def _missing(self, what: str) -> GitProblem:
        partial = self._ask("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$").code == 0
        if not partial:
            return GitProblem(what, where=self.place, fix="run `git fsck` to see what is damaged")
        fix = "clone without --filter (for actions/checkout: without `filter`)"
        return GitProblem(f"{what}; it is a partial clone", where=self.place, fix=fix)

    def _failed(self, verb: str, answer: Answer) -> GitProblem:
        if "lazy fetching" in answer.errors or "promisor" in answer.errors or "not get object" in answer.errors:
            return self._missing("objects that are needed are missing from this clone")
        said = next(iter(answer.errors.strip().splitlines()), f"exit code {answer.code}")
        return GitProblem(f"git {verb} failed: {said}", where=self.place, fix="run `git fsck` to see what is damaged")

    def _unknown(self, ref: str, errors: str) -> GitProblem:
        """Say why `ref` names no commit, from what git said and from the state of the clone."""
        branch = self._ask("symbolic-ref", "--quiet", "HEAD").output.decode("utf-8", "backslashreplace").strip()
        short = branch.removeprefix("refs/heads/")
        if branch and ref in ("HEAD", "@", short, branch):
            born = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", branch)
            if born.code != 0:
                what = f"the branch {short!r} has no commit yet"
                return GitProblem(what, where=self.place, fix="commit something first")
        if "ambiguous" in errors:
            what = f"{ref!r} is short for several objects"
            return GitProblem(what, where=self.place, fix="write more of its digits")
        what = f"there is no commit called {ref!r} here"
        remote = f"refs/remotes/origin/{ref}^{{commit}}"
        if self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", remote).code == 0:
            return GitProblem(what, where=self.place, fix=f"write `origin/{ref}`")
        if self.is_shallow:
            fix = f"the clone is shallow: run `git fetch origin {ref}`, or set `fetch-depth: 0` for actions/checkout"
            return GitProblem(what, where=self.place, fix=fix)
        return GitProblem(what, where=self.place, fix=f"fetch it (`git fetch origin {ref}`), or look for its spelling")


def _cannot_open(errors: str, path: Path) -> GitProblem:
    owner = re.search(r"dubious ownership in repository at '(.*?)'", errors)
    if owner:
        return GitProblem(
            "git does not trust this repository, because its folder belongs to another user",
            where=str(path),
            fix=f"git config --global --add safe.directory {owner[1]}",
        )
    if "not a git repository" in errors:
        fix = "name one with --repo, or run `git init`"
        return NoRepository("this is not a git repository", where=str(path), fix=fix)
    said = next(iter(errors.strip().splitlines()), "no reason given")
    return GitProblem(f"git cannot open the repository: {said}", where=str(path))
