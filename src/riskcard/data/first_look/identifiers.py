"""Which columns number or name the rows, so that any fit to them is chance.

Texts are identifiers where most rows have one of their own. Whole numbers need more evidence, since
measurements may also differ in every row: a name such as ``id`` or ``MRN``, or values that no
measurement would have. Numbers drawn at random from a range of R have a chance of about
exp(-n (n - 1) / (2 R)) that n of them all differ, the birthday problem, and less where some values are
more likely than others. Where that chance is next to nothing, the numbers were assigned one by one.
A column such as ``patient_id`` with several rows for each of many values is an identifier as well: not
of rows, but of the people they are about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import MANY_LEVELS, FeatureValues, is_identifier
from riskcard.data.first_look.repeats import find_repeats, identifies_someone, names_someone

#: Whole numbers that all differ are identifiers where chance would do that less often than this.
LEAST_CHANCE = 1e-6
_WHOSE = "its name and its repeated values say whose rows these are"
#: Enough rows to see that most columns are not identifiers.
_FIRST_LOOK = 1000

#: Names, and last words of names, that identify rows by themselves.
_SURE = frozenset(
    [
        "id",
        "ids",
        "mrn",
        "uid",
        "uuid",
        "guid",
        "pid",
        "pk",
        "ptid",
        "patid",
        "patno",
        "subjid",
        "usubjid",
        "seqn",
        "ssn",
        "rowid",
        "rowname",
        "rownames",
        "row_names",
        "caseid",
        "recordid",
        "patientid",
        "subjectid",
        "userid",
        "customerid",
        "clientid",
        "personid",
        "sampleid",
        "accountid",
        "memberid",
        "employeeid",
        "orderid",
        "visitid",
        "studyid",
        "encounterid",
        "loanid",
        "fallid",
    ]
)
#: The same where all numbers differ: counts and measurements may have such names as well.
_LIKELY = frozenset(
    [
        "no",
        "nr",
        "num",
        "number",
        "nummer",
        "numero",
        "número",
        "numéro",
        "index",
        "idx",
        "key",
        "serial",
        "seq",
        "sequence",
        "obs",
        "row",
        "record",
        "case",
        "code",
        "lfd",
        "unnamed",
    ]
)
_LIKELY_ENDS = ("nummer", "number", "numero", "nr")
_WORDS = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that is not used.

    Attributes
    ----------
    name
        The column.
    reason
        Why it is not used: words that follow "since".
    is_sure
        Its texts or its name say what it is, not its numbers alone.
    """

    name: str
    reason: str
    is_sure: bool = True


def find_identifiers(
    features: Mapping[str, FeatureValues], are_named: bool = True
) -> tuple[LeftOut, ...]:
    """The columns that look like identifiers.

    Parameters
    ----------
    features
        From name to values and levels.
    are_named
        Whether the user named the columns; those of an array have no names, and its numbers are
        never taken for identifiers.

    Examples
    --------
    >>> numbers = np.arange(100.0)
    >>> columns = {"patient_id": 7 * numbers, "income": 100 * numbers}
    >>> found = find_identifiers({k: FeatureValues(v, None) for k, v in columns.items()})
    >>> [one.name for one in found]
    ['patient_id']
    """
    found = []
    for name, feature in features.items():
        if is_identifier(feature):
            found.append(LeftOut(name, _why_texts_identify(name, feature)))
        elif are_named and identifies_someone(name) and find_repeats({name: feature}):
            found.append(LeftOut(name, _WHOSE))
        elif feature.levels is None and are_named:
            found += _found_in(name, feature.values)
    return tuple(found)


def _why_texts_identify(name: str, feature: FeatureValues) -> str:
    """What texts that are more than half as many as rows say about them: words that follow "since"."""
    if names_someone(name) and find_repeats({name: feature}):
        return _WHOSE
    present = feature.values[~np.isnan(feature.values)]
    different, counts = np.unique(present, return_counts=True)
    if np.count_nonzero(counts == 1) > present.size / 2:
        return "most rows have a text of their own"
    return f"{present.size:,} rows have {different.size:,} different texts"


def _found_in(name: str, values: NDArray[np.float64]) -> list[LeftOut]:
    """A column of numbers that are identifiers; empty where they are not."""
    present = values[~np.isnan(values)]
    # a share of different values is at least as large among fewer rows
    some = present[:: max(1, present.size // _FIRST_LOOK)]
    if (
        present.size <= MANY_LEVELS
        or (some % 1 != 0).any()  # faster than the next question, and usually decides
        or np.unique(some).size <= some.size / 2
    ):
        return []
    different = np.unique(present)
    if different.size <= max(MANY_LEVELS, present.size / 2) or (different % 1 != 0).any():
        return []
    sure, likely = _evidence_of(name)
    all_differ = different.size == present.size
    if sure or (likely and all_differ):
        how = "all rows have" if all_differ else "most rows have"
        return [LeftOut(name, f"its name is that of an identifier and {how} a number of their own")]
    span = float(different[-1] - different[0]) + 1.0
    chance = np.exp(-present.size * (present.size - 1) / (2 * span))
    if all_differ and chance < LEAST_CHANCE:
        reason = f"its whole numbers from {different[0]:.0f} to {different[-1]:.0f} number the rows"
        return [LeftOut(name, reason, is_sure=False)]
    return []


def _evidence_of(name: str) -> tuple[bool, bool]:
    """Whether a name is surely, or likely, that of an identifier."""
    words = [word.casefold() for word in _WORDS.findall(_CAMEL.sub(" ", name))]
    if not words:
        return False, False
    whole, last = "_".join(words), words[-1]
    is_sure = last in _SURE or whole in _SURE or words[0] in ("id", "mrn", "rownames")
    is_likely = last in _LIKELY or (len(last) > 4 and last.endswith(_LIKELY_ENDS))
    return is_sure, is_likely
