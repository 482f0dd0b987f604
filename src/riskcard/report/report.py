"""A report on a card, from Python: gather the facts, draw the page."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from riskcard.data.frames import count_rows
from riskcard.errors import ParameterError
from riskcard.estimators.cross_validation.division import read_division
from riskcard.formatting.figures import amount
from riskcard.formatting.plain_values import as_plain
from riskcard.formatting.speech import say
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard
from riskcard.output_files import write_whole
from riskcard.plots.drawing import require_matplotlib
from riskcard.report.facts import ReportFacts
from riskcard.report.gather import ReportOptions, ReportRows, gather_facts
from riskcard.report.kind_facts import GivenRows, Repeats, gather_kind_facts
from riskcard.report.kind_report import KindReport
from riskcard.report.refits.procedure import procedure_of, procedure_of_model


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """A report: its facts, and the page that shows them."""

    facts: ReportFacts

    def to_html(self) -> str:
        """The page, which needs nothing else: styles and pictures are in it."""
        from riskcard.report.report_page import render_report

        return render_report(self.facts)

    def to_word(self) -> bytes:
        """The page as the content of a Word document."""
        from riskcard.formatting.pages.word_document import page_as_word
        from riskcard.plots.embedded import pictures_as_png

        with pictures_as_png():
            return page_as_word(self.to_html())

    def to_dict(self) -> dict[str, Any]:
        """Every figure of the page as plain dicts, lists, texts and numbers, ready for JSON.

        The card is as in its file. Of the cards of resamples there is what they say together: how
        often each feature enters, and the performance.
        """
        facts = self.facts
        found: dict[str, Any] = as_plain(replace(facts, stability=None, proof=None))
        found["card"] = json.loads(facts.card.to_json())
        found["audit"] = None if facts.audit is None else facts.audit.to_dict()
        found["proof"] = (
            None if facts.proof is None else as_plain(replace(facts.proof, content=b""))
        )
        if facts.proof is not None:
            del found["proof"]["content"]
        found["stability"] = (
            None if facts.stability is None else as_plain(facts.stability.to_dict())
        )
        return found

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all.

        A name that ends in .docx makes it a Word document, and one that ends in .json the figures.
        """
        ending = Path(path).suffix.lower()
        if ending == ".docx":
            write_whole(path, self.to_word())
        else:
            write_whole(path, self.to_json() if ending == ".json" else self.to_html())

    def __repr__(self) -> str:
        return f"<Report on {self.facts.card.title!r}: save(path) writes the page>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its styles stay there."""
        return render("report/templates/frame.html.j2", page=self.to_html())


def make_report(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    sites: Any = None,
    time_split: Any = None,
    test: tuple[Any, Any] | None = None,
    cv: int = 5,
    repeats: int = 5,
    n_bootstraps: int = 50,
    time_limit: float | None = 60.0,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    **further: Any,
) -> Report | KindReport:
    """Gather everything that there is to say about a card; ``save`` writes one page.

    Parameters
    ----------
    model
        A fitted classifier, or a ``RiskCard``; those of another outcome than yes or no have a report of their own.
    X, y
        Rows, usually those that the card was learned from. Then the card is refitted in folds and
        resamples, with the parameters of the classifier, or as the recipe of the card says. On other
        rows the card is judged as it is. The hashes in the recipe tell which rows these are.
    sample_weight
        One weight per row.
    groups
        One value per row, such as the patient: rows of one group stay together in folds and
        resamples.
    sites
        One value per row, such as the hospital: in place of folds, each site is held out once and
        judged by cards of all others.
    time_split
        One boolean per row: in place of folds, rows with True, such as those after a date, are judged
        by cards of the others.
    test
        A pair of other rows and their labels; training rows are refused.
    cv
        Folds; 0 for none.
    repeats
        How often folds are drawn; less often where the time limit is short.
    n_bootstraps
        Resamples; 0 for none.
    time_limit
        Seconds for all refits together; None for no limit. When it does not suffice there are
        fewer resamples, and the report says so.
    random_state
        Seed of folds and resamples.
    n_jobs
        Resamples at a time, in threads; None means one.
    progress
        Called with the number of steps done, of ``3 * cv * repeats + n_bootstraps`` in all.
    **further
        ``entry`` of times to an event, ``exposure`` of counts.

    Examples
    --------
    >>> from riskcard import RiskScoreClassifier, make_report
    >>> X = [[value % 10] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> report = make_report(RiskScoreClassifier(1).fit(X, y), X, y, cv=2, n_bootstraps=5)
    >>> report.facts.validation.folds, str(report.facts.mode.origin)
    (2, 'training rows')
    """
    require_matplotlib()
    card = getattr(model, "card_", model)
    if not isinstance(card, RiskCard):
        raise ParameterError(
            f"A report needs a RiskCard or a fitted classifier, not {type(model).__name__}."
        )
    _require_fit(card, test, further)
    note = progress or (lambda steps: None)
    plan = cv, repeats, n_bootstraps, time_limit, random_state
    division = read_division(count_rows(X), groups, sites, time_split)
    if card.kind is not None:
        given = GivenRows(X, y, sample_weight, further, division)
        return KindReport(gather_kind_facts(card, given, Repeats(*plan, n_jobs), note))
    procedure = procedure_of(card) if model is card else procedure_of_model(model)
    options = ReportOptions(*plan, n_jobs, shown_options=_shown_options(card, *plan))
    rows = ReportRows(X, y, sample_weight, division=division)
    others = None if test is None else ReportRows(*test)
    return Report(gather_facts(card, rows, others, procedure, options, note))


def _require_fit(card: RiskCard, test: Any, further: Mapping[str, Any]) -> None:
    """Refuse what the outcome of the card does not have."""
    if card.kind is not None and test is not None:
        raise ParameterError(
            "test is for outcomes of yes or no. Judge a card of another kind on other rows by giving them in "
            "place of the training rows."
        )
    if card.kind is None and further:
        raise ParameterError(
            f"{min(further)} is given, but the outcome of this card is yes or no. Leave it out."
        )


def _shown_options(
    card: RiskCard,
    cv: int,
    repeats: int,
    n_bootstraps: int,
    time_limit: float | None,
    random_state: int,
) -> tuple[tuple[str, str], ...]:
    """The names and values of options in the language of the card."""
    with card.labels.spoken():
        limit = say("origin_no_limit") if time_limit is None else f"{amount(time_limit, 'g')} s"
        return (
            (say("origin_folds"), str(cv)),
            (say("origin_repeats"), str(repeats)),
            (say("origin_resamples"), str(n_bootstraps)),
            (say("origin_seed"), str(random_state)),
            (say("origin_time_limit"), limit),
        )
