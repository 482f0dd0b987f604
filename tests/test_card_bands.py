"""The table from total to risk has few lines, all totals, and what was observed in them."""

from dataclasses import replace

import pytest
from hypothesis import given

from cards import heart_card, risk_cards
from counted import counted, many_totals
from riskcard.card.bands import band_lines
from riskcard.card.scorecard import score_card_of
from riskcard.model.totals import MOST_BANDS


@given(risk_cards())
def test_every_total_is_in_one_line_with_its_risk_between_the_ends(card):
    lines = band_lines(card)
    assert len(lines) <= MOST_BANDS
    for row in card.risk_table():
        (line,) = [line for line in lines if line.low <= row.total <= line.high]
        assert min(line.shares) <= row.risk <= max(line.shares)


@pytest.mark.parametrize("card", [counted(), counted(many_totals(5)), counted(many_totals(8))])
def test_lines_have_the_counts_of_their_totals(card):
    lines = band_lines(card)
    assert sum(line.seen.rows for line in lines) == 500
    for line in lines:
        inside = [one for one in card.training.totals if line.low <= one.low <= line.high]
        assert line.seen.rows == sum(one.rows for one in inside)
        assert line.seen.events == sum(one.events for one in inside)
        if line.seen.rows:
            assert line.seen.rate == line.seen.events / line.seen.rows
            assert line.interval == (line.shares[0] / 2, (1 + line.shares[1]) / 2)
        else:
            assert line.seen.rate is None
            assert line.seen.rate_words == ""


def test_weighted_rows_have_a_weighted_rate():
    card = counted(weight=2.0)
    lines = [line for line in band_lines(card) if line.seen.rows]
    assert all(line.seen.rate == line.seen.events / line.seen.rows for line in lines)
    assert "by weight; rows and events are counts" in score_card_of(card).observed


def test_a_card_without_intervals_prints_none():
    card = counted(has_intervals=False)
    assert all(line.interval is None for line in band_lines(card))
    for text in (card.to_text(), card.to_html(), card.to_markdown(), card.to_latex()):
        assert "95 %" not in text
        assert "Observed" in text


def test_counts_that_are_not_those_of_the_card_are_not_shown():
    card = counted()
    other = replace(card, base=card.base + 1000)
    assert all(line.seen is None for line in band_lines(other))
    assert score_card_of(other).observed == ""
    assert all(line.seen is None for line in band_lines(heart_card()))


def test_a_share_that_is_all_or_nothing_is_shown_as_that():
    facts = counted().training
    counts = tuple(replace(one, events=0, event_weight=0) for one in facts.totals)
    lines = band_lines(replace(counted(), training=replace(facts, totals=counts)))
    assert {line.seen.rate_words for line in lines} == {"0 %"}


def test_the_text_shows_counts_and_stays_narrow():
    for card in (counted(), counted(many_totals(8)), counted(weight=0.5)):
        lines = card.to_text().splitlines()
        start = next(i for i, line in enumerate(lines) if line.split()[:2] == ["Total", "Risk"])
        assert max(map(len, lines)) <= 79
        for line, shown in zip(score_card_of(card).bands, lines[start + 2 :], strict=False):
            cells = [line.label, line.risk, line.interval_words]
            cells += [str(line.seen.rows), str(line.seen.events), line.seen.rate_words]
            assert shown.split() == " ".join(cells).split()
