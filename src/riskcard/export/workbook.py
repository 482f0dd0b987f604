"""A card as a workbook for Excel and LibreOffice, in which formulas score one case per row."""

import io
import math
import re
from typing import Any

from riskcard.checks import whole_number
from riskcard.data.levels import Label
from riskcard.errors import ParameterError
from riskcard.export.answers import Answer, Rule
from riskcard.export.cases import (
    CardCases,
    Case,
    FeatureCases,
    Kind,
    When,
    cases_for,
    refuse_texts,
)
from riskcard.export.workbook_formulas import (
    Lines,
    answer_formula,
    points_formula,
    remark_formula,
    total_formula,
)
from riskcard.extras import import_extra
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.outcome_kinds import name_of_kind

#: The first row of the sheet "Cases" that is filled in; the row above it has the names.
FIRST_ROW = 4

#: Letters in one line of a column of points, and the number that spreadsheets have for A4.
_LETTERS, _A4 = 12, 9

#: Totals are listed up to this many.
_MOST_TOTALS = 500

#: Spreadsheets hold numbers of this size, and distinguish numbers by this many digits.
_SMALLEST, _LARGEST, _DIGITS = 1e-300, 1e300, 15

_NOT_IN_CELLS = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
_LIKE_AN_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

_BASE, _MULTIPLIER, _OFFSET = "Card!$B$3", "Card!$B$4", "Card!$B$5"
#: The name of the sheet with all totals.
_TABLES = {
    "binary": "Risk",
    "time_to_event": "Risk",
    "counts": "Rate",
    "ordered_levels": "Levels",
    "numbers": "Value",
}

#: The column of the cumulative hazard by the first horizon, on the sheet of the card.
_FIRST_HAZARD = 4
_GREY, _PALE = "FFE7E7E7", "FFFFF8DC"

_HINT = (
    "One case per row: fill in the pale cells; an empty cell is a missing value. The other cells "
    "follow from the sheet Card."
)


def card_to_workbook(card: RiskCard, rows: int = 100) -> bytes:
    """Write a card as the content of an .xlsx file.

    Parameters
    ----------
    card
        A card whose levels are of one kind in each feature.
    rows
        How many rows for cases are prepared.

    Returns
    -------
    bytes
        A workbook with three sheets: "Cases" to fill in, with points, total, risk and a remark by
        formulas; "Card" with the points, which the formulas look up; "Risk" (or "Rate", "Levels", "Value")
        with all totals.
    """
    rows = whole_number("rows", rows, least=1)
    cases = cases_for(card, "a column of a workbook", "a number in a workbook")
    _check(cases)
    openpyxl = import_extra("openpyxl", "A workbook", "workbook")
    workbook = openpyxl.Workbook()
    workbook.properties.title, workbook.properties.creator = cases.title, "riskcard"
    writer = _Writer(openpyxl)
    sheet, card_sheet = workbook.active, workbook.create_sheet("Card")
    sheet.title = "Cases"
    lines = _fill_card(writer, card_sheet, cases)
    _fill_cases(writer, sheet, lines, rows, [_heading(card, one) for one in card.features], cases)
    _fill_example(writer, sheet, card)
    totals = card.reachable_totals()
    if len(totals) <= _MOST_TOTALS:
        name = _TABLES[name_of_kind(card.kind)]
        _fill_risks(writer, workbook.create_sheet(name), totals, card.training, cases)
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def _check(cases: CardCases) -> None:
    """Refuse what a spreadsheet cannot hold, or would take for something else."""
    refuse_texts(cases, _NOT_IN_CELLS, "a control character, which a cell cannot hold")
    for feature in cases.features:
        if "" in feature.levels:
            raise ParameterError(
                f"'' is a level of {feature.name!r}, but an empty cell is a missing value. "
                "Give the level a name."
            )
        for value in (value for case in feature.middle for value in case.values):
            if isinstance(value, float) and not _fits(value, feature.kind):
                raise ParameterError(
                    f"{value!r} of {feature.name!r} is a number that a spreadsheet cannot hold: use "
                    f"numbers of at most {_DIGITS} digits, from {_SMALLEST:g} to {_LARGEST:g}."
                )


def _fits(value: float, kind: Kind) -> bool:
    if value != 0 and not _SMALLEST <= abs(value) <= _LARGEST:
        return False
    # a cut may have more digits: values that near to it count as equal
    return kind is Kind.NUMBER or float(f"{value:.{_DIGITS}g}") == value


class _Writer:
    """Writes cells in a few styles."""

    def __init__(self, openpyxl: Any) -> None:
        styles = openpyxl.styles
        self.letter = openpyxl.utils.get_column_letter
        self.validation = openpyxl.worksheet.datavalidation.DataValidation
        self.bold = styles.Font(name="Calibri", size=11, bold=True)
        self.grey = styles.PatternFill("solid", fgColor=_GREY)
        self.pale = styles.PatternFill("solid", fgColor=_PALE)
        thin = styles.Side(style="thin", color="FFB0B0B0")
        self.frame = styles.Border(left=thin, right=thin, top=thin, bottom=thin)
        self.wrap = styles.Alignment(wrap_text=True, vertical="top")

    def text(self, sheet: Any, row: int, column: int, text: str, is_bold: bool = False) -> None:
        """A text that stays a text, even if it begins like a formula."""
        cell = sheet.cell(row, column, _LIKE_AN_ESCAPE.sub("_x005F_", text))
        cell.data_type = "s"
        if is_bold:
            cell.font = self.bold

    def header(self, sheet: Any, row: int, texts: list[str]) -> None:
        for column, text in enumerate(texts, 1):
            self.text(sheet, row, column, text, is_bold=True)
            cell = sheet.cell(row, column)
            cell.fill, cell.border, cell.alignment = self.grey, self.frame, self.wrap

    def value(self, sheet: Any, row: int, column: int, value: Label) -> None:
        if isinstance(value, str):
            self.text(sheet, row, column, value)
        else:
            sheet.cell(row, column, value)


# --- the sheet with the points ------------------------------------------------------------------


def _fill_card(writer: _Writer, sheet: Any, cases: CardCases) -> list[Lines]:
    """Write the points; returns the rows of each feature."""
    writer.text(sheet, 1, 1, cases.title, is_bold=True)
    scale = {"Base": cases.base, "Multiplier": cases.multiplier, "Offset": cases.offset}
    for row, (word, number) in enumerate(scale.items(), 3):
        writer.text(sheet, row, 1, word)
        sheet.cell(row, 2, number)
    writer.text(sheet, 6, 1, _scale_words(cases))
    _fill_hazards(writer, sheet, cases)
    header = ["Feature", "Values", "Value or upper limit", "Points"]
    has_counts = any(case.rows is not None for one in cases.features for case in one.cases)
    if has_counts:
        header += ["Training rows", "Training events"]
        # rows were followed for different times
        header += ["Observed rate"] if cases.is_yes_or_no else []
    writer.header(sheet, 8, header)
    lines, row = [], 9
    for feature in cases.features:
        lines.append(_fill_feature(writer, sheet, feature, row, cases.is_yes_or_no))
        row = lines[-1].missing + 1
    for column, width in zip("ABCDEFG", (24, 36, 22, 12, 14, 16, 14), strict=True):
        sheet.column_dimensions[column].width = width
    sheet.freeze_panes = "A9"
    _fit_to_width(sheet)
    return lines


def _scale_words(cases: CardCases) -> str:
    """What follows from a total, as formulas."""
    linear = "total / multiplier + offset"
    if cases.is_yes_or_no:
        return f"log-odds = {linear}; risk = 1 / (1 + exp(-log-odds))"
    if cases.answers.linear == "expected":
        return f"expected value = {linear}"
    if cases.answers.linear == "log_rate":
        return f"{cases.answers.numbers[0].words} = exp({linear})"
    if not cases.answers.has_events:
        return f"relative hazard = exp({linear}); level or higher = 1 - exp(-H(level) * relative hazard)"
    return f"relative hazard = exp({linear}); risk by t = 1 - exp(-H(t) * relative hazard)"


def _fill_hazards(writer: _Writer, sheet: Any, cases: CardCases) -> None:
    """The cumulative hazard by each horizon, next to the scale."""
    for column, one in enumerate(cases.answers.numbers, _FIRST_HAZARD):
        if one.rule is Rule.RISK_BY:
            the = "the " if cases.answers.has_events else ""
            writer.text(sheet, 3, column, f"H for {the}{one.words}")
            sheet.cell(4, column, one.hazard)


def _answer_formulas(writer: _Writer, cases: CardCases, total: str) -> list[str]:
    """The formulas of what follows from the total of a row."""
    return [
        answer_formula(
            one, total, (_MULTIPLIER, _OFFSET), f"Card!${writer.letter(_FIRST_HAZARD + place)}$4"
        )
        for place, one in enumerate(cases.answers.numbers)
    ]


def _form_of(answer: Answer) -> str:
    """How a spreadsheet shows a number."""
    if answer.is_share:
        return "0.0%"
    return f"0.{'0' * answer.decimals}" if answer.decimals else "0"


def _fill_feature(
    writer: _Writer, sheet: Any, feature: FeatureCases, first: int, has_rates: bool = True
) -> Lines:
    """One row per code, bin or level, then other levels, then missing."""
    is_number = feature.kind is Kind.NUMBER
    n_codes = sum(case.when is When.EQUAL for case in feature.middle) if is_number else 0
    n_bins = sum(case.when is When.UP_TO for case in feature.middle)
    told: list[tuple[Case, Label | None]] = [
        (case, value) for case in feature.middle for value in case.values
    ]
    told += [(feature.otherwise, None), (feature.missing, None)]
    for row, (case, value) in enumerate(told, first):
        writer.text(sheet, row, 1, feature.name)
        writer.text(sheet, row, 2, case.words)
        if value is not None:
            writer.value(sheet, row, 3, value)
        writer.value(sheet, row, 4, "no points" if case.points is None else case.points)
        # levels of one group share its points and its rows
        if case.rows is not None and (not case.values or value == case.values[0]):
            sheet.cell(row, 5, case.rows)
            sheet.cell(row, 6, case.events)
            if has_rates:
                rate = f'=IF(E{row}=0,"",F{row}/E{row})'
                sheet.cell(row, 7, rate).number_format = "0.0%"
        for column in range(1, 5 if case.rows is None else 7 + has_rates):
            sheet.cell(row, column).border = writer.frame
    last = first + len(told) - 1
    middle = first + n_codes
    return Lines(
        feature,
        codes=(first, middle - 1),
        cuts=(middle, middle + n_bins - 1),
        levels=(first, last - 2),
        missing=last,
        otherwise=last - 1,
    )


# --- the sheet to fill in -----------------------------------------------------------------------


def _heading(card: RiskCard, feature: CardFeature) -> str:
    """What a feature is called, and what 0 and 1 mean where they are answers."""
    answers = [line for line in card.lines_of(feature) if line.phrase in ("no", "yes")]
    meant = ", ".join(f"{line.first:g} = {line.label}" for line in answers)
    name = card.labels.heading(feature.name)
    return f"{name} ({meant})" if meant else name


def _fill_cases(
    writer: _Writer, sheet: Any, lines: list[Lines], rows: int, names: list[str], cases: CardCases
) -> None:
    writer.text(sheet, 1, 1, cases.title, is_bold=True)
    writer.text(sheet, 2, 1, _HINT)
    points = [f"points: {name}" for name in names]
    answers = [one.words for one in cases.answers.numbers]
    writer.header(sheet, FIRST_ROW - 1, ["case", *names, *points, "total", *answers, "remarks"])
    for row in range(FIRST_ROW, FIRST_ROW + rows):
        _fill_case(writer, sheet, lines, row, cases)
    last = FIRST_ROW + rows - 1
    for place, block in enumerate(lines):
        letter = writer.letter(place + 2)
        sheet.column_dimensions[letter].width = 16
        _add_validation(writer, sheet, block, f"{letter}{FIRST_ROW}:{letter}{last}")
    remarks = 2 * len(names) + 3 + len(answers)
    for column in range(len(names) + 2, remarks):
        sheet.column_dimensions[writer.letter(column)].width = 16
    sheet.column_dimensions[writer.letter(remarks)].width = 60
    longest = max((len(name) for name in points), default=0)
    sheet.row_dimensions[FIRST_ROW - 1].height = 16 * max(2, -(-longest // _LETTERS) + 1)
    sheet.freeze_panes = f"B{FIRST_ROW}"
    _fit_to_width(sheet)
    sheet.page_setup.orientation = "landscape"
    sheet.print_title_rows = f"{FIRST_ROW - 1}:{FIRST_ROW - 1}"


def _fill_example(writer: _Writer, sheet: Any, card: RiskCard) -> None:
    """Fill in the first case with values of the usual bins, so that one sees what is to be done."""
    writer.text(sheet, FIRST_ROW, 1, "example")
    for column, feature in enumerate(card.features, 2):
        value = _usual_value(feature)
        if value is not None:
            writer.value(sheet, FIRST_ROW, column, value)


def _usual_value(feature: CardFeature) -> Label | None:
    """A level of the usual group, or a number in the middle of the usual bin; None without one.

    A card written by hand may have no training value in its usual bin.
    """
    line = next((line for line in feature.lines() if line.is_usual), None)
    if line is None or line.values:
        return None if line is None else line.values[0]
    seen = feature.training_range
    if seen is None:
        return line.high if line.high < math.inf else None
    low, high = max(line.low, seen.lowest), min(line.high, seen.highest)
    middle = (low + high) / 2
    rounded = [float(f"{middle:.{digits}g}") for digits in (2, 3, 4)] + [high]
    fitting = (one for one in rounded if line.low < one <= line.high and one in seen)
    return next(fitting, None)


def _fit_to_width(sheet: Any) -> None:
    """Print on pages of A4 of one sheet's width."""
    sheet.page_setup.paperSize = _A4
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True


def _fill_case(writer: _Writer, sheet: Any, lines: list[Lines], row: int, cases: CardCases) -> None:
    """The formulas of one row."""
    count = len(lines)
    inputs = f"$A{row}:${writer.letter(count + 1)}{row}"
    blocks = []
    for place, block in enumerate(lines):
        letter = writer.letter(place + 2)
        blocks.append((block, f"${letter}{row}", f"${letter}${FIRST_ROW - 1}"))
        formula = points_formula(block, f"${letter}{row}", inputs)
        sheet.cell(row, count + 2 + place, formula)
        if block.feature.kind is Kind.TEXT:
            sheet[f"{letter}{row}"].number_format = "@"  # so that 1 is typed as a text
    for column in range(1, count + 2):
        sheet.cell(row, column).fill = writer.pale
        sheet.cell(row, column).border = writer.frame
    first, last = (f"${writer.letter(column)}{row}" for column in (count + 2, 2 * count + 1))
    total = f"${writer.letter(2 * count + 2)}{row}"
    summed = total_formula(f"{first}:{last}", count, _BASE, inputs)
    sheet.cell(row, 2 * count + 2, summed).font = writer.bold
    column = 2 * count + 3
    for one, formula in zip(
        cases.answers.numbers, _answer_formulas(writer, cases, total), strict=True
    ):
        cell = sheet.cell(row, column, formula)
        cell.font, cell.number_format = writer.bold, _form_of(one)
        column += 1
    sheet.cell(row, column, remark_formula(blocks, inputs))


def _add_validation(writer: _Writer, sheet: Any, lines: Lines, cells: str) -> None:
    """What may be typed; for an unknown level that gets points there is only a warning."""
    feature = lines.feature
    if feature.kind is Kind.NUMBER:
        rule = writer.validation(
            "decimal", operator="between", formula1="-1E+300", formula2="1E+300"
        )
        rule.error = "Type a number, or leave the cell empty when the value is missing."
    else:
        levels = f"Card!$C${lines.levels[0]}:$C${lines.levels[1]}"
        rule = writer.validation("list", formula1=levels)
        rule.error = "Choose one of the levels, or leave the cell empty when the value is missing."
        rule.errorStyle = "stop" if feature.otherwise.points is None else "warning"
    rule.allow_blank, rule.showErrorMessage, rule.errorTitle = True, True, "Not on the card"
    sheet.add_data_validation(rule)
    rule.add(cells)


def _fill_risks(
    writer: _Writer,
    sheet: Any,
    totals: list[int],
    training: TrainingFacts | None,
    cases: CardCases,
) -> None:
    """The risk of every total that a row can have, and what was observed where the scale was fitted."""
    answers = cases.answers.numbers
    counts = {one.low: one for one in (training.totals if training else ()) if one.low == one.high}
    header = ["total", *(one.words for one in answers)]
    where = "recalibration" if training is not None and training.is_recalibrated else "training"
    seen = [f"{where} rows", f"{where} events", "observed rate"]
    if not cases.is_yes_or_no:  # follow-up differs, and rows may have several events
        seen = seen[: 2 if cases.answers.has_events else 1]
    header += seen if counts else []
    writer.header(sheet, 1, header)
    for row, total in enumerate(totals, 2):
        sheet.cell(row, 1, total)
        for column, formula in enumerate(_answer_formulas(writer, cases, f"$A{row}"), 2):
            sheet.cell(row, column, formula).number_format = _form_of(answers[column - 2])
        if (one := counts.get(total)) is not None:
            observed = (one.rows, one.events, one.event_weight / one.weight)
            for column, number in enumerate(observed[: len(seen)], len(answers) + 2):
                sheet.cell(row, column, number)
            if len(seen) > 2:
                sheet.cell(row, len(answers) + 4).number_format = "0.0%"
    for place in range(len(header)):
        sheet.column_dimensions[writer.letter(place + 1)].width = 16
    sheet.freeze_panes = "A2"
    _fit_to_width(sheet)
