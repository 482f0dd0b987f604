"""The audit of cards of times and of counts: honest ones pass, and every lie is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import mean_poisson_deviance

from optional import find
from riskcard import (
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreRegressor,
    RiskScoreSurvival,
    audit_card,
)
from riskcard.audit.hand_rates import hazards_by_hand
from riskcard.audit.raw_outcome import read_outcome
from riskcard.cli.main import main
from riskcard.data.columns import FeatureValues
from riskcard.data.row_hash import hash_rows
from riskcard.status import Status
from survival_rows import draw_rows, structured

X, Y, ENTRY = draw_rows(200)
WEIGHTS = np.arange(200) % 3 + 0.5
EXPOSURE = 0.5 + np.arange(200) % 4
COUNTS = np.random.default_rng(3).poisson(EXPOSURE * np.exp(X[:, 0] > 0))


@pytest.fixture(scope="module")
def timed():
    return RiskScoreSurvival(3, horizons=[10, 30], certify=True, regularization=None).fit(X, Y)


@pytest.fixture(scope="module")
def counted():
    model = RiskScoreRegressor(3, certify=True, regularization=None)
    return model.fit(X, COUNTS, exposure=EXPOSURE)


def names(checks):
    return {one.name for one in checks}


@pytest.mark.parametrize("regularization", ["auto", None])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_honest_cards_pass(regularization, weights):
    model = RiskScoreSurvival(3, horizons=20, certify=True, regularization=regularization)
    model.fit(X, Y, sample_weight=weights, entry=ENTRY)
    found = audit_card(model, X, Y, weights, entry=ENTRY)
    assert found.passed, str(found)
    assert found.loss == pytest.approx(model.loss_, rel=1e-12)
    assert {"follow-up", "baseline", "values of the rows"}.isdisjoint(names(found.not_checked))
    model = RiskScoreRegressor(3, certify=True, regularization=regularization)
    model.fit(X, COUNTS, sample_weight=weights, exposure=EXPOSURE)
    found = audit_card(model.card_, X, COUNTS, weights, exposure=EXPOSURE)
    assert found.passed, str(found)
    assert found.loss == pytest.approx(model.loss_, rel=1e-12)


def test_a_regularised_loss_is_not_checked_without_a_column_of_training():
    columns = dict(zip(["age", "marker", "size"], X.T, strict=True))
    model = RiskScoreRegressor(1, certify=True).fit(columns, COUNTS, exposure=EXPOSURE)
    assert model.card_.certificate.smooth_rows > 0
    spare = next(name for name in columns if name != model.card_.features[0].name)
    for left_out, is_checked in ((None, True), (spare, False)):
        rows = {name: column for name, column in columns.items() if name != left_out}
        found = audit_card(model.card_, rows, COUNTS, exposure=EXPOSURE)
        assert found.passed == is_checked, str(found)
        assert not found.failures, str(found)
        assert ("certificate" in names(found.not_checked)) == (not is_checked)


def test_the_loss_is_half_the_deviance_of_scikit_learn(counted):
    found = audit_card(counted, X, COUNTS, exposure=EXPOSURE)
    rates = counted.predict(X)
    mean = mean_poisson_deviance(COUNTS / EXPOSURE, rates, sample_weight=EXPOSURE)
    assert found.loss == pytest.approx(mean * EXPOSURE.sum() / 2)


def test_hazards_are_those_of_their_definition(timed):
    outcome = read_outcome(timed.card_, Y, 200, {"entry": ENTRY})
    is_event, time = Y[:, 0] > 0, Y[:, 1]
    relative = np.exp(timed.predict(X))
    moments, hazards = hazards_by_hand(outcome, is_event, WEIGHTS, relative)
    expected = 0.0
    for moment, hazard in zip(moments, hazards, strict=True):
        at_risk = sum(
            WEIGHTS[i] * relative[i]
            for i in range(200)
            if time[i] >= moment and (ENTRY[i] < moment or ENTRY[i] == 0)
        )
        expected += (
            sum(WEIGHTS[i] for i in range(200) if is_event[i] and time[i] == moment) / at_risk
        )
        assert hazard == pytest.approx(expected)
    assert moments.tolist() == sorted(set(time[is_event].tolist()))


def edited(card, **changes):
    """A card with other contents, whose digest is that of the new contents: a forgery."""
    recipe = None if card.recipe is None else replace(card.recipe, digest="")
    return replace(card, recipe=recipe, **changes)


@pytest.mark.parametrize(
    ("what", "check"),
    [
        ("last", "follow-up"),
        ("hazards", "baseline"),
        ("times", "baseline"),
        ("offset", "loss"),
        ("points", "loss"),
        ("loss", "loss"),
        ("bound", "bound"),
        ("gap", "status"),
        ("rows", "rows"),
        ("counts", "counts"),
        ("terms", "terms"),
    ],
)
def test_every_lie_of_a_card_of_times_is_found(timed, what, check):
    card = timed.card_
    kind, certificate, first = card.kind, card.certificate, card.features[0]
    lie = {
        "last": lambda: {"kind": replace(kind, last=kind.last + 1)},
        "hazards": lambda: {
            "kind": replace(kind, hazards=tuple(1.001 * one for one in kind.hazards))
        },
        "times": lambda: {"kind": replace(kind, times=tuple(one + 0.5 for one in kind.times))},
        "offset": lambda: {"offset": card.offset + 0.01},
        "points": lambda: {
            "features": (
                replace(
                    first,
                    points=tuple(one + (place == 0) for place, one in enumerate(first.points)),
                ),
                *card.features[1:],
            )
        },
        "loss": lambda: {"certificate": replace(certificate, loss=certificate.loss * 0.999)},
        "bound": lambda: {"certificate": replace(certificate, bound=certificate.loss * 1.001)},
        "gap": lambda: {"certificate": replace(certificate, bound=certificate.loss * 0.99)},
        "rows": lambda: {"training": replace(card.training, rows=201, weight=201.0)},
        "counts": lambda: {
            "training": replace(
                card.training,
                totals=(
                    replace(
                        card.training.totals[0], rows=1, weight=1.0, events=0, event_weight=0.0
                    ),
                    *card.training.totals[1:],
                ),
            )
        },
        "terms": lambda: {"certificate": replace(certificate, max_terms=2)},
    }[what]()
    found = audit_card(edited(card, **lie), X, Y)
    assert check in names(found.failures), str(found)


def test_every_lie_of_a_card_of_counts_is_found(counted):
    card = counted.card_
    for changes, check in (
        ({"kind": replace(card.kind, events=card.kind.events + 1)}, "exposure"),
        ({"kind": replace(card.kind, exposed=card.kind.exposed * 2)}, "exposure"),
        ({"offset": card.offset + 0.01}, "loss"),
    ):
        found = audit_card(edited(card, **changes), X, COUNTS, exposure=EXPOSURE)
        assert check in names(found.failures), str(found)


def test_a_bound_that_a_better_card_breaks_is_refuted():
    best = RiskScoreSurvival(3, horizons=20, certify=True, regularization=None).fit(X, Y)
    worse = RiskScoreSurvival(1, horizons=20, certify=True, regularization=None).fit(X, Y)
    # the card with one term is honest, but not the best with three
    certificate = replace(
        worse.card_.certificate, max_terms=3, max_features=3, max_cuts_per_feature=3
    )
    recipe = replace(worse.card_.recipe, parameters=best.card_.recipe.parameters, digest="")
    card = replace(worse.card_, recipe=recipe, certificate=certificate)
    found = audit_card(card, X, Y)
    assert certificate.status is Status.OPTIMAL
    assert "proof" in names(found.failures), str(found)
    assert "found another card of this kind" in str(found)


def test_a_proven_bound_is_proven_again(timed, counted):
    found = audit_card(timed, X, Y, prove=30)
    assert "proven again" in str(found)
    found = audit_card(counted, X, COUNTS, prove=30, exposure=EXPOSURE)
    assert "proven again" in str(found)


def test_other_rows_are_said_to_be_others(timed):
    later = np.column_stack([Y[:, 0], Y[:, 1] + 1])
    found = audit_card(timed, X, later)
    assert "values of the rows" in names(found.failures)
    used = {one.name: FeatureValues(X[:, int(one.name[1:])], None) for one in timed.card_.features}
    own = used | {"time": FeatureValues(Y[:, 1], None)}
    assert timed.card_.recipe.rows_used == hash_rows(own, Y[:, 0] > 0, np.ones(200))


def test_what_a_card_has_no_use_for_is_refused(timed, counted):
    with pytest.raises(ParameterError, match="exposure is given, but this card has no use for it"):
        audit_card(timed, X, Y, exposure=EXPOSURE)
    with pytest.raises(ParameterError, match="entry is given, but this card has no use for it"):
        audit_card(counted, X, COUNTS, entry=ENTRY)
    with pytest.raises(ParameterError, match="knows no 'groups'"):
        audit_card(counted, X, COUNTS, groups=ENTRY)


def parts(card):
    return card.features, card.multiplier, card.offset, card.kind, card.recipe.parameters


def test_a_recipe_gives_the_estimator_again(timed, counted):
    again = RiskScoreSurvival.from_recipe(timed.card_.recipe)
    assert parts(again.fit(X, Y).card_) == parts(timed.card_)
    again = RiskScoreRegressor.from_recipe(counted.card_.recipe)
    assert parts(again.fit(X, COUNTS, exposure=EXPOSURE).card_) == parts(counted.card_)
    with pytest.raises(ParameterError, match="that RiskScoreRegressor learned"):
        RiskScoreRegressor.from_recipe(timed.card_.recipe)
    with pytest.raises(ParameterError, match="which has other parameters"):
        RiskScoreClassifier.from_recipe(timed.card_.recipe)


def test_check_recomputes_such_cards_from_their_file(tmp_path, capsys):
    path, card_file = tmp_path / "rows.csv", tmp_path / "card.json"
    frame = find("pandas").DataFrame(X, columns=["age", "marker", "size"])
    frame = frame.assign(days=Y[:, 1], died=np.where(Y[:, 0] > 0, "yes", "no"), since=ENTRY)
    frame = frame.assign(claims=COUNTS, years=EXPOSURE)
    frame.to_csv(path, index=False)
    options = ["--target", "died", "--time", "days", "--entry", "since", "--horizon", "10"]
    drop = ["--drop", "claims", "years"]
    arguments = ["fit", path, *options, *drop, "--certify", "-q", "-o", card_file]
    assert main(list(map(str, arguments))) == 0
    assert main(["check", str(card_file), str(path), "--entry", "since"]) == 0
    assert "baseline" in capsys.readouterr().out
    assert main(["check", str(card_file), str(path)]) == 1  # these rows did not enter late
    assert "FAIL         values of the rows" in capsys.readouterr().out

    model = RiskScoreRegressor(2, certify=True)
    model.fit(frame[["age", "marker", "size"]], frame["claims"], exposure=frame["years"])
    model.card_.save(card_file)
    assert RiskCard.load(card_file).kind.exposure == "years"
    assert main(["check", str(card_file), str(path)]) == 0
    assert "exposure" in capsys.readouterr().out
    assert main(["check", str(card_file), str(path), "--exposure", "since"]) == 2
    assert "The exposure is not positive" in capsys.readouterr().err
    assert main(["check", str(card_file), str(path), "--time", "days"]) == 2
    assert "--time is for cards of another kind of outcome" in capsys.readouterr().err


def test_times_as_the_command_line_takes_them_are_the_same(timed):
    found = audit_card(timed.card_, X, structured(Y))
    assert found.passed, str(found)
