"""What a saved session claims about its proven card, worked out again from the rows."""

from __future__ import annotations

from dataclasses import replace

from riskcard.cli.learning.fit import classifier_of
from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.errors import FormatError
from riskcard.studio.choices import Choices, options_of
from riskcard.studio.state.document import Document, Proof, Saved
from riskcard.studio.state.pins import rules_of
from riskcard.studio.table.data import Division, Source
from riskcard.studio.table.pricing import Referee

#: A loss that is worked out again may differ by this much, relatively: rounding.
_SAME_LOSS = 1e-9


def restored(saved: Saved, division: Division | None, source: Source) -> Document:
    """The document of a saved session with its proof; refused where the rows do not bear it out."""
    if saved.best is None:
        return saved.document
    if division is None:
        raise FormatError("The session has a card but no outcome. Open a saved session.")
    choices = saved.best_choices or saved.document.choices
    proof = Proof(saved.best, pseudo_of(division, choices, source), choices)
    _require_same_loss(division, proof)
    return replace(saved.document, proof=proof)


def pseudo_of(division: Division, choices: Choices, source: Source) -> PseudoRows:
    """The pseudo-observations of the fit without pins."""
    options = options_of(choices.arguments(source.path))
    training = replace(division.training, rules=rules_of({}, None, choices.code_rules))
    model = classifier_of(options, training)
    _, layout, _ = model.pose(training.table, training.labels, training.weights)
    return layout.pseudo


def _require_same_loss(division: Division, proof: Proof) -> None:
    """Refuse a session whose card does not have the loss that its certificate states."""
    certificate = proof.card.certificate
    assert certificate is not None
    loss = Referee(division.rows, proof.pseudo, proof.card).price(proof.card).loss
    if abs(loss - certificate.loss) > _SAME_LOSS * certificate.loss:
        raise FormatError(
            "The proven card of the session does not have the loss that it states on this table."
        )
