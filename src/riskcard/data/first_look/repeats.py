"""Columns that name persons or things with several rows each: such rows are not independent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from riskcard.data.columns import FeatureValues

#: Fewer different values are groups that a card may well tell apart, such as the arms of a trial.
FEWEST_VALUES = 10
#: With fewer rows per value, some rows may just be entered twice.
ROWS_PER_VALUE = 1.2

#: Whole names that stand for a person.
_NAMES = frozenset(["mrn", "patid", "patno", "ptid", "subjid", "usubjid", "seqn", "ssn", "pid"])
#: Whose rows belong together; in compounds such as patient_id, PatientNumber or subject.
_WHO = (
    "patient", "subject", "person", "participant", "proband", "respondent", "household", "family",
    "customer", "client", "kunde", "borrower", "applicant", "account", "member", "user", "employee",
    "student", "pupil", "animal",
)  # fmt: skip
_NAME = re.compile(rf"(?:{'|'.join(_WHO)})s?[\W_]*(?:id|ids|no|nr|num|number|nummer|key|code)?")

#: The same without names that a count may have as well, such as accounts or the number of a household.
_IDENTIFIER = re.compile(rf"(?:{'|'.join(_WHO)})[\W_]*(?:id|ids|nr|no|nummer|key)")


@dataclass(frozen=True, slots=True)
class Repeat:
    """A column that names whose rows these are.

    Attributes
    ----------
    name
        The column.
    values
        The number of its different values, which is smaller than that of the rows.
    """

    name: str
    values: int


def names_someone(name: str) -> bool:
    """Whether the name of a column suggests that it says whose rows these are."""
    word = name.casefold().strip()
    return word in _NAMES or _NAME.fullmatch(word) is not None


def identifies_someone(name: str) -> bool:
    """Whether the name of a column leaves no doubt that it says whose rows these are."""
    word = name.casefold().strip()
    return word in _NAMES or _IDENTIFIER.fullmatch(word) is not None


def find_repeats(features: Mapping[str, FeatureValues]) -> tuple[Repeat, ...]:
    """The columns that say whose rows these are, where one person or thing has several rows.

    Examples
    --------
    >>> patients = FeatureValues(np.repeat(np.arange(60.0), 8), None)
    >>> find_repeats({"patient_id": patients, "age": patients})
    (Repeat(name='patient_id', values=60),)
    """
    found = []
    for name, feature in features.items():
        if not names_someone(name):
            continue
        present = feature.values[~np.isnan(feature.values)]
        values = np.unique(present).size
        if (present % 1 == 0).all() and FEWEST_VALUES <= values <= present.size / ROWS_PER_VALUE:
            found.append(Repeat(name, values))
    return tuple(found)
