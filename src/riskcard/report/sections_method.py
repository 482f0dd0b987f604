"""The end of a report: what was done, in the order in which guidelines ask, and how to repeat it."""

from __future__ import annotations

from html import escape

from riskcard.card.sentences import scale_words
from riskcard.formatting.html import html_table
from riskcard.report.facts import ReportFacts
from riskcard.report.figure_sentences import count, counted_rows, share

#: Parameters that put rules into a certificate.
_RULING = {"rules", "min_bin_rows", "min_bin_events", "min_gain", "shortlist"}


def done_section(facts: ReportFacts) -> str:
    """Questions that readers and reviewers ask, with what is known; blanks are for the author."""
    entries = [
        ("What is predicted", _outcome(facts), "Who recorded it, how, and over which time?"),
        ("For what, and for whom", "", "What is the card meant for, and where?"),
        ("Where the rows come from", _source(facts), "How were the rows chosen, where and when?"),
        ("How many rows", _size(facts), ""),
        ("Candidate features", _features(facts), "How and when was each of them measured?"),
        ("Missing values", _missing(facts), ""),
        ("How the card was learned", _learning(facts), ""),
        ("The model in full", _model(facts), ""),
        ("Measures", _MEASURES, ""),
        ("Validation inside", _inside(facts), ""),
        ("Validation elsewhere", _elsewhere(facts), ""),
        ("Compared with", _compared(facts), ""),
        ("Groups of people", "Not looked at here.", "Does the card do as well for each group?"),
        ("Limits", _LIMITS, ""),
    ]
    items = "".join(_entry(*entry) for entry in entries)
    return (
        "<p>What was done, in the order in which guidelines for reporting prediction models ask. Dotted lines are "
        f'for the author: no program knows these answers.</p><dl class="done">{items}</dl>'
    )


def _entry(title: str, known: str, asked: str) -> str:
    blank = f'<span class="blank">{escape(asked)}</span>' if asked else ""
    return f"<dt>{escape(title)}</dt><dd>{escape(known)}{blank}</dd>"


_MEASURES = (
    "AUC with DeLong’s 95 % interval; mean log-loss; Brier score, and the same scaled so that 0 is what one risk "
    "for everyone gives and 100 % is perfect; calibration slope and intercept of a logistic regression of the event "
    "on the log-odds, with Wald intervals; expected and observed events; observed rates with Wilson’s 95 % "
    "intervals; net benefit."
)
_LIMITS = (
    "Cuts, points and features were chosen from the data, so that figures on the card’s own rows are too good. "
    "Rows held out come from the same source: only rows from elsewhere show how the card fares there. Intervals of "
    "figures on rows held out take these rows for independent, and cards of different folds for one."
)


def _outcome(facts: ReportFacts) -> str:
    card = facts.card
    column = f" in the column {card.outcome}" if card.outcome else ""
    return f"The event is {card.classes[1]}{column}; the other outcome is {card.classes[0]}."


def _source(facts: ReportFacts) -> str:
    files = [one for one in facts.origin.files if one.role != "Card"]
    return "; ".join(f"{one.role}: {one.name}" for one in files) + ("." if files else "")


def _size(facts: ReportFacts) -> str:
    data, n_terms = facts.rows.data, len(facts.card.terms)
    words = f"{counted_rows(data)}."
    if n_terms:
        fewest = min(data.events, data.rows - data.events)
        words += (
            f" The card has {count(n_terms, 'term')}: {fewest / n_terms:,.1f} rows of the rarer outcome "
            f"for each, and {fewest / max(1, len(data.columns)):,.1f} for each candidate feature."
        )
    return words


def _features(facts: ReportFacts) -> str:
    used = ", ".join(feature.name for feature in facts.card.features) or "none"
    return (
        f"{count(len(facts.rows.data.columns), 'candidate')}, all listed above; used by the card: {used}. Features "
        "were chosen together with cuts and points, by the loss alone."
    )


def _missing(facts: ReportFacts) -> str:
    data = facts.rows.data
    if data.complete_rows == data.rows:
        words = "None on these rows."
    else:
        incomplete = 1 - data.complete_rows / data.rows
        words = (
            f"{share(incomplete)} of the rows lack at least one value. Nothing was filled in, and no row was left "
            "out: a missing value has points of its own on the card, or those of a bin."
        )
    without = [feature.name for feature in facts.card.features if feature.missing is None]
    if without:
        words += (
            f" {', '.join(without)} had no missing values in training; where one comes, the card gives the points "
            "of the line with most training rows."
        )
    return words


def _learning(facts: ReportFacts) -> str:
    certificate = facts.card.certificate
    if certificate is None:
        return "Not known: the card has no certificate."
    return (
        "Among all cards of the kind described under “What is proven” the one with the smallest log-loss was looked "
        f"for, by a search and, where a bound is given, a branch and bound ({certificate.nodes:,} nodes, "
        f"{certificate.seconds:,.1f} s, riskcard {certificate.version})."
    )


def _model(facts: ReportFacts) -> str:
    n_cuts = sum(len(feature.points) - 1 for feature in facts.card.features)
    scale = scale_words(facts.card).replace(" - ", " − ")
    return (
        f"The card above is the whole model: {count(len(facts.card.features), 'feature')}, "
        f"{count(n_cuts, 'cut')} or divisions of levels, and {scale}."
    )


def _inside(facts: ReportFacts) -> str:
    parts = []
    validation, stability = facts.validation, facts.stability
    if validation is not None and validation.is_refitted:
        parts.append(
            f"Cross-validation in {validation.folds} shuffled folds with equal shares of events, the card learned "
            "again in each without a proof."
        )
    if stability is not None:
        parts.append(
            f"Bootstrap with {count(len(stability.cards), 'resample')} of the whole procedure, which also corrects AUC, "
            "log-loss and slope for optimism."
        )
    rules = facts.card.certificate.rules if facts.card.certificate is not None else ()
    known = {name for name, _ in facts.origin.refit}
    if parts and rules and not known & _RULING:
        parts.append(
            "The rules of the card were not given again, so the cards of folds and resamples did not have to keep "
            "them."
        )
    return " ".join(parts) or "None."


def _elsewhere(facts: ReportFacts) -> str:
    if facts.test is None:
        return "None: no test rows were given."
    return f"{counted_rows(facts.test.data)}. The card was used as it is."


def _compared(facts: ReportFacts) -> str:
    if facts.validation is None:
        return "Nothing."
    return "; ".join(one.name for one in facts.validation.methods[1:]) + ", on the same folds."


def origin_section(facts: ReportFacts) -> str:
    """Files with their hashes, options and versions."""
    origin = facts.origin
    pieces = []
    if origin.files:
        rows = "".join(
            f"<tr><td>{escape(one.role)}</td><td>{escape(one.name)}</td>"
            f'<td class="number">{one.bytes:,}</td><td class="hash">{one.sha256}</td></tr>'
            for one in origin.files
        )
        pieces.append(
            '<div class="wide"><table><caption>Files</caption><thead><tr><th>Role</th><th>Name</th>'
            f'<th class="number">Bytes</th><th>SHA-256</th></tr></thead><tbody>{rows}</tbody></table></div>'
        )
    tables = [
        html_table(["Name", "Value"], pairs, title)
        for title, pairs in (
            ("Options", origin.options),
            ("Parameters when learned again", origin.refit),
            ("Versions", origin.versions),
        )
        if pairs
    ]
    return "".join(pieces) + f'<div class="pairs">{"".join(tables)}</div>'
