"""A proof file for a card: the problem posed again, its tree walked with the card's bound, and all of it written."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from riskcard.data.columns import FeatureValues
from riskcard.errors import ParameterError
from riskcard.estimators.card_pool import CardPool
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.fitted import Training
from riskcard.model.card import RiskCard
from riskcard.model.card_json import card_to_json
from riskcard.model.origin.certificate import Certificate
from riskcard.model.origin.recipe import Recipe, RowOrigin, matches
from riskcard.output_files import require_writable, write_whole
from riskcard.proof_file.merged_table import MergedTable, merge_table
from riskcard.search.deadline import Deadline, OutOfTime
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.proof.notes import ProofNotes
from riskcard.search.proof.write_tree import Claim, NoConditions, NotClosed, Written, write_tree
from riskcard.status import Status

MAGIC = b"riskcard proof 2\n"
#: Bytes of the tree that are in the memory at once.
PIECE = 1 << 20
#: The entries of a card's features that its points depend on.
PARTS = ("name", "cuts", "groups", "points", "missing", "codes", "usual")
#: A pool is proven to be complete up to this part below its largest loss.
POOL_ROUNDING = 1e-7
#: Methods whose problem is that of the classifier with the parameters of the recipe.
METHODS = ("RiskScoreClassifier", "RiskScoreClassifierCV", "find_pool")
#: Why the cards of other methods have no file.
NOT_COVERED = {
    "improve": "what was proven depends on the card that it began with, which a proof file does not have",
    "fit_within_limits": "limits on differences between groups depend on the group of each row, which a proof file does "
    "not have",
}


@dataclass(frozen=True, slots=True)
class ProofFile:
    """What was written.

    Attributes
    ----------
    bound
        No card of the kind that the certificate names has a loss below this.
    records, closed
        Records of the tree, and those of them that are closed by their bound.
    size
        Bytes.
    sha256
        Of the whole file.
    """

    bound: float
    records: int
    closed: int
    size: int
    sha256: str


def write_proof(
    path: str | Path,
    card: RiskCard,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    time_limit: float | None = None,
    notes: ProofNotes | None = None,
    pool: CardPool | None = None,
) -> ProofFile:
    """Write a file from which others can check the bound of a card without trusting riskcard.

    The problem is posed again from the recipe of the card, and its tree walked from the root with the bound of
    the certificate. That takes about as long as the proof did, and with notes of the proof mostly a twentieth to a
    fifth of it. Proofs of problems with few conditions have no notes on nodes: see `ProofNotes`.

    Parameters
    ----------
    path
        Where to; the file is written whole or not at all.
    card
        A card with a certificate that states a bound.
    X, y, sample_weight
        The rows that it was learned from.
    time_limit
        Seconds after which the work is given up; None for no limit.
    notes
        Those of the proof: see `ProofNotes`. What is written does not rest on them.
    pool
        The complete pool that the card is from: the file then proves as well that every card within its largest
        loss has the conditions of one of its cards, and it verifies each of these cards.

    Examples
    --------
    >>> from riskcard import RiskScoreClassifier, write_proof
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = X[["worst area", "worst texture"]]
    >>> model = RiskScoreClassifier(max_terms=2, regularization=None, certify=True).fit(X, y)
    >>> written = write_proof(getfixture("tmp_path") / "card.proof", model.card_, X, y)
    >>> written.bound == model.lower_bound_
    True
    """
    card.require_yes_or_no("Proof files")
    certificate, recipe = _require_covered(card)
    require_writable(path)
    model = RiskScoreClassifier.from_recipe(recipe)
    # cards of a pool are never proven about preselected conditions only
    about = card if recipe.method != "find_pool" else None
    with notes if notes is not None else nullcontext():
        training, layout, problem = model.pose(X, y, sample_weight, about)
    _require_training_rows(card, training)
    table = merge_table(training, layout, problem)
    claims = Claims.of(certificate, pool)
    with catch_interrupt() as interrupt, tempfile.TemporaryFile() as spool:
        deadline = Deadline.after(time_limit, interrupt)
        try:
            written = _write_trees(claims, table, spool.write, deadline, notes)
        except OutOfTime:
            deadline.require_no_interrupt()
            raise ParameterError(
                f"The proof was not written within {time_limit:g} seconds. Give more time: it takes about as "
                "long as the proof itself."
            ) from None
        except NoConditions:
            raise ParameterError(
                "No condition may be on a card here, so the card without terms is the only one. There is nothing to "
                "prove."
            ) from None
        except NotClosed:
            if pool is not None:
                raise ParameterError(
                    "The proof of the pool cannot be written: there are cards of other conditions whose loss "
                    "is next to "
                    "that of the pool, or which explain nothing but are as good as a card without these conditions. "
                    "Use a smaller tolerance, or write the proof of the card alone."
                ) from None
            raise ParameterError(
                "The proof cannot be written: its bound is closer to the loss of a card than the whole numbers of "
                "a proof file can show. That happens where the loss is almost 0, or where very many points "
                "are allowed, "
                "since cards then differ by less than a millionth. Allow fewer points per term."
            ) from None
        deadline.require_no_interrupt()
        whole = _Whole(_header(card, claims, table, written), spool)
        write_whole(path, whole.pieces())
    digest = whole.digest.hexdigest()
    return ProofFile(certificate.bound, written.records, written.closed, whole.size, digest)


@dataclass(slots=True)
class _Whole:
    """A file from its header, its tree and their hash; what is known of it when all pieces were taken."""

    header: bytes
    tree: IO[bytes]
    digest: Any = field(default_factory=hashlib.sha256)
    size: int = 0

    def pieces(self) -> Iterator[bytes]:
        """Trees may be too large for the memory."""
        self.tree.seek(0)
        for piece in chain([self.header], iter(lambda: self.tree.read(PIECE), b"")):
            self.digest.update(piece)
            self.size += len(piece)
            yield piece
        seal = self.digest.digest()
        self.digest.update(seal)
        self.size += len(seal)
        yield seal


@dataclass(frozen=True, slots=True)
class Claims:
    """What a file is to prove, in the user's weights.

    Attributes
    ----------
    certificate
        With the bound on all cards.
    choices
        The columns and cuts of each card of a pool; None without a pool.
    below
        Every card with a loss below this is of one of these choices.
    """

    certificate: Certificate
    choices: list[frozenset[tuple[int, int]]] | None = None
    below: float = 0.0

    @classmethod
    def of(cls, certificate: Certificate, pool: CardPool | None) -> Claims:
        """The claims about a card, and about its pool."""
        if pool is None:
            return cls(certificate, below=certificate.bound)
        if not pool.is_complete:
            raise ParameterError(
                "The pool is not proven to be complete, so there is nothing to prove about it. Find it with "
                "certify=True, more time and a larger size, or write the proof of the card alone."
            )
        # the proof of the pool was in floating point
        below = max(certificate.bound, pool.most_loss * (1.0 - POOL_ROUNDING))
        return cls(certificate, list(pool.choices), below)


def _write_trees(
    claims: Claims,
    table: MergedTable,
    put: Callable[[bytes], object],
    deadline: Deadline,
    notes: ProofNotes | None,
) -> Written:
    """Write the tree; where terms are charged, one tree for each number of terms, with its charge."""
    most, charge = claims.certificate.max_terms, Fraction(claims.certificate.min_gain)
    numbers = {choice: number for number, choice in enumerate(claims.choices or [])}
    total = Written(0, 0, 0)
    for n in range(most + 1) if charge > 0 else [most]:
        cutoffs = [
            float(np.nextafter(float((Fraction(one) - n * charge) * (1 << table.digits)), np.inf))
            for one in (claims.below, claims.certificate.bound)
        ]
        is_cut_short = claims.certificate.status != "optimal" and not numbers and charge == 0
        claim = Claim(cutoffs[0], n, numbers, cutoffs[1], is_cut_short)
        total += write_tree(table.problem, claim, put, deadline, notes)
    return total


def _header(card: RiskCard, claims: Claims, table: MergedTable, written: Written) -> bytes:
    """Everything before the tree."""
    certificate = claims.certificate
    own = json.loads(card_to_json(card))
    kinds = ("max_terms", "max_features", "max_cuts_per_feature", "max_points", "scale", "min_gain")
    header = {
        "bound": certificate.bound,
        "kind": {
            **{name: getattr(certificate, name) for name in kinds},
            "max_log_odds": certificate.max_log_odds,
        },
        "weights": table.weights,
        "features": table.features,
        "rules": table.rules,
        "table": table.digest,
        "pool": _pool_of(claims, table),
        "card": {
            **{name: own[name] for name in ("base", "multiplier", "offset")},
            "features": [
                {name: one[name] for name in sorted(one) if name in PARTS}
                for one in own["features"]
            ],
        },
        "records": written.records,
        "closed": written.closed,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return MAGIC + len(text).to_bytes(4, "little") + text


def _pool_of(claims: Claims, table: MergedTable) -> dict[str, Any] | None:
    """The choices of a pool, with columns and cuts as the tree numbers them."""
    if claims.choices is None:
        return None
    is_closed = table.problem.restrictions.is_closed
    choices = [
        sorted(
            [column, int(np.searchsorted(np.flatnonzero(~is_closed[column]), cut))]
            for column, cut in choice
        )
        for choice in claims.choices
    ]
    return {"below": claims.below, "choices": choices}


def _require_covered(card: RiskCard) -> tuple[Certificate, Recipe]:
    """Refuse cards whose certificate a proof file cannot be about."""
    certificate, recipe = card.certificate, card.recipe
    if certificate is None or recipe is None or certificate.status == Status.HEURISTIC:
        raise ParameterError(
            "The card has no bound that could be proven in a file. Fit it with certify=True (--certify)."
        )
    if certificate.bound <= 0:
        raise ParameterError(
            "The proof of the card ended before it reached any bound, so there is nothing to write. Give it more time."
        )
    if recipe.method not in METHODS:
        why = NOT_COVERED.get(recipe.method, f"only those of {', '.join(METHODS)} have one")
        raise ParameterError(
            f"Proof files do not cover cards of {recipe.method}: {why}. Fit a card without it to get a file."
        )
    return certificate, recipe


def _require_training_rows(card: RiskCard, training: Training) -> None:
    """Refuse rows that are not those of the recipe."""
    table = training.table
    columns = {
        name: FeatureValues(table.values[:, f], table.levels[f])
        for f, name in enumerate(table.names)
    }
    if matches(card, columns, table.labels > 0, training.given_weights) is not RowOrigin.TRAINING:
        raise ParameterError(
            "These are not the rows that the card was learned from. Give all of its training rows, with every "
            "column of training and the same weights."
        )
