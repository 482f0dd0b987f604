"""What is printed is the model: reading the text alone gives totals and risks."""

import io
import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings

from cards import certificate, heart_card, mass_card, risk_cards, values_of
from counted import counted
from html_reader import read_html
from riskcard.card.card_html import render_html, render_page
from riskcard.card.scorecard import score_card_of
from riskcard.card.sentences import (
    kind_words,
    proof_for_readers,
    proof_sentence,
    shrinkage_words,
    training_words,
)
from riskcard.card.terminal import print_card
from riskcard.errors import ParameterError
from riskcard.formatting.numbers import format_number
from riskcard.formatting.plain_text import columns_of
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.lines import show_level
from riskcard.model.origin.certificate import TrainingFacts


def table_lines(text: str, header: str) -> list[str]:
    """The lines of the table under a header, without rules."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(header))
    end = next(i for i in range(start, len(lines)) if not lines[i].strip())
    return [line for line in lines[start + 1 : end] if not line.startswith("-")]


def read_bins(text: str) -> tuple[list[list[tuple[float, float, int]]], int]:
    """(low, high, points) of every bin of every feature, and the base, from the text alone."""
    features, base = [], None
    for line in table_lines(text, "Feature"):
        points = int(line.split()[-1])
        if line.startswith("Base (everyone)"):
            base = points
            continue
        low = re.search(r"> (\S+)", line)
        high = re.search(r"<= (\S+)", line)
        if not line.startswith(" "):
            features.append([])
        features[-1].append(
            (
                float(low[1]) if low else -math.inf,
                float(high[1]) if high else math.inf,
                points,
            )
        )
    return features, base


def read_risks(text: str) -> dict[int, str]:
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split()[:2] == ["Total", "Risk"])
    end = next(i for i in range(start + 2, len(lines)) if not lines[i].strip())
    cells = [cell.split(None, 1) for line in lines[start + 2 : end - 1] for cell in line.split("|")]
    return {int(cell[0]): cell[1].strip() for cell in cells if cell}


def is_rounded(text: str, risk: float) -> bool:
    """The printed percentage is the risk, to the digits printed."""
    if text.startswith("<"):
        return risk < 0.0001
    if text.startswith(">"):
        return risk > 0.9999
    number = text.removesuffix(" %")
    unit = 10.0 ** -len(number.split(".")[1])
    return abs(float(number) - 100 * risk) <= unit / 2 + 1e-9


@settings(deadline=None)
@given(risk_cards(is_plain=True))
def test_adding_up_the_printed_card_gives_the_risk(card):
    plain = RiskCard(  # names that cannot be taken for numbers, so that the text can be parsed
        [FeaturePoints(f"f{i}", f.cuts, f.points) for i, f in enumerate(card.features)],
        base=card.base,
        multiplier=card.multiplier,
        offset=card.offset,
    )
    text = plain.to_text()
    features, base = read_bins(text)
    risks = read_risks(text)
    assert sorted(risks) == plain.reachable_totals()
    for position in range(max((len(bins) for bins in features), default=1)):
        row = [bins[position % len(bins)] for bins in features]
        values = [high if math.isfinite(high) else max(low, -1e308) + 1 for low, high, _ in row]
        values = [
            math.nextafter(low, math.inf) if not low < value <= high else value
            for value, (low, high, _) in zip(values, row, strict=True)
        ]
        if not all(map(math.isfinite, values)):
            continue
        total = base + sum(points for _, _, points in row)
        rows = [values] if values else {"any": [0.0]}
        assert plain.total_points(rows).tolist() == [total]
        assert is_rounded(risks[total], float(plain.risk(rows)[0]))


def label_by_hand(feature: FeaturePoints | LevelPoints, value) -> Callable[[str], bool]:
    """Whether the label of a row is the one for a value."""
    if value is None:
        return lambda label: label == "missing"
    if isinstance(feature, LevelPoints):
        is_boolean = all(isinstance(level, bool) for level in feature.levels)
        shown = ("yes" if value else "no") if is_boolean else show_level(value)
        return lambda label: shown in label.split(", ")
    if value in dict(feature.codes):
        return lambda label: label == format_number(value)
    if not feature.cuts:
        return lambda label: label in ("any value", "any other value", "not missing")

    def is_in_range(label: str) -> bool:
        low, high = re.search(r"> (\S+)", label), re.search(r"≤ (\S+)", label)
        is_above = low is None or value > float(low[1])
        return bool(low or high) and is_above and (high is None or value <= float(high[1]))

    return is_in_range


@pytest.mark.slow
@settings(deadline=None)
@given(risk_cards())
def test_every_value_has_one_row_with_its_points(card):
    limits = [  # in words of limits; those of counts have a test of their own
        replace(one, training_range=None) if isinstance(one, FeaturePoints) else one
        for one in card.features
    ]
    card = replace(card, features=tuple(limits))
    for feature, block in zip(card.features, score_card_of(card).blocks, strict=True):
        assert block.feature == feature.name
        for value in values_of(feature):
            fits = label_by_hand(feature, value)
            rows = [one for one in block.lines if fits(one.label)]
            if any('"' in one.label for one in block.lines):
                continue  # a quoted level may have commas
            assert [one.points for one in rows] == feature.points_of([value]).tolist()


def test_rows_for_missing_values_codes_levels_and_booleans():
    lines = table_lines(mass_card().to_text(), "Feature")
    assert [re.split(r"  +", line.strip()) for line in lines] == [
        ["age", "<= 45", "0"],
        ["> 45 to <= 60", "1"],
        ["> 60", "3"],
        ["-9", "2"],
        ["missing", "1"],
        ["shape", "round, oval", "0"],
        ["irregular, lobular", "3"],
        ["density", "low, medium", "2"],
        ["high", "0"],
        ["missing", "1"],
        ["palpable", "no", "0"],
        ["yes", "1"],
        ["Base (everyone)", "0"],
    ]
    assert mass_card().to_text().isascii()


@pytest.mark.parametrize(
    ("feature", "label"),
    [
        (FeaturePoints("x", [], [0]), "any value"),
        (FeaturePoints("x", [], [0], missing=1), "not missing"),
        (FeaturePoints("x", [], [0], missing=1, codes=[(-9, 2)]), "any other value"),
    ],
)
def test_a_feature_without_cuts_has_a_row_for_the_rest(feature, label):
    assert re.search(rf"x +{label} +0\n", RiskCard([feature]).to_text())


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("upper left", "upper left"),
        ("größer", "größer"),
        (True, "True"),
        ("True", '"True"'),
        (2.0, "2"),
        (10**400, "1" + "0" * 400),
        ("2.0", '"2.0"'),
        ("missing", '"missing"'),
        ("", '""'),
        (" a", '" a"'),
        ("a, b", '"a, b"'),
        ("two\nlines", '"two\\nlines"'),
    ],
)
def test_a_level_that_could_be_taken_for_something_else_is_quoted(level, shown):
    assert show_level(level) == shown


NASTY = "age\x1b[2J\x1b]0;owned\x07\u202e\x9b8m\r\ud800"


def test_control_characters_in_names_never_reach_a_terminal():
    features = [FeaturePoints(NASTY, [60], [0, 3]), LevelPoints("b", [[NASTY], ["c"]], [0, 1])]
    facts = certificate(notes=[NASTY], rules=[NASTY])
    card = RiskCard(features, outcome=NASTY, certificate=facts)
    why = card.explain({NASTY: 70, "b": NASTY})
    screen = io.StringIO()
    print_card(card, screen, width=79)
    texts = [str(card), card.to_text("two_sided"), card.to_markdown(), screen.getvalue(), str(why)]
    for text in [*texts, *map(str, card.terms), *(one.words for one in why.conditions)]:
        assert text.replace("\n", "").isprintable()
    assert all("x1b" in text for text in texts)


def many_levels() -> RiskCard:
    names = [f"job number {i}" for i in range(60)]
    return RiskCard([LevelPoints("job", [names, ["clerk", "nurse"]], [0, 2])])


def test_long_lists_of_levels_are_broken_and_shortened_in_text_only():
    text = many_levels().to_text()
    assert max(map(len, text.splitlines())) <= 79
    shown = {int(number) for number in re.findall(r"job number (\d+)", text)}
    assert shown == set(range(len(shown)))
    assert 10 < len(shown) < 60
    assert f"... and {60 - len(shown)} more\n" in text
    assert re.search(r"\n +clerk, nurse +2\n", text)
    html = read_html(many_levels().to_html())
    assert ", ".join(f"job number {i}" for i in range(60)) in html.texts
    two_sided = many_levels().to_text("two_sided")
    assert re.search(r"job +in \{clerk, nurse\} +1 +-1", two_sided)


def test_every_condition_of_the_two_sided_form_is_shown():
    lines = table_lines(mass_card().to_text("two_sided"), "Feature")
    assert [re.split(r"  +", line.strip()) for line in lines] == [
        ["age", "<= 45 (not -9)", "0", "1"],
        ["age", "<= 60 or missing", "-1", "1"],
        ["age", "= -9", "1", "0"],
        ["shape", "in {irregular, lobular}", "2", "-1"],
        ["density", "in {low, medium}", "1", "-1"],
        ["density", "is missing", "1", "0"],
        ["palpable", "= True", "1", "0"],
        ["Intercept", "3"],
    ]
    assert len(many_levels().two_sided_terms) == 1


def test_one_row_stands_for_each_bin():
    text = heart_card().to_text()
    assert [line.split() for line in table_lines(text, "Feature")] == [
        ["age", "<=", "60", "0"],
        [">", "60", "to", "<=", "75", "2"],
        [">", "75", "3"],
        ["pressure", "<=", "0.125", "5"],
        [">", "0.125", "0"],
        ["Base", "(everyone)", "-1"],
    ]
    assert text.startswith("Risk of death\n")
    assert str(heart_card()) == text
    assert text.isascii()


def test_the_two_sided_form_adds_up_to_the_same_totals():
    card = heart_card()
    lines = [line.split() for line in table_lines(card.to_text("two_sided"), "Feature")]
    *terms, intercept = lines
    age, pressure = 70.0, 0.1
    value = {"age": age, "pressure": pressure}
    total = int(intercept[1]) + sum(
        int(below) if value[name] <= float(cut) else int(above) for name, cut, below, above in terms
    )
    assert total == card.total_points({"age": age, "pressure": pressure})[0]
    assert read_risks(card.to_text("two_sided")) == read_risks(card.to_text())


def test_an_unknown_form_is_refused():
    with pytest.raises(ParameterError, match=r"form is 'round'\. Use 'bins' or 'two_sided'"):
        heart_card().to_text("round")


def test_many_totals_stand_side_by_side():
    card = RiskCard(
        [FeaturePoints(f"f{i}", [1], [0, 2**i]) for i in range(6)], base=-30, multiplier=6
    )
    text = card.to_text()
    assert len(read_risks(text)) == 64
    assert len(text.splitlines()) < 48
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            certificate(61.17590, 61.1758999, "optimal"),
            "Proven optimal: no card of this kind has a loss below 61.1759 (this one: 61.1759).",
        ),
        (
            certificate(350.1, 340.29999, "time_limit"),
            "Loss 350.1000; no card of this kind can be below 340.2999 (gap 2.8 %). "
            "Stopped at the time limit.",
        ),
        (
            certificate(350.1, 340.2, "interrupted"),
            "Loss 350.1000; no card of this kind can be below 340.2000 (gap 2.9 %). "
            "Stopped by the user.",
        ),
        (
            certificate(350.1, 0.0, "heuristic"),
            "Not proven: heuristic search only (loss 350.1000).",
        ),
        (
            certificate(350.1, 0.0, "time_limit"),
            "Not proven: no bound was reached (loss 350.1000). Stopped at the time limit.",
        ),
        (
            certificate(3.25e-6, 3.25e-6, "optimal"),
            "Proven optimal: no card of this kind has a loss below 0.0000032500 "
            "(this one: 0.0000032500).",
        ),
        (
            certificate(3.25e-14, 1.625e-14, "gap_reached"),
            "Loss 3.250000e-14; no card of this kind can be below 1.625000e-14 (gap 50.0 %). "
            "Stopped at the gap that was asked for.",
        ),
    ],
)
def test_the_certificate_is_one_plain_sentence(made, sentence):
    assert proof_sentence(made) == sentence


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            certificate(),
            "at most 3 terms, 5 points per term, calibrated scale, cuts at every gap in the data",
        ),
        (
            certificate(
                max_features=2, max_cuts_per_feature=1, max_points=1, scale=1, is_grid_full=False
            ),
            "at most 3 terms, 2 features, 1 term per feature, 1 point per term, whole base and "
            "multiplier 1, cuts from a limited list only",
        ),
        (certificate(scale="multiplier"), "whole base and free multiplier"),
        (
            certificate(is_grid_full=False, grid=9, shortlist=1, all_conditions=12),
            "calibrated scale, at most 9 candidate cuts per feature, 1 candidate condition, preselected from 12.",
        ),
    ],
)
def test_the_kind_of_cards_is_said(made, words):
    assert words in kind_words(made)


ROWS = TrainingFacts(rows=850, events=212, weight=850.0, event_weight=212.0)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            certificate(350.1, 350.1, "optimal"),
            "Proven: no other card of this size and kind fits these rows better by more than a "
            "millionth (see the details for the kind).",
        ),
        (
            certificate(350.1, 350.1, "optimal", pseudo_rows=60),
            "Proven: counting the extra rows, no other card of this size and kind fits these rows better by more "
            "than a millionth (see the details for the kind).",
        ),
        (
            certificate(350.1, 350.1, "optimal", pseudo_rows=60, shortlist=70, all_conditions=1990),
            "Proven among the 70 of 1,990 conditions that were preselected: counting the extra rows, no other card of "
            "this size and kind fits these rows better by more than a millionth (see the details for the kind).",
        ),
        (
            certificate(350.1, 340.2, "time_limit", shortlist=70, all_conditions=990),
            "The search was not finished: a card of this kind with a mean loss up to 0.012 lower per row "
            "(of 0.412) may exist among the 70 of 990 conditions that were preselected.",
        ),
        (
            certificate(350.1, 340.2, "time_limit"),
            "The search was not finished: a card of this kind with a mean loss up to 0.012 lower per row "
            "(of 0.412) may exist.",
        ),
        (
            certificate(350.1, 340.2, "interrupted", pseudo_rows=150),
            "The search was interrupted: a card of this kind with a mean loss up to 0.0099 lower per row "
            "(of 0.350) may exist.",
        ),
        (
            certificate(350.1, 0.0, "time_limit"),
            "The search was not finished, and how much better another card may fit is not known.",
        ),
        (
            certificate(350.1, 0.0, "heuristic"),
            "Found by a heuristic search; whether another card of this kind fits better is not known.",
        ),
    ],
)
def test_the_front_says_in_one_sentence_what_is_proven(made, sentence):
    assert proof_for_readers(made, ROWS) == sentence
    front, _, back = " ".join(
        heart_card(certificate=made, training=ROWS).to_text().split()
    ).partition("Details")
    assert sentence in front
    for words in ("log-odds", "gap", "bound", "pseudo", "This kind:"):
        assert words not in front
    assert "log-odds" in back
    assert "This kind:" in back


def test_what_may_exist_is_never_rounded_down():
    for bound in (340.2, 341.77, 349.99999, 3.0):
        words = proof_for_readers(certificate(350.1, bound, "time_limit"), ROWS)
        said = float(re.search("up to ([0-9.]+) lower", words)[1])
        assert (350.1 - bound) / 850 * (1 - 1e-9) <= said <= (350.1 - bound) / 850 * 1.1


def test_a_gap_is_never_rounded_down():
    for bound in (340.2, 341.77, 349.99999, 3.0):
        said = float(re.search("gap ([0-9.]+) %", proof_sentence(certificate(350.1, bound)))[1])
        assert 0 <= said - 100 * (350.1 - bound) / 350.1 <= 0.1


@pytest.mark.parametrize(
    ("events", "share"), [(0, "0 %"), (1, "< 0.01 %"), (40, "0.13 %"), (30_000, "100 %")]
)
def test_the_share_with_the_event_is_never_a_rounded_nothing(events, share):
    rows = TrainingFacts(30_000, events, weight=30_000, event_weight=events)
    assert training_words(rows) == (
        f"Learned from 30,000 rows, {events:,} of them with the event ({share})."
    )


def test_shrinkage_is_explained_without_technical_figures():
    (words,) = shrinkage_words(certificate(pseudo_rows=67.9157), ROWS)
    assert words == (
        "Risks are shrunk towards the average of 24.9 %, as if 68 extra rows with that rate had been "
        "seen. Rows and events count real rows only."
    )
    (words,) = shrinkage_words(certificate(pseudo_rows=0.46), ROWS)
    assert "as if less than 1 extra row with that rate" in words
    assert shrinkage_words(certificate(), ROWS) == []


def test_notes_rules_and_weights_are_shown():
    card = heart_card(
        certificate=certificate(notes=["A coarser grid was used."], rules=["age: up", "no bmi"]),
        training=TrainingFacts(10, 5, weight=20.5, event_weight=4.1, is_weighted=True),
    )
    text = " ".join(card.to_text().split())
    assert "Rules: age: up; no bmi. A coarser grid was used." in text
    assert "10 rows, 5 of them with the event (20.0 % by weight; sum of weights 20.5)" in text


def test_line_breaks_in_names_do_not_break_the_table():
    card = RiskCard([FeaturePoints("two\nlines", [1], [0, 1])])
    assert re.search("two lines +<= 1", card.to_text())


def test_html_says_what_the_text_says():
    card = heart_card()
    reader = read_html(card._repr_html_())
    for words in ["age", "≤ 60", "> 60 to ≤ 75", "Base (everyone)", "−1", "Risk of death"]:
        assert words in reader.texts
    for total, risk in read_risks(card.to_text()).items():
        assert str(total).replace("-", "−") in reader.texts
        assert risk in reader.texts


def test_html_is_escaped_and_needs_nothing_from_elsewhere():
    name = "<script>alert('&')</script>"
    card = heart_card(
        features=[FeaturePoints(name, [1], [0, 1])],
        feature_names=(),
        outcome=name,
        classes=("a", name),
    )
    page = render_page(card)
    reader = read_html(page)
    assert "script" not in reader.names
    assert name in reader.texts
    assert "http" not in page
    assert "src=" not in page


@given(risk_cards())
def test_html_of_any_card_is_well_formed(card):
    read_html(render_html(card))


def test_the_page_has_a_column_to_fill_in_and_shows_what_was_observed():
    card = counted(heart_card())
    reader = read_html(render_page(card))
    n_rows = sum(len(block.lines) for block in score_card_of(card).blocks)
    blanks = [attrs for tag, attrs in reader.elements if attrs.get("class") == "blank"]
    assert len(blanks) == 1 + n_rows + 1 + 2  # the header, the bins, the base, the total
    for line in score_card_of(card).bands:
        for words in (line.risk, str(line.seen.rows), str(line.seen.events), line.seen.rate_words):
            assert words in reader.texts
    assert "Base (everyone)" not in read_html(render_page(mass_card())).texts  # it is 0
    assert "@media print" in "".join(reader.styles)
    assert "display: none" in "".join(read_html(card.to_html()).styles)  # not in a notebook


def test_long_names_and_wide_letters_keep_the_columns_of_the_table():
    name = "the largest extent of the lesion in millimetres, measured by the protocol of the second year"
    card = RiskCard(
        [FeaturePoints(name, [10.5], [0, 1]), LevelPoints("病棟", [["日本語病棟"], ["x"]], [0, 2])]
    )
    for form in ("bins", "two_sided"):
        lines = card.to_text(form).splitlines()
        shown = " ".join(line[:40].strip() for line in lines)
        assert name in shown
        assert max(map(columns_of, lines)) <= 79
    rows = table_lines(card.to_text(), "Feature")
    assert len({columns_of(row) for row in rows if row[-1].isdigit()}) == 1
