"""The model server's own process: `python -P -m skilldelta.edges.local_model_process`, started by LocalModelServer.

It reads its settings as one line of JSON on standard input (so that the key is in no argument list and no environment),
answers `READY http://127.0.0.1:PORT` on standard output, and ends when standard input does or its parent is gone.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from pathlib import Path
from typing import Any

PARENT_POLL_SECONDS = 1.0


def main() -> int:
    """Serve until the parent is gone or a signal arrives; 1 when the engine does not start."""
    parent = os.getppid()
    settings = json.loads(_first_line())
    # What the engine prints to standard output must not be taken for our one line: it goes to standard error.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    watch = threading.Thread(target=_watch_parent, args=(parent,), daemon=True)
    watch.start()
    try:
        server = _serve(settings)
    except (ImportError, RuntimeError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)  # noqa: T201 - read by the parent
        return 1
    answer.write(f"READY {server.listening_address}\n")
    answer.close()
    watch.join()
    return 0


def _first_line() -> bytes:
    # Byte by byte, unbuffered: whatever follows belongs to the watch.
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return bytes(line)


def _watch_parent(parent: int) -> None:
    """End this process when standard input ends, or (somebody else may hold its other end) when the parent changes.

    PR_SET_PDEATHSIG would be simpler, but it fires when the *thread* that started us ends.
    """
    while os.getppid() == parent:
        ready, _, _ = select.select([0], [], [], PARENT_POLL_SECONDS)
        if ready and not os.read(0, 4096):
            break
    os._exit(0)


def _serve(settings: dict[str, Any]) -> Any:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")  # read once, when the engine is loaded
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["weights"]
    parameters.model_alias = {settings["model_name"]}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = settings["port"]
    parameters.api_keys = [settings["api_key"]]
    parameters.n_parallel = settings["slots"]
    parameters.n_ctx = settings["context_tokens"] * settings["slots"]
    threads = min(2, len(os.sched_getaffinity(0)))
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.chat_template = Path(__file__).with_name("local_model.jinja").read_text(encoding="utf-8")
    parameters.use_jinja = True
    # One paragraph an answer: without the empty line as a stop this model rambles on, and loses its form.
    parameters.antiprompt = ["\nUser:", "\n\n"]
    parameters.cache_ram_mib = 256
    parameters.ui = False
    parameters.endpoint_slots = False  # it would show the prompts in flight
    parameters.verbosity = 2  # warnings and errors
    return xllamacpp.Server(parameters)


if __name__ == "__main__":
    sys.exit(main())
