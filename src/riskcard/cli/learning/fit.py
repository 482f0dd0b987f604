"""The command ``riskcard fit``: read the rows, learn a card, show it and write it."""

from __future__ import annotations

from argparse import Namespace
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from riskcard.cli.given import given, regularization_of
from riskcard.cli.group_limits import fit_limited, limits_of, without_proxies
from riskcard.cli.outcomes import fit_outcome, is_other_fit, require_outcome
from riskcard.cli.remarks import put, say, say_saved
from riskcard.cli.rows.card_rows import in_words
from riskcard.cli.rows.held_out_rows import require_hold_out
from riskcard.cli.rows.training import Training, read_training
from riskcard.cli.sources import learn_from_source, wants_source
from riskcard.cli.times import require_times
from riskcard.cli.using.show import show_card
from riskcard.errors import ParameterError
from riskcard.parameters import PARAMETERS

if TYPE_CHECKING:
    from riskcard.estimators.card_pool import CardPool
    from riskcard.estimators.classifier import RiskScoreClassifier
    from riskcard.fairness.group_limits import GroupLimits
    from riskcard.fairness.limited_card import LimitedCard
    from riskcard.model.card import RiskCard
    from riskcard.search.proof.notes import ProofNotes

_INTERRUPTED = 130

#: Up to this many rows, cards of the lowest loss follow chance: on the other halves of all eight
#: tables of the benchmark that are so short, regularised cards had the lower log-loss.
FEW_ROWS = 1000

#: Options that have no effect without another.
_NEEDED = {"max_changes": "improve", "size": "tolerance", "choose": "tolerance"}


def run_fit(options: Namespace) -> int:
    """Learn a card, show it and write it."""
    _require_company(options)
    if wants_source(options):
        return _fit_source(options)
    require_hold_out(options)
    require_times(options)
    require_outcome(options)
    limits = limits_of(options)
    start = _starting_card(options)
    training = without_proxies(options, read_training(options))
    # only after the rows were read: if they cannot be, nobody would wait for the process
    if options.certify:
        from riskcard.problem.problem import Scale
        from riskcard.search.warmup import start_compilation

        start_compilation(Scale.parse(options.scale).kind)
    with _notes(options) as notes:
        fitted, more = _fit(options, training, limits, start)
    card = named_card(options, training, fitted)
    if options.output is not None:
        card.save(options.output)
    proven: RiskCard | None = card
    try:
        if notes is not None:
            pool = cast("CardPool", more) if _is_given(options, "tolerance") else None
            proven = _with_proof(options, training, card, notes, pool)
    finally:
        # whatever becomes of the proof, the card is there
        if not options.quiet:
            show_card(proven or card)
            put("" if more is None else f"\n{more}\n")
            say_saved(options.output, options.held_out)
            _remark_on_few_rows(options, training)
    return _INTERRUPTED if proven is None else exit_code(card)


def _fit_source(options: Namespace) -> int:
    """The same for a table that is read in pieces or where it is."""
    card = in_words(options, replace(learn_from_source(options), outcome=options.target))
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        show_card(card)
        say_saved(options.output, None)
    return exit_code(card)


def _notes(options: Namespace) -> AbstractContextManager[ProofNotes | None]:
    """Where the proof is noted, if it is to be written."""
    if options.proof is None:
        return nullcontext()
    from riskcard.search.proof.notes import ProofNotes

    return ProofNotes()


def _with_proof(
    options: Namespace,
    training: Training,
    card: RiskCard,
    notes: ProofNotes,
    pool: CardPool | None,
) -> RiskCard | None:
    """Write the proof of a card that is saved already, and name it there; None if the user ends that.

    Of a pool that is not proven to be complete, only the bound is written.
    """
    from riskcard.proof_file.write_proof import write_proof

    if exit_code(card) == _INTERRUPTED:
        say("Writing the proof of the bound that was reached. Ctrl-C again ends that.")
    table, labels, weights = training.table, training.labels, training.weights
    try:
        complete = pool if pool is not None and pool.is_complete else None
        written = write_proof(
            options.proof, card, table, labels, weights, notes=notes, pool=complete
        )
    except KeyboardInterrupt:
        say(f"Interrupted: {options.proof} was not written.")
        return None
    card = card.with_proof(options.proof)
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        say(f"Wrote {options.proof}: {written.size:,} bytes, SHA-256 {written.sha256}.")
    return card


def _remark_on_few_rows(options: Namespace, training: Training) -> None:
    """Say where the lowest loss on the training rows is a poor aim."""
    rows = len(training.is_event)
    if options.lowest_loss and rows <= FEW_ROWS and not given(options, "regularization"):
        say(f"Only {rows:,} rows: without --lowest-loss, cards usually predict new data better.")


def named_card(options: Namespace, training: Training, card: RiskCard) -> RiskCard:
    """A card with target, reading and labels, and with the hash of the rows that were held out."""
    card = replace(card, outcome=options.target, reading=training.reading)
    card = in_words(options, card)
    if training.held_out is None:
        return card
    if options.held_out is not None:
        training.held_out.write(options.held_out)
    return training.held_out.seal(card)


def exit_code(card: RiskCard) -> int:
    """0, or 130 when the user ended the proof."""
    is_interrupted = card.certificate is not None and card.certificate.status == "interrupted"
    return _INTERRUPTED if is_interrupted else 0


def _require_company(options: Namespace) -> None:
    """Refuse options that have no effect without another, before the rows are read."""
    known = {one.name: one.option for one in PARAMETERS if one.group in ("improve", "pool")}
    for name, needed in _NEEDED.items():
        if _is_given(options, name) and not _is_given(options, needed):
            option, other = (known.get(word, f"--{word}") for word in (name, needed))
            raise ParameterError(f"{option} has no effect without {other}. Give both, or neither.")
    if options.proof is not None:
        _require_provable(options)
    if options.improve is not None and _is_given(options, "tolerance"):
        raise ParameterError(
            "--improve and --pool-tolerance cannot be used together: a pool has the best cards of "
            "all, not those near a given one. Give one of the two."
        )


def _require_provable(options: Namespace) -> None:
    """Refuse to write the proof of a card that has none, before it is fitted."""
    if not options.certify:
        raise ParameterError("--proof has no effect without --certify. Give both, or neither.")
    for option, is_given in (
        ("--improve", _is_given(options, "improve")),
        ("--max-difference", bool(options.max_difference)),
    ):
        if is_given:
            raise ParameterError(
                f"--proof cannot be used together with {option}: a proof file has neither an earlier card nor groups of "
                "rows. Leave one of the two out."
            )


def _is_given(options: Namespace, name: str) -> bool:
    return getattr(options, name, None) is not None


def _fit(
    options: Namespace, training: Training, limits: GroupLimits | None, start: RiskCard | None
) -> tuple[RiskCard, CardPool | LimitedCard | None]:
    """The card, and the pool that it is from, or what limits cost."""
    if is_other_fit(options):
        return fit_outcome(options, training, start)
    model = classifier_of(options, training)
    table, labels, weights = training.table, training.labels, training.weights
    if limits is not None:
        limited = fit_limited(model, training, limits, options)
        return limited.card, limited
    if start is not None:
        from riskcard.estimators.existing_card.improve import improve

        _require_same_event(options, start, training.classes)
        changes = given(options, "improve")
        card = improve(start, table, labels, estimator=model, sample_weight=weights, **changes)
        return card, None
    if not _is_given(options, "tolerance"):
        return model.fit(table, labels, sample_weight=weights).card_, None
    from riskcard.estimators.card_pool import find_pool

    pool = find_pool(model, table, labels, sample_weight=weights, **given(options, "pool"))
    chosen = pool.model if options.choose is None else pool.choose(options.choose)
    return chosen.card_, pool


def classifier_of(options: Namespace, training: Training) -> RiskScoreClassifier:
    """The classifier that the options mean."""
    from riskcard.estimators.classifier import RiskScoreClassifier

    known = {"rules": training.rules, "event": training.classes[1], "identifiers": None}
    parameters = given(options, "card", "work") | known | regularization_of(options)
    return RiskScoreClassifier(verbose=not options.quiet, **parameters)


def _starting_card(options: Namespace) -> RiskCard | None:
    """The card to improve, if there is one."""
    if options.improve is None:
        return None
    from riskcard.model.card_json import load_card

    return load_card(options.improve)


def _require_same_event(options: Namespace, card: RiskCard, classes: tuple[Any, Any]) -> None:
    """Refuse to improve a card that is about another event than the target."""
    if card.classes != classes:
        raise ParameterError(
            f"The card {options.improve!r} is about the event {card.classes[1]!r} against "
            f"{card.classes[0]!r}, but the target has {classes[1]!r} against {classes[0]!r}. Choose "
            "the event with --event, or give another card."
        )
