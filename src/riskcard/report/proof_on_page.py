"""What a page needs to check the proof of its card by itself: the second checker, the card and the proof."""

from __future__ import annotations

import base64
import json
from typing import Any

from riskcard.formatting.pages.script_data import script_data, source_hash
from riskcard.formatting.speech import say
from riskcard.formatting.templates import asset
from riskcard.report.facts import ProofFacts, ReportFacts
from riskcard.version import __version__

#: Larger proofs, in bytes, are not put into a page: the reader chooses the file. In a page they take a third more.
MOST_EMBEDDED = 10_000_000
#: What the script of the page says.
_WORDS = (
    "choose", "working", "accepted", "given", "refused", "unreadable", "other_file", "failed",
)  # fmt: skip
_SCRIPT = "report/templates/proof_check.js"
_CHECKER = f"check_proof.js (riskcard {__version__})"


def policy_of(facts: ReportFacts) -> str:
    """The content policy of a report: nothing is fetched, and no script runs but that of the checker."""
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    if not can_check(facts):
        return policy
    return f"{policy}; script-src {source_hash(asset(_SCRIPT))}; worker-src blob:"


def can_check(facts: ReportFacts) -> bool:
    """There is a proof, and it was not refused already."""
    return facts.proof is not None and not facts.proof.refused


def is_embedded(proof: ProofFacts) -> bool:
    """The proof is small enough to be part of the page."""
    return len(proof.content) <= MOST_EMBEDDED


def page_script() -> str:
    """The script of the page."""
    return asset(_SCRIPT)


def data_for_script(facts: ReportFacts) -> str:
    """What the script of the page gets, as JSON; the rows are not in it."""
    proof = facts.proof
    assert proof is not None
    content: dict[str, Any] = {
        "checker": asset("proof_check/check_proof.js"),
        "called": _CHECKER,
        "card": json.loads(facts.card.to_json()),
        "target": proof.target,
        "weights": proof.weights or None,
        "sha256": proof.record.sha256,
        "proof": base64.b64encode(proof.content).decode("ascii") if is_embedded(proof) else None,
        "words": {name: say(f"browser_{name}") for name in _WORDS},
        "signs": {"decimal": say("decimal_sign"), "thousands": say("thousands_sign")},
    }
    return script_data(content)


def proof_words(facts: ReportFacts) -> list[str]:
    """What became of the proof file while the page was made."""
    proof = facts.proof
    if proof is None:
        return []
    name, record = proof.record.name, proof.record
    file = say("state_file", name=name, digits=record.shown_hash)
    if proof.refused:
        return [
            say("browser_python_refused", checker=proof.checker, name=name, reason=proof.refused)
        ]
    key = "browser_python" if record.checked_by else "browser_python_not"
    sentences = [f"{file} {say(key, checker=record.checked_by, name=name)}"]
    certificate = facts.card.certificate
    named = None if certificate is None else certificate.proof
    if named is not None and named.sha256 != record.sha256:
        sentences.append(
            say("browser_python_other", name=named.name, digits=f"{named.shown_hash}...")
        )
    return [*sentences, *record.given]
