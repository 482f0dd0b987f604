"""The command ``riskcard report``: everything there is to say about a card, as one page."""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import say
from riskcard.cli.rows.card_rows import (
    all_labelled_rows,
    candidates,
    drawn_groups,
    in_words,
    labelled_rows_of,
    target_of,
)
from riskcard.cli.rows.kind_rows import read_kind_rows, require_no_kind
from riskcard.cli.rows.reading import open_data, reading_of
from riskcard.cli.rows.row_division import read_division_of
from riskcard.cli.shown_options import shown_options
from riskcard.data.files.csv_text import read_bytes
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.errors import ParameterError, RiskcardWarning
from riskcard.output_files import require_ending

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard
    from riskcard.report.facts import ReportFacts
    from riskcard.report.gather import ReportRows


#: Exit code: the rows contradict the card, or it was edited.
_FAILED = 1

#: Options that name files, or are shown elsewhere.
_HIDDEN = {"command", "card", "data", "output", "test", "proof", "quiet"}


def run_report(options: Namespace) -> int:
    """Gather the facts and write the page; nothing is written before everything is there."""
    from riskcard.plots.drawing import require_matplotlib

    require_ending(options.output, ".html", ".htm", ".docx", ".json")
    require_matplotlib()
    from riskcard.model.card_json import card_from_bytes

    content = read_bytes(options.card, "a card file that can be read")
    with warnings.catch_warnings(record=True) as edits:
        warnings.simplefilter("always", RiskcardWarning)
        card = card_from_bytes(content, options.card)
    card = in_words(options, card)
    if card.kind is not None:
        return _report_on_kind(options, card)
    require_no_kind(options)
    tables = {"Data": open_data(options)}
    if options.test is not None:
        tables["Test data"] = open_data(options, options.test)
    from riskcard.data.files.file_facts import file_facts

    files = [file_facts("Card", options.card, content)]
    files += [file_facts(role, file.path, file.content) for role, file in tables.items()]
    proof = _read_proof(options, card) if options.proof is not None and not edits else None
    files += [] if proof is None else [file_facts("Proof", options.proof, proof)]
    rows = [_read(options, card, file, role) for role, file in tables.items()]
    drawn = [drawn_groups(file, options, card) for file in tables.values()]
    rows = _without_held_out(card, rows, drawn)
    begun = time.perf_counter()
    known = {
        "files": tuple(files),
        "edits": tuple(str(one.message) for one in edits),
        "remarks": tuple(_remarks_on_repeats(tables["Data"], options, card)),
    }
    facts = _gather(options, card, rows, known)
    if proof is not None:
        facts = _with_proof(options, card, tables["Data"], facts, proof)

    from riskcard.report.report import Report

    Report(facts).save(options.output)
    for note in facts.notes:
        say(note)
    say(f"Wrote {options.output} in {time.perf_counter() - begun:.0f} s.")
    return _say_failures(options, facts)


def _report_on_kind(options: Namespace, card: RiskCard) -> int:
    """A report on a card of another outcome than yes or no."""
    for name in ("test", "proof"):
        if getattr(options, name) is not None:
            raise ParameterError(
                f"--{name} is for outcomes of yes or no, and this card is of another kind. Leave it out."
            )
    from riskcard.progress import WorkBar
    from riskcard.report.report import make_report

    file = open_data(options)
    rows = read_kind_rows(options, card, file, has_all=True)
    division = read_division_of(file, options, target_of(options, card), reading_of(options, card))
    begun = time.perf_counter()
    total = options.cv * options.repeats + options.n_bootstraps
    with WorkBar("Refitting", max(1, total), is_quiet=options.quiet) as bar:
        found = make_report(
            card, rows.features, rows.y, sample_weight=rows.weights, groups=division.groups,
            sites=division.sites, time_split=division.is_later, cv=options.cv, repeats=options.repeats,
            n_bootstraps=options.n_bootstraps, time_limit=options.time_limit,
            random_state=options.random_state, n_jobs=options.n_jobs, progress=bar.step, **rows.further,
        )  # fmt: skip
    found.save(options.output)
    say(f"Wrote {options.output} in {time.perf_counter() - begun:.0f} s.")
    failures = () if found.facts.audit is None else found.facts.audit.failures
    for failure in failures:
        say(f"FAIL  {failure.name}: {failure.detail}")
    return _FAILED if failures else 0


def _say_failures(options: Namespace, facts: ReportFacts) -> int:
    """What contradicts the card or its proof; the exit code."""
    failures = [*facts.mode.failures]
    if facts.proof is not None and facts.proof.refused:
        failures.append(f"{options.proof} was refused: {facts.proof.refused}")
    for failure in failures:
        say(f"FAIL  {failure}")
    return _FAILED if failures else 0


def _read_proof(options: Namespace, card: RiskCard) -> bytes:
    """The proof file of a card that states a bound; an edited one has lost what could be proven."""
    if card.certificate is None or card.certificate.bound <= 0:
        raise ParameterError(
            f"The card states no bound that {options.proof!r} could prove. Leave --proof out, or give a card "
            "that was fitted with --certify."
        )
    return read_bytes(options.proof, "the proof file of the card")


def _with_proof(
    options: Namespace, card: RiskCard, file: TableFile, facts: ReportFacts, content: bytes
) -> ReportFacts:
    """What the first checker finds, where these are the training rows; the second one is on the page."""
    from riskcard.cli.rows.proof_rows import CHECKER, as_check, verify
    from riskcard.model.origin.proof_record import record_of
    from riskcard.proof_check.check_proof import Refused
    from riskcard.report.facts import ProofFacts

    columns = {"target": target_of(options, card), "weights": options.weights or ""}
    proof = ProofFacts(record_of(options.proof), content, **columns)
    if not facts.is_training:
        return replace(facts, proof=proof)
    proof = replace(proof, checker=CHECKER)
    try:
        found = verify(card, options, all_labelled_rows(file, options, card))
        proof, check = replace(proof, record=found.record), as_check(proof.record.name, found)
    except Refused as error:
        proof, check = replace(proof, refused=str(error)), as_check(proof.record.name, error)
    audit = None if facts.audit is None else facts.audit.with_proof_file(check)
    return replace(facts, proof=proof, audit=audit)


def _gather(
    options: Namespace,
    card: RiskCard,
    rows: list[ReportRows],
    known: dict[str, Any],
) -> ReportFacts:
    """All facts on the data and, where there are any, on the test data; ``known`` are further options."""
    from riskcard.progress import WorkBar
    from riskcard.report.gather import ReportOptions, gather_facts
    from riskcard.report.refits.procedure import procedure_of

    report_options = ReportOptions(
        cv=options.cv,
        repeats=options.repeats,
        n_bootstraps=options.n_bootstraps,
        time_limit=options.time_limit,
        random_state=options.random_state,
        n_jobs=options.n_jobs,
        shown_options=tuple(_shown(options)),
        **known,
    )
    total = 3 * options.cv * options.repeats + options.n_bootstraps
    with WorkBar("Refitting", max(1, total), is_quiet=options.quiet) as bar:
        procedure = procedure_of(card, {"random_state": options.random_state})
        test = rows[1] if len(rows) > 1 else None
        return gather_facts(card, rows[0], test, procedure, report_options, bar.step)


def _remarks_on_repeats(file: TableFile, options: Namespace, card: RiskCard) -> Iterator[str]:
    """Columns that name whose rows these are, where several rows are of one and no groups are named."""
    from riskcard.data.first_look.repeats import find_repeats, names_someone

    names = [name for name in file.names if names_someone(name)]
    if options.groups is not None or not names:
        return
    wanted = Selection(kinds=dict.fromkeys(names, Kind.TEXT), reading=reading_of(options, card))
    for one in find_repeats(file.read(wanted).features):
        yield (
            f"Several rows have the same value of {one.name!r} ({one.values:,} different ones). If they are "
            f"not independent, held-out figures are too good: give --groups {one.name!r}."
        )


def _read(options: Namespace, card: RiskCard, file: TableFile, role: str) -> ReportRows:
    """The rows of a file, as the card takes them and as a classifier does."""
    from riskcard.report.gather import ReportRows

    if role == "Test data":  # it is not divided, but its rows may belong together
        options = Namespace(**{**vars(options), "sites": None, "time_split": None})

    for_card, labels, weights = labelled_rows_of(file, options, card)
    target, reading = target_of(options, card), reading_of(options, card)
    division = read_division_of(file, options, target, reading)
    return ReportRows(candidates(options, card, file), labels, weights, for_card, division)


def _without_held_out(card: RiskCard, rows: list[ReportRows], drawn: list[Any]) -> list[ReportRows]:
    """The data and the test rows, where either file may have both the training and the held-out rows."""
    data = _split(card, rows[0], drawn[0])
    if len(data) > 1:
        use = "the test rows" if len(rows) == 1 else "they are left out of the data"
        say(f"{len(data[1].labels):,} of these rows were held out of the fit: {use}.")
    if len(rows) == 1:
        return data
    test = _split(card, rows[1], drawn[1])
    if len(test) > 1:
        learned = len(test[0].labels)
        say(f"The card was learned from {learned:,} of the test rows: they are left out.")
    return [data[0], test[-1]]


def _split(card: RiskCard, rows: ReportRows, groups: Any) -> list[ReportRows]:
    """The training rows and the rows that were held out, where a file has both; otherwise all rows."""
    import numpy as np

    from riskcard.model.origin.held_out import find_held_out
    from riskcard.report.gather import ReportRows

    is_event = rows.labels == card.classes[1]
    held_out = find_held_out(card, rows.table.features, is_event, rows.sample_weight, groups)
    if held_out is None or held_out.all():
        return [rows]
    return [
        ReportRows(
            rows.table.take(np.flatnonzero(part)),
            rows.labels[part],
            None if rows.sample_weight is None else rows.sample_weight[part],
            {name: column[part] for name, column in rows.for_card.items()},
            rows.division.take(part),
        )
        for part in (~held_out, held_out)
    ]


def _shown(options: Namespace) -> list[tuple[str, str]]:
    """Every option that is set; a time limit, even where there is none."""
    limit = "none" if options.time_limit is None else f"{options.time_limit:g}"
    return shown_options(Namespace(**{**vars(options), "time_limit": limit}), _HIDDEN)
