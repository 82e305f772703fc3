"""Suites and configurations as they must not be, or only just may be: name of the case → bytes of the file."""

from __future__ import annotations

ONE_TASK = 'skill_id: s\nversion: "1.0"\ntasks:\n'
JUDGE = "    judge: {type: contains, expected: [x]}\n"
TASK = f"  - id: a\n    prompt: p\n{JUDGE}"


def _task(*lines: str) -> str:
    return f"{ONE_TASK}  - id: a\n    prompt: p\n" + "".join(f"    {line}\n" for line in lines)


def _laughs() -> str:
    rows = [f"{chr(97 + n)}: &{chr(97 + n)} [{', '.join([f'*{chr(96 + n)}'] * 10)}]\n" for n in range(1, 9)]
    return "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(rows)


_SUITES: dict[str, str | bytes] = {
    "empty file": "",
    "only a comment": "# nothing yet\n",
    "a list at the root": "- skill_id: s\n",
    "plain text": "please test my skill\n",
    "two documents": f"{ONE_TASK}{TASK}---\nskill_id: t\n",
    "the same key twice": f"skill_id: s\n{ONE_TASK}{TASK}",
    "aliases that expand without end": _laughs(),
    "an alias of itself": "skill_id: &a [*a]\n",
    "nested beyond measure": "skill_id: " + "[" * 500 + "]" * 500,
    "a NUL byte": f"{ONE_TASK}  - id: a\0b\n".encode(),
    "an escaped NUL in a name": f'{ONE_TASK}  - id: "a\\0b"\n    prompt: p\n{JUDGE}',
    "latin-1": f"{ONE_TASK}  - id: caf".encode() + b"\xe9\n",
    "UTF-16": (ONE_TASK + TASK).encode("utf-16"),
    "a mark at the start and CRLF (may be)": "\ufeff" + (ONE_TASK + TASK).replace("\n", "\r\n"),
    "5 MB": f"{ONE_TASK}{TASK}#" + "x" * 5_000_000,
    "a tag that would run code": f"{ONE_TASK}  - id: !!python/object/apply:os.system [ls]\n",
    "tabs": "skill_id: s\n\tversion: 1\n",
    "a colon without quotes": f"{ONE_TASK}  - id: a\n    prompt: Answer this: what: now\n",
    "no version": f"skill_id: s\ntasks:\n{TASK}",
    "version 2.0": f'skill_id: s\nversion: "2.0"\ntasks:\n{TASK}',
    "version 1": f"skill_id: s\nversion: 1\ntasks:\n{TASK}",
    "version 1.0 without quotes (may be)": f"skill_id: s\nversion: 1.0\ntasks:\n{TASK}",
    "empty skill_id": f'skill_id: ""\nversion: "1.0"\ntasks:\n{TASK}',
    "no tasks": 'skill_id: s\nversion: "1.0"\ntasks: []\n',
    "tasks as a mapping": 'skill_id: s\nversion: "1.0"\ntasks: {a: b}\n',
    "a task that is text": f"{ONE_TASK}  - do something\n",
    "ids twice": f"{ONE_TASK}{TASK}{TASK}",
    "no id and no prompt": f"{ONE_TASK}  - description: d\n{JUDGE}",
    "a blank prompt": f'{ONE_TASK}  - id: a\n    prompt: "  "\n{JUDGE}',
    "a number as id (may be)": f"{ONE_TASK}  - id: 007\n    prompt: p\n{JUDGE}",
    "ids in other scripts (may be)": f"{ONE_TASK}  - id: 报告 ✓ é\n    prompt: p\n{JUDGE}",
    "an id that turns text around": f'{ONE_TASK}  - id: "a\\u202Eb"\n    prompt: p\n{JUDGE}',
    "a very long id": f"{ONE_TASK}  - id: {'a' * 300}\n    prompt: p\n{JUDGE}",
    "a prompt beyond a megabyte": f"{ONE_TASK}  - id: a\n    prompt: {'p' * 1_000_001}\n{JUDGE}",
    "no judge": _task("description: d"),
    "judge and judges": _task("judge: {type: contains, expected: [x]}", "judges: [{type: contains, expected: [y]}]"),
    "judges that is one judge": _task("judges: {type: contains, expected: [x]}"),
    "a judge without type": _task("judge: {expected: [x]}"),
    "a judge that is text": _task("judge: contains"),
    "a mistyped judge": _task("judge: {type: containz, expected: [x]}"),
    "judges of a later version": _task("judges: [{type: pairwise}, {type: expectations}, {type: files}]"),
    "truth values and numbers as texts": _task("judge: {type: contains, expected: [yes, on, 12, 1.50, ~, 12:30:00]}"),
    "one text instead of a list": _task("judge: {type: contains, expected: x}"),
    "an empty list": _task("judge: {type: contains, expected: []}"),
    "an empty text to find (may be)": _task('judge: {type: contains, expected: [""]}'),
    "a mistyped key of a task": f"{ONE_TASK}  - id: a\n    promt: p\n{JUDGE}",
    "unknown keys (may be)": f"owner: me\n{_task('judge: {type: contains, expected: [x], case: no}', 'timeout: 3')}",
    "weights and require without effect (may be)": _task("judge: {type: contains, expected: [x], weight: 2}"),
    "NaN and infinity": _task("judge: {type: llm-rubric, rubric: r, pass_threshold: .nan}", "timeout_seconds: .inf"),
    "thresholds out of range": _task(
        "judges: [{type: llm-rubric, rubric: r, pass_threshold: 7}, {type: llm-rubric, rubric: ' ', pass_threshold: x}]"
    ),
    "negative and textual times": _task(
        "judge: {type: contains, expected: [x]}", "timeout_seconds: -30", "max_tokens: many"
    ),
    "paths that leave the folder": _task(
        "judges: [{type: pytest, test_file: ../../etc/passwd}, {type: pytest, test_file: fixtures/../../x.py}]",
        "fixture: /etc",
    ),
    "a test file elsewhere": _task("judge: {type: pytest, test_file: tests/test_a.py}"),
    "a pattern that does not compile": _task('judge: {type: regex, pattern: "a(b[c", flags: ig}'),
    "a pattern that backtracks for ever (may be)": _task('judge: {type: regex, pattern: "(a+)+$"}'),
    "a pattern nested beyond measure": _task(f"judge: {{type: regex, pattern: '{'(' * 4000}{')' * 4000}'}}"),
    "a schema that is none": _task("judge: {type: json-schema, schema: {type: objekt}}"),
    "a schema elsewhere": _task(
        'judge: {type: json-schema, schema: {properties: {a: {$ref: "https://example.org/a.json"}}}}'
    ),
    "a schema in a file": _task('judge: {type: json-schema, schema: {$ref: "file:///etc/passwd"}}'),
    "a schema that refers to nothing": _task('judge: {type: json-schema, schema: {$ref: "#/$defs/a"}}'),
    "a schema that refers to itself (may be)": _task('judge: {type: json-schema, schema: {$ref: "#"}}'),
    "a schema of another draft": _task(
        'judge: {type: json-schema, schema: {$schema: "http://json-schema.org/draft-07/schema#"}}'
    ),
    "an activation suite": f"kind: activation\n{ONE_TASK}  - {{id: a, prompt: p, should_fire: true}}\n",
    "a metric of a later version": f"metric: preference\n{ONE_TASK}{TASK}",
    "words that are near": f"kind: impcat\nmetric: scores\nuse: natrual\n{ONE_TASK}{TASK}    require: al\n",
    "a task by an alias (may be)": f"{ONE_TASK}  - &a\n    id: a\n    prompt: p\n{JUDGE}  - {{<<: *a, id: b}}\n",
    "everything at once": (
        "skill_id: [s]\nversion: 3\nmetric: best\ntasks:\n  - id: a\n  - id: a\n    prompt: 3\n    judge: {type: no}\n"
        "    tags: urgent\n    describe_only: maybe\n"
    ),
}

_CONFIGS: dict[str, str | bytes] = {
    "empty file (may be)": "",
    "only comments and empty sections (may be)": "# all defaults\nrunner:\ndesign:\n",
    "a list at the root": "[runner]\n",
    "two documents": "version: 1\n---\nversion: 1\n",
    "the same key twice": "gate: {}\ngate: {}\n",
    "aliases that expand without end": _laughs(),
    "latin-1": b"runner: {system: \xe9}\n",
    "3 MB": "#" + "x" * 3_000_000,
    "another version": "version: 2\n",
    "mistyped keys at every level": (
        "runer: {}\ndesign: {margn: 0.1}\nbudget: {max_call: 3}\nskills:\n  a: {desing: {}}\n  b: {gate: {x: 2}}\n"
        "prices:\n  m: {input: 1, ouput: 2}\ndiscovery: {includes: []}\nstate: {brnch: x}\n"
    ),
    "values out of range": (
        "design: {margin: 1.5, alpha: 0, rounds: 21, pass_k: 0, concurrency: -1, seed: 1.5, task_timeout_seconds: 0}\n"
    ),
    "values of another kind": (
        'design: {rounds: "5", sequential: "yes", margin: big}\nrunner: {model: 4, sampling: [1]}\ngate: fail\n'
        "skills: [a]\nprices: {m: 3}\n"
    ),
    "NaN": "design: {margin: .nan}\nbudget: {max_cost_usd: .inf}\n",
    "words that are near": (
        "design: {goal: improv, against: base}\ngate: {inconclusive: failed}\nrunner: {provider: antropic}\n"
    ),
    "a folder outside": "suites: ../suites\nskills: {a: {suite: /etc}}\nstate: {branch: '--force'}\n",
    "sampling that is none": "runner: {sampling: {temprature: 0}}\njudge: {sampling: {top_k: .inf}}\n",
    "overrides that do not fit": (
        "skills:\n  a: {runner: {max_turns: 0}}\n  b: {design: [1]}\n  c: {judge: {provider: local, model: m}}\n"
    ),
    "the embedded model with a name": "runner: {provider: local, model: big}\n",
    "the embedded model with listed skills": "runner: {model: local, offer: listed}\n",
    "a price without output": "prices: {m: {input: 3}}\n",
    "a negative price": "prices: {m: {input: -3, output: 1}}\n",
}


def _raw(table: dict[str, str | bytes]) -> dict[str, bytes]:
    return {name: text if isinstance(text, bytes) else text.encode() for name, text in table.items()}


SUITES = _raw(_SUITES)
CONFIGS = _raw(_CONFIGS)
MAY_BE = "(may be)"
"""Ends the names of the cases that are read."""
