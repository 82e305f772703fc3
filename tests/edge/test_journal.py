"""What a journal promises: flushed before it counts, whole lines or none, one writer, no secrets, little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from skilldelta.domain.judgment import Judgment
from skilldelta.domain.trial import Arm, Outcome, TrialKey, TrialStatus, Usage
from skilldelta.edges.journal import FileJournal, open_journal, read_journal
from skilldelta.errors import CannotWrite, RunBusy, RunMismatch

AT = "2026-01-02T03:04:05Z"


def key_of(number: int) -> TrialKey:
    """Return the key of some trial."""
    return TrialKey(skill_id="a", task_id=f"t{number}", arm=Arm.CANDIDATE, round=1, attempt=1, key=f"{number:064x}")


def answer(text: str = "yes") -> Outcome:
    """Return an outcome with a text."""
    return Outcome(status=TrialStatus.ANSWERED, text=text, usage=Usage(input_tokens=3, requests=1), model="m")


def started(folder: Path, *secrets: str) -> FileJournal:
    """Return a journal in which an invocation has begun."""
    journal = open_journal(folder, secrets=[SecretStr(secret) for secret in secrets])
    journal.begin("identity", AT)
    return journal


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return the events of a journal's file."""
    return [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()]


def test_what_counts_is_on_its_way_to_the_disk(tmp_path: Path) -> None:
    """As soon as a call of the journal returns, another process can read the event from the file."""
    journal = started(tmp_path)
    journal.sent("k", 0.5)
    assert lines(tmp_path)[-1] == {"t": "sent", "key": "k", "usd": 0.5}
    journal.record_outcome(key_of(1), answer("ü\n\u2028\0"))
    assert lines(tmp_path)[-1]["outcome"]["text"] == "ü\n\u2028\0"
    journal.record_judgment("j", key_of(1), Judgment(judge=0, type="contains", passed=True))
    assert lines(tmp_path)[-1]["judgment"]["passed"] is True
    assert [event["t"] for event in lines(tmp_path)] == ["run", "session", "sent", "trial", "judgment"]
    journal.close()


def test_what_was_recorded_is_read_back(tmp_path: Path) -> None:
    """The same invocation and a later one read equal values; what is not there is None."""
    judgment = Judgment(judge=0, type="llm-rubric", score=0.25, raw_replies=("{}",), rationale="ß")
    journal = started(tmp_path)
    journal.record_outcome(key_of(1), answer())
    journal.record_judgment("j", key_of(1), judgment)
    journal.close()
    for one in (open_journal(tmp_path), read_journal(tmp_path)):
        assert one.outcome(key_of(1).key) == answer()
        assert one.judgment("j") == judgment
        assert one.outcome(key_of(1).key) is not None
        assert one.outcome("other") is None
        assert one.judgment("other") is None
        assert (one.identity, one.sessions) == ("identity", 1)
        one.close()
        one.close()


@pytest.mark.parametrize("kept", [1, 5, 40])
def test_a_torn_last_line(tmp_path: Path, kept: int) -> None:
    """A line without its end counts for nothing, and the next event stands on a line of its own."""
    journal = started(tmp_path)
    journal.record_outcome(key_of(1), answer())
    journal.record_outcome(key_of(2), answer("a" * 200))
    journal.close()
    path = tmp_path / "journal.jsonl"
    last = path.read_bytes().splitlines()[-1]
    os.truncate(path, path.stat().st_size - len(last) - 1 + kept)
    reading = read_journal(tmp_path)
    assert reading.outcome(key_of(2).key) is None
    reading.close()
    journal = started(tmp_path)
    assert journal.outcome(key_of(1).key) == answer()
    assert journal.outcome(key_of(2).key) is None
    journal.record_outcome(key_of(2), answer("again"))
    assert journal.outcome(key_of(2).key) == answer("again")
    journal.close()
    assert [event["t"] for event in lines(tmp_path)] == ["run", "session", "trial", "session", "trial"]


def test_opening_writes_nothing(tmp_path: Path) -> None:
    """Before an invocation begins the file stays as it is, torn end included: it may belong to another run."""
    started(tmp_path).close()
    path = tmp_path / "journal.jsonl"
    path.write_bytes(path.read_bytes() + b'{"t":"se')
    before = path.read_bytes()
    open_journal(tmp_path).close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["one line of somebody else's", '{"t":"ran', "\0" * 50])
def test_a_file_of_somebody_else(tmp_path: Path, text: str) -> None:
    """A single line without an end is taken for a torn header only where it is the beginning of one."""
    path = tmp_path / "journal.jsonl"
    path.write_text(text)
    with pytest.raises(RunMismatch, match="is not a journal"):
        open_journal(tmp_path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "line", ["x", "[1]", '{"t":"trial","key":"k"}', '{"t":"run","format":2,"identity":"i"}', "[" * 9999]
)
def test_a_whole_line_that_is_no_event(tmp_path: Path, line: str) -> None:
    """A line with an end that is no event is refused by its number, in words."""
    started(tmp_path).close()
    path = tmp_path / "journal.jsonl"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(RunMismatch, match="line 3 is not an event of a journal"):
        open_journal(tmp_path)


def test_the_first_of_two_counts(tmp_path: Path) -> None:
    """An outcome or judgment that is recorded again changes nothing, now and after a restart."""
    journal = started(tmp_path)
    for text in ("first", "second"):
        journal.record_outcome(key_of(1), answer(text))
        journal.record_judgment("j", key_of(1), Judgment(judge=0, type="contains", rationale=text))
    for _ in range(2):
        first = journal.outcome(key_of(1).key)
        judged = journal.judgment("j")
        assert first is not None
        assert judged is not None
        assert (first.text, judged.rationale) == ("first", "first")
        journal.close()
        journal = open_journal(tmp_path)
    journal.close()


def test_lost_calls_of_several_invocations(tmp_path: Path) -> None:
    """Every call that was sent and has no result is lost once, however often its trial was tried again."""
    first = started(tmp_path)
    for key, usd in (("a", 0.1), ("a", 0.2), ("b", 0.4), (key_of(7).key, 0.8)):
        first.sent(key, usd)
    first.record_outcome(key_of(7), answer())
    assert list(first.lost()) == []
    first.close()
    second = started(tmp_path)
    assert list(second.lost()) == [0.1, 0.2, 0.4]
    second.sent("b", 1.6)
    second.sent("a", 3.2)
    second.record_judgment("a", key_of(7), Judgment(judge=0, type="llm-rubric"))
    second.close()
    third = started(tmp_path)
    assert sorted(third.lost()) == [0.1, 0.2, 0.4, 1.6]
    assert third.sessions == 3
    third.close()


@pytest.mark.parametrize("secret", ["judgment", "rationale", "duration_ms"])
def test_a_secret_that_is_one_of_our_words_breaks_nothing(tmp_path: Path, secret: str) -> None:
    """Only texts are redacted: a key that happens to be the name of a field leaves the journal readable."""
    journal = started(tmp_path, secret)
    journal.record_outcome(key_of(1), answer(f"it is {secret}"))
    journal.record_judgment("j", key_of(1), Judgment(judge=0, type="t", rationale=secret))
    journal.close()
    again = read_journal(tmp_path)
    outcome, judgment = again.outcome(key_of(1).key), again.judgment("j")
    assert outcome is not None
    assert judgment is not None
    assert (outcome.text, judgment.rationale) == ("it is [secret]", "[secret]")
    again.close()


@pytest.mark.parametrize("how", ["removed", "shortened", "replaced", "folder removed"])
def test_a_journal_that_somebody_took_away_is_no_record(tmp_path: Path, how: str) -> None:
    """A run whose journal was touched while it was written does not end as if its evidence were there."""
    folder = tmp_path / "run"
    journal = started(folder)
    journal.record_outcome(key_of(1), answer("yes"))
    journal.require_whole()
    path = folder / "journal.jsonl"
    if how == "shortened":
        path.write_bytes(b"")
    else:
        path.unlink()
    if how == "replaced":
        path.write_bytes(b"{}")
    if how == "folder removed":
        folder.rmdir()
    with pytest.raises(CannotWrite, match="removed or changed while the run was going"):
        journal.require_whole()
    journal.close()


def test_secrets_stay_out(tmp_path: Path) -> None:
    """A key is replaced wherever it stands, as it is or as JSON writes it; what is too short to be one is not."""
    secret, odd = "canary-0123456789", 'quo"te\\back-é-123'
    journal = started(tmp_path, secret, odd, "short", "")
    journal.record_outcome(key_of(1), answer(f"it is {secret}, {odd} and short"))
    journal.record_judgment("j", key_of(1), Judgment(judge=0, type="t", failure=secret, raw_replies=(f'"{odd}"',)))
    outcome, judgment = journal.outcome(key_of(1).key), journal.judgment("j")
    assert outcome is not None
    assert judgment is not None
    assert outcome.text == "it is [secret], [secret] and short"
    assert (judgment.failure, judgment.raw_replies) == ("[secret]", ('"[secret]"',))
    assert secret.encode() not in (tmp_path / "journal.jsonl").read_bytes()
    journal.close()


def test_one_writer(tmp_path: Path) -> None:
    """A second writer is refused while the first lives; readers are not."""
    journal = started(tmp_path)
    with pytest.raises(RunBusy):
        open_journal(tmp_path)
    read_journal(tmp_path).close()
    journal.close()
    open_journal(tmp_path).close()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A journal that is a symbolic link is refused, and what it points at stays as it is."""
    other = tmp_path / "precious"
    other.write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/journal.jsonl").symlink_to(other)
    with pytest.raises(CannotWrite, match="cannot be used"):
        open_journal(tmp_path / "run")
    assert other.read_text() == "mine"


def test_what_is_no_file(tmp_path: Path) -> None:
    """A folder, a pipe, and a run's folder that is a file are refused in words."""
    (tmp_path / "folder/journal.jsonl").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe/journal.jsonl")
    (tmp_path / "file").touch()
    for name in ("folder", "pipe", "file"):
        with pytest.raises(CannotWrite):
            open_journal(tmp_path / name)
    with pytest.raises(RunMismatch, match="there is no journal here"):
        read_journal(tmp_path / "nowhere")


def test_long_lines(tmp_path: Path) -> None:
    """Answers of megabytes are read back whole, from wherever they stand."""
    texts = {1: "x" * 3_000_000, 2: "short", 3: "\0ä" * 700_000}
    journal = started(tmp_path)
    for number, text in texts.items():
        journal.record_outcome(key_of(number), answer(text))
    journal.close()
    journal = open_journal(tmp_path)
    for number, text in texts.items():
        assert journal.outcome(key_of(number).key) == answer(text)
    journal.close()


def test_half_a_surrogate_pair(tmp_path: Path) -> None:
    """What no text can hold becomes a question mark instead of an error."""
    journal = started(tmp_path)
    journal.record_outcome(key_of(1), answer("a\ud800b"))
    assert journal.outcome(key_of(1).key) == answer("a?b")
    journal.close()


BIG = """
import json, sys, time
from pathlib import Path
from skilldelta.edges.journal import read_journal
def highest():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
used, before = time.process_time(), highest()
journal = read_journal(Path(sys.argv[1]))
used, peak = time.process_time() - used, highest() - before
assert journal.outcome("f" * 60 + "0001") is not None and len(list(journal.lost())) == 1
print(json.dumps([used, peak / 1024]))
"""


def test_a_hundred_thousand_events(tmp_path: Path) -> None:
    """They load in seconds and in memory for their keys, not for their texts (here 75 MB of them)."""
    rows = [
        '{"t":"run","format":1,"identity":"i"}',
        '{"t":"session","number":1,"at":"x"}',
        '{"t":"sent","key":"l","usd":0}',
    ]
    outcome = answer("word " * 300).model_dump_json()
    key = key_of(1).model_copy(update={"key": "KEY"}).model_dump_json()
    for number in range(50_000):
        name = f"{number:04x}".rjust(64, "f")
        rows.append(f'{{"t":"sent","key":"{name}","usd":0.001}}')
        rows.append(f'{{"t":"trial","key":{key.replace("KEY", name)},"outcome":{outcome}}}')
    (tmp_path / "journal.jsonl").write_text("\n".join(rows) + "\n")
    done = subprocess.run([sys.executable, "-c", BIG, str(tmp_path)], capture_output=True, check=True, timeout=60)
    seconds, megabytes = json.loads(done.stdout)
    assert seconds < 6
    assert megabytes < 40


FULL = """
import resource, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from edge.test_journal import answer, key_of, started
from skilldelta.errors import CannotWrite
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
journal = started(Path(sys.argv[1]))
journal.record_outcome(key_of(1), answer("a" * 15_000))
for number in (2, 3):
    try:
        journal.record_outcome(key_of(number), answer("b" * 6_000))
    except CannotWrite as error:
        print(error, error.exit_code)
journal.record_outcome(key_of(4), answer("c"))
journal.close()
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """What does not fit is an error in words, exit 2, leaves no half of a line, and nothing before it is lost."""
    tests = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), str(tests)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.count("the journal cannot be written: File too large") == 2
    assert done.stdout.splitlines()[1] == "  fix: free some space, resume 2"
    journal = started(tmp_path)
    assert [journal.outcome(key_of(number).key) is not None for number in (1, 2, 3, 4)] == [True, False, False, True]
    journal.close()
