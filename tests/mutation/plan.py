"""What is mutated, how often, and which tests have to notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """Some files of one room.

    Attributes
    ----------
    room
        The heading they are counted under.
    files
        Each file below the package and the number of its mutants that are tried.
    tests
        Arguments of pytest; the tests that bite fastest come first.
    is_compiled
        Kernels are compiled for these tests.
    """

    room: str
    files: dict[str, int]
    tests: tuple[str, ...]
    is_compiled: bool = True


#: Kernels run as plain Python, so the tests on small problems have to do.
SMALL_PROOFS = (
    "tests/test_bound_strength.py",
    "tests/test_bounds.py",
    "-k",
    "strength or below or cost_of or in_order or leaf_takes or weights_of_the_proof",
)

SUBJECTS = (
    Subject(
        "audit",
        {
            "audit/audit.py": 18,
            "audit/limits.py": 22,
            "audit/raw_rows.py": 9,
            "audit/findings.py": 2,
        },
        (
            "tests/test_audit.py",
            "tests/test_totals.py",
            "tests/test_bounded_steps.py",
            "-k",
            "audit",
        ),
    ),
    Subject("counts of totals", {"model/totals.py": 8}, ("tests/test_totals.py",)),
    Subject(
        "evaluation",
        {
            "evaluation/measures.py": 12,
            "evaluation/calibration.py": 9,
            "evaluation/discrimination.py": 6,
            "evaluation/decision.py": 6,
            "evaluation/outcomes.py": 6,
            "evaluation/intervals.py": 3,
            "evaluation/summary.py": 2,
            "evaluation/distribution.py": 6,
        },
        ("tests/test_evaluation.py", "tests/test_distribution.py", "tests/test_totals.py"),
    ),
    Subject(
        "bounds",
        {
            "kernels/proof/relaxation.py": 14,
            "kernels/proof/conflicts.py": 8,
            "kernels/proof/bounding.py": 8,
            "kernels/proof/leaf.py": 12,
        },
        SMALL_PROOFS,
        is_compiled=False,
    ),
    Subject(
        "bounds",
        {"search/proof/conditions.py": 9, "search/proof/leaves.py": 7},
        SMALL_PROOFS,
        is_compiled=False,
    ),
    Subject(
        "bounds",
        {"search/proof/hull.py": 10},
        ("tests/test_bound_strength.py", "tests/test_hull.py", "-k", "hull_is or below or divided"),
        is_compiled=False,
    ),
)
