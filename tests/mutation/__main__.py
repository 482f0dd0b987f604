"""Mutation testing of audit, evaluation and bounds: do the tests notice small faults?

``python tests/mutation`` puts one fault at a time into the source, runs the tests that belong to the
file, and lists the faults that no test noticed. Nothing in the working tree is changed. The choice of
faults depends on their names and ``--seed`` only. Faults that survive for a good reason are listed in
``survivors.toml``; any other survivor, or too many of them, makes the command fail.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutants import Mutant, mutants_of
from plan import SUBJECTS, Subject
from run import ROOT, Job, Outcome, Runner, preload

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = ROOT / "src" / "riskcard"
#: A mutant may take this many times as long as the tests without one, and this many seconds more.
SLOWER, LONGER = 3.0, 10.0
#: At least this share has to be noticed.
WANTED = 0.95


def main() -> int:
    options = _options()
    begun = time.monotonic()
    known = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text(encoding="utf-8"))
    preload()
    runner = Runner(options.jobs)
    subjects = [one for one in SUBJECTS if options.room in (None, one.room)]
    seconds = _baseline(runner, subjects)
    chosen = {mutant: subject for subject in subjects for mutant in _choose(subject, options)}
    jobs = {
        mutant: Job(
            "riskcard." + mutant.file.removesuffix(".py").replace("/", "."),
            mutant.source,
            subject.tests,
            subject.is_compiled,
            SLOWER * seconds[subject] + LONGER,
        )
        for mutant, subject in chosen.items()
    }
    words: dict[Mutant, str] = {}
    for mutant, outcome in runner.map(jobs):
        words[mutant] = outcome.word
        if options.verbose or outcome.word == "passed":
            _show(mutant, outcome, known)
    return _report(chosen, words, known, time.monotonic() - begun)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/mutation", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="another seed chooses other faults")
    parser.add_argument("--room", choices=sorted({one.room for one in SUBJECTS}))
    parser.add_argument("--file", help="only faults of this file, such as audit/limits.py")
    parser.add_argument("--times", type=float, default=1.0, help="more or fewer faults per file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--verbose", action="store_true", help="show faults that were noticed too")
    return parser.parse_args()


def _choose(subject: Subject, options: argparse.Namespace) -> list[Mutant]:
    chosen: list[Mutant] = []
    for file, number in subject.files.items():
        if options.file in (None, file):
            every = mutants_of(file, (PACKAGE / file).read_text(encoding="utf-8"))
            every.sort(key=lambda mutant: mutant.rank(options.seed))
            chosen += every[: round(number * options.times)]
    return chosen


def _baseline(runner: Runner, subjects: list[Subject]) -> dict[Subject, float]:
    """How long the tests of each subject take when nothing is wrong; they have to pass."""
    jobs = {one: Job(None, "", one.tests, one.is_compiled, 600.0) for one in subjects}
    seconds = {}
    for subject, outcome in runner.map(jobs):
        if outcome.word != "passed":
            raise SystemExit(
                f"Without a fault the tests of {subject.room} do not pass:\n{outcome.output}"
            )
        seconds[subject] = outcome.seconds
    return seconds


def _show(mutant: Mutant, outcome: Outcome, known: dict[str, str]) -> None:
    print(f"\n{outcome.word}: {mutant.file}, line {mutant.line}, in {mutant.function} "
          f"({outcome.seconds:.0f} s)")  # fmt: skip
    print(f"  - {mutant.old}\n  + {mutant.new}", flush=True)
    if outcome.word == "passed" and mutant.name in known:
        print(f"  why: {known[mutant.name]}", flush=True)


def _report(
    chosen: dict[Mutant, Subject], words: dict[Mutant, str], known: dict[str, str], seconds: float
) -> int:
    print(f"\n{'':20}{'tried':>8}{'killed':>8}{'survived':>10}{'explained':>11}")
    alive = [mutant for mutant, word in words.items() if word == "passed"]
    for room in [*dict.fromkeys(one.room for one in chosen.values()), None]:
        tried = [mutant for mutant, one in chosen.items() if room in (None, one.room)]
        own = [mutant for mutant in tried if mutant in alive]
        explained = sum(mutant.name in known for mutant in own)
        print(
            f"{room or 'all':20}{len(tried):8}{len(tried) - len(own):8}{len(own):10}{explained:11}"
        )
    share = 1 - len(alive) / max(1, len(chosen))
    print(f"\n{100 * share:.1f} % killed in {seconds / 60:.1f} minutes.")
    for mutant in alive:
        if mutant.name not in known:
            print(f"Not explained in survivors.toml: {mutant.name}")
    return int(share < WANTED or any(mutant.name not in known for mutant in alive))


if __name__ == "__main__":
    raise SystemExit(main())
