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


#: Kernels run as plain Python, so tests that explore large trees are left out.
QUICK_BOUNDS = (
    "tests/test_bounds.py",
    "tests/test_bound_strength.py",
    "-k",
    "not (optimum or holds_whenever or never_falls or threads or short_proof or tiny)",
)
#: Leaves choose whole points where the scale is free.
QUICK_LEAVES = (
    "tests/test_bounds.py",
    "tests/test_bound_strength.py",
    "-k",
    "leaf_takes or newtons or (no_more_nodes and not fixed)",
)
QUICK_HULLS = (
    "tests/test_bound_strength.py",
    "tests/test_hull_strength.py",
    "tests/test_hull.py",
    "-k",
    "hull_is or both_proofs or (no_more_nodes and calibrated) or children or derivatives or minimum_of_the_model or "
    "(tangent and (0.8 or 2.5 or by_hand))",
)
QUICK_SUPPORTS = (
    "tests/test_support_strength.py",
    "tests/test_support_proof.py",
    "-m",
    "not slow",
    "-k",
    "not threads and not good_card",
)

SUBJECTS = (
    Subject(
        "audit",
        {
            "audit/audit.py": 12,
            "audit/claims.py": 14,
            "audit/hand_loss.py": 6,
            "audit/rivals.py": 8,
            "audit/limits.py": 22,
            "audit/raw_rows.py": 9,
            "audit/findings.py": 2,
        },
        (
            "tests/test_audit_claims.py",
            "tests/test_audit.py",
            "tests/test_totals.py",
            "tests/test_pseudo_rows.py",
            "tests/test_audit_refutes.py",
            "tests/test_audit_kinds.py",
            "-k",
            "audit",
        ),
    ),
    Subject(
        "audit of other outcomes",
        {"audit/kind_checks.py": 10, "audit/raw_outcome.py": 8},
        (
            "tests/test_audit_other_kinds.py",
            "tests/test_audit_kinds.py",
            "tests/test_exact_fits.py",
            "tests/test_kinds_refuted.py",
        ),
    ),
    Subject(
        "counts of totals",
        {"model/totals.py": 8},
        ("tests/test_totals.py", "tests/test_weighted_figures.py"),
    ),
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
            "evaluation/linearisation.py": 8,
        },
        (
            "tests/test_evaluation.py",
            "tests/test_linearisation.py",
            "tests/test_distribution.py",
            "tests/test_totals.py",
            "tests/test_groups.py",
            "tests/test_weighted_figures.py",
        ),
    ),
    Subject(
        "times and counts",
        {
            "evaluation/other_outcomes/by_time.py": 6,
            "evaluation/other_outcomes/counts.py": 3,
            "evaluation/other_outcomes/estimates.py": 3,
            "evaluation/other_outcomes/survival.py": 6,
        },
        (
            "tests/test_rate_refits.py::test_the_integrated_brier_score_is_that_of_scikit_survival",
            "tests/test_estimate_validation.py",
            "tests/test_by_time.py",
            "tests/test_survival.py",
            "tests/test_survival_validation.py",
            "tests/test_competing_validation.py",
            "tests/test_exact_fits.py",
        ),
    ),
    Subject(
        "groups and thresholds",
        {
            "evaluation/thresholds.py": 5,
            "evaluation/smooth_calibration.py": 5,
            "evaluation/groups/calibration_error.py": 5,
            "evaluation/groups/random_effects.py": 5,
            "evaluation/groups/fairness.py": 4,
            "evaluation/development/sample_size.py": 4,
        },
        (
            "tests/test_thresholds.py",
            "tests/test_smooth_calibration.py",
            "tests/test_groups.py",
            "tests/test_development.py",
        ),
    ),
    Subject(
        "bounds",
        {
            "kernels/proof/relaxation.py": 10,
            "kernels/proof/newton.py": 8,
            "kernels/proof/rounding.py": 2,
            "kernels/proof/shared_cuts.py": 8,
            "kernels/proof/bounding.py": 8,
            "kernels/proof/layout.py": 4,
            "search/proof/conditions.py": 9,
        },
        QUICK_BOUNDS,
        is_compiled=False,
    ),
    Subject(
        "bounds",
        {"kernels/proof/leaf.py": 12, "search/proof/leaves.py": 7},
        QUICK_LEAVES,
        is_compiled=False,
    ),
    Subject(
        "bounds of hulls",
        {
            "kernels/proof/hull/bound.py": 10,
            "kernels/proof/hull/branch.py": 6,
            "kernels/proof/hull/cells.py": 6,
            "kernels/proof/hull/columns.py": 2,
            "kernels/proof/hull/logarithms.py": 2,
            "kernels/proof/hull/model.py": 6,
            "kernels/proof/hull/explore.py": 3,
            "kernels/proof/hull/layout.py": 2,
        },
        QUICK_HULLS,
        is_compiled=False,
    ),
    Subject(
        "bounds of supports",
        {
            "kernels/proof/supports/family_bound.py": 8,
            "kernels/proof/supports/levels.py": 4,
            "kernels/proof/supports/fit_family.py": 14,
            "kernels/proof/supports/divide.py": 5,
            "kernels/proof/supports/explore_families.py": 6,
            "kernels/proof/supports/merge.py": 4,
            "kernels/proof/supports/points.py": 6,
            "kernels/proof/supports/records.py": 2,
            "search/proof/chains.py": 5,
            "search/proof/support_tree.py": 6,
        },
        QUICK_SUPPORTS,
        is_compiled=False,
    ),
)
