"""A certificate as a piece of HTML: what is proven, and the figures behind it."""

from decimal import ROUND_FLOOR

from riskcard.card.sentences import certificate_sentences, objective_words
from riskcard.formatting.figures import loss_words
from riskcard.formatting.pages.html import Number, boxed, html_table, paragraphs
from riskcard.formatting.speech import sentence_case
from riskcard.model.origin.certificate import Certificate


def _charged_rows(certificate: Certificate) -> list[list[str | Number]]:
    """What was minimised, where it is not the loss alone."""
    if certificate.min_gain == 0:
        return []
    words = loss_words(certificate.objective, certificate.objective)
    return [[sentence_case(objective_words(certificate)), Number(words)]]


def certificate_as_html(certificate: Certificate) -> str:
    """Draw a certificate for a notebook."""
    loss, bound, reached = certificate.loss, certificate.bound, certificate.objective
    rows = [
        [
            "Loss with pseudo-observations" if certificate.all_pseudo_rows > 0 else "Loss",
            Number(loss_words(loss, loss)),
        ],
        *_charged_rows(certificate),
        ["Bound", Number(loss_words(bound, reached, ROUND_FLOOR) if bound > 0 else "none")],
        ["Gap", Number(f"{100 * certificate.gap:.4g} %" if bound > 0 else "unknown")],
        ["Status", Number(str(certificate.status).replace("_", " "))],
        ["Nodes", Number(f"{certificate.nodes:,}")],
        ["Seconds", Number(f"{certificate.seconds:.1f}")],
    ]
    return boxed(
        "What is proven",
        paragraphs(certificate_sentences(certificate)),
        html_table([], rows),
    )
