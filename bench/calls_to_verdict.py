"""How many model calls a verdict takes, and how often it errs: `make bench NAME=calls_to_verdict`.

Simulates suites whose mean pass rate changes by exactly −.4 … +.4 and decides every run with the program's own
procedure, for the goals `gate` and `improve` and 10 and 20 tasks. Prints the mean rounds used as a share of the fixed
design's (the exact sign-flip test once, after the rounds it needs for 90% power at the margin), error rates, coverage
at the stop, and what rules of others say of the very same trials. The last line is one JSON object.

`--table` prints the comparison with the other rules alone, as Markdown. The same seed gives the same figures, however
many processes share the work.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator

from verdict_cells import Batch, Cell, Tally, batches, count
from verdict_tables import comparison_lines, coverage_lines, price_lines, rate_lines, summary


def main() -> int:
    """Simulate, print the tables, then all of it as JSON."""
    options = _options()
    started = time.perf_counter()
    work = list(batches(runs=options.runs, null_runs=options.null_runs, seed=options.seed))
    tallies: dict[Cell, Tally] = {}
    try:
        for done, (cell, tally) in enumerate(counted(work, options.workers), start=1):
            tallies.setdefault(cell, Tally()).add(tally)
            _progress(done, len(work))
    except KeyboardInterrupt:
        print("\nstopped: nothing was measured", file=sys.stderr)
        return 130
    summed = summary(tallies)
    if options.table:
        print("\n".join(comparison_lines(summed)))
        return 0
    for lines in (price_lines(tallies), rate_lines(tallies), coverage_lines(tallies), comparison_lines(summed)):
        print("\n".join(lines), end="\n\n")
    how = {"runs": options.runs, "null_runs": options.null_runs, "seed": options.seed, "workers": options.workers}
    print(json.dumps({**summed, **how, "seconds": round(time.perf_counter() - started, 1)}))
    return 0


def counted(work: Iterable[Batch], workers: int) -> Iterator[tuple[Cell, Tally]]:
    """Yield the tally of every batch as it comes, from so many processes."""
    if workers == 1:
        yield from map(count, work)
        return
    context = multiprocessing.get_context("spawn")
    # Ctrl-C reaches the whole group; only this process answers it, and takes the pool down on the way out.
    with context.Pool(workers, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield from pool.imap_unordered(count, work)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000, help="runs at each effect of the price's grid")
    parser.add_argument("--null-runs", type=int, default=8000, help="runs where an error rate is read")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--table", action="store_true", help="print the comparison of the rules alone, as Markdown")
    options = parser.parse_args()
    if min(options.runs, options.null_runs, options.workers) < 1:
        parser.error("--runs, --null-runs and --workers are at least 1")
    return options


def _progress(done: int, of: int) -> None:
    """Say how far it is, where somebody is watching."""
    if sys.stderr.isatty():
        print(f"\r{done} of {of} batches", end="\n" if done == of else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
