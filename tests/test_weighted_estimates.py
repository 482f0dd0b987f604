"""Validations of counts, numbers and levels with weights, groups of rows and other cards."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import t as student

from optional import find
from other_rows import draw_kinds, model_of
from riskcard import ParameterError, RiskScoreRegressor, validate_estimates
from riskcard.cli.main import main
from riskcard.evaluation.other_outcomes.counts import row_deviances

api = find("statsmodels.api")
X, TARGETS = draw_kinds(150)
EXPOSURE = 0.5 + np.arange(150) % 4
TARGETS["counts"] = np.random.default_rng(3).poisson(EXPOSURE * np.exp(X[:, 0] > 0))
WEIGHTS = 1.0 + np.arange(150) % 3
TWICE = np.repeat(np.arange(150), WEIGHTS.astype(int))
KINDS = ("counts", "numbers", "levels")


def further(kind, rows=slice(None)):
    return {"exposure": EXPOSURE[rows]} if kind == "counts" else {}


def fitted(kind, max_terms=2):
    model = RiskScoreRegressor(max_terms) if kind == "counts" else model_of(kind, max_terms)
    return model.fit(X[:80], TARGETS[kind][:80], **further(kind, slice(80)))


def values(found):
    """Every number of a validation but ends of intervals, and those of groups, which are made by rows."""
    if isinstance(found, dict):
        for name, one in found.items():
            if name not in ("interval", "groups"):
                yield from values(one)
    elif isinstance(found, (list, tuple)):
        for one in found:
            yield from values(one)
    elif isinstance(found, (int, float)) and not isinstance(found, bool):
        yield found


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_two_is_a_row_that_occurs_twice(kind):
    model, y = fitted(kind), TARGETS[kind]
    weighted = validate_estimates(model, X, y, sample_weight=WEIGHTS, **further(kind))
    again = X[TWICE], y[TWICE]
    repeated = validate_estimates(model, *again, **further(kind, TWICE))
    together = validate_estimates(model, *again, groups=TWICE, **further(kind, TWICE))
    expected = list(values(repeated.to_dict()["figures"]))
    assert list(values(weighted.to_dict()["figures"])) == pytest.approx(expected)
    assert list(values(together.to_dict()["figures"])) == pytest.approx(expected)
    name = {"counts": "ratio", "numbers": "explained", "levels": "concordance"}[kind]
    width = [np.diff(getattr(one.figures, name).interval)[0] for one in (together, weighted)]
    assert width[0] == pytest.approx(width[1], rel=0.02)
    assert "Rows have weights" in " ".join(str(weighted).split())
    assert "groups that belong together" in " ".join(str(together).split())


def test_slopes_and_means_have_the_errors_of_statsmodels():
    model, numbers = fitted("numbers"), TARGETS["numbers"]
    groups, expected = np.arange(150) // 3, model.predict(X)
    found = validate_estimates(model, X, numbers, sample_weight=WEIGHTS, groups=groups).figures
    design = api.add_constant(expected)
    for figure, columns, place in ((found.slope, design, 1), (found.observed, design[:, :1], 0)):
        fit = api.WLS(numbers, columns, WEIGHTS).fit()
        robust = fit.get_robustcov_results(
            "cluster", groups=groups, use_correction=False, df_correction=False
        )
        units = np.bincount(groups, WEIGHTS)
        effective = units.sum() ** 2 / np.sum(units**2)
        assert figure.value == pytest.approx(fit.params[place])
        error = robust.bse[place] * math.sqrt(effective / (effective - 1))
        width = 2 * student.ppf(0.975, effective - 1) * error
        assert np.diff(figure.interval)[0] == pytest.approx(width, rel=1e-6)


def test_the_interval_of_a_ratio_with_groups_is_that_of_leaving_out_groups():
    model, counts = fitted("counts"), TARGETS["counts"]
    groups, expected = np.arange(150) // 3, model.predict(X) * EXPOSURE
    found = validate_estimates(model, X, counts, exposure=EXPOSURE, groups=groups).figures.ratio
    logs = [
        math.log(counts[groups != one].sum() / expected[groups != one].sum()) for one in range(50)
    ]
    error = math.sqrt(49 / 50 * np.sum((np.array(logs) - np.mean(logs)) ** 2))
    assert np.diff(np.log(found.interval))[0] == pytest.approx(2 * 2.01 * error, rel=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_other_cards_are_compared_by_the_loss_of_each_row(kind):
    model, small, y = fitted(kind), fitted(kind, 1), TARGETS[kind]
    found = validate_estimates(
        model,
        X,
        y,
        sample_weight=WEIGHTS,
        against={"small": small, "same": model.card_},
        **further(kind),
    )
    pairs = []
    for one in (model, small):
        if kind == "counts":
            pairs.append(row_deviances(y.astype(float), EXPOSURE * one.predict(X)))
        elif kind == "numbers":
            pairs.append((y - one.predict(X)) ** 2)
        else:
            pairs.append(-np.log(one.predict_proba(X)[np.arange(150), y - 9]))
    difference = pairs[0] - pairs[1]
    compared, same = found.against
    assert compared.difference.value == pytest.approx(np.average(difference, weights=WEIGHTS))
    error = api.WLS(difference, np.ones(150), WEIGHTS).fit().get_robustcov_results("HC0").bse[0]
    assert np.diff(compared.difference.interval)[0] == pytest.approx(2 * 1.97 * error, rel=0.02)
    assert same.difference.value == 0.0
    assert "Against other cards" in str(found)


def test_a_card_of_another_kind_is_no_rival():
    for other in (fitted("levels"), None, np.ones(150)):
        with pytest.raises(ParameterError, match="'it' is no card of the same kind of outcome"):
            validate_estimates(fitted("numbers"), X, TARGETS["numbers"], against={"it": other})


def test_the_command_line_takes_weights_groups_and_other_cards(tmp_path, capsys):
    path, cards = tmp_path / "rows.csv", [tmp_path / "one.json", tmp_path / "two.json"]
    frame = find("pandas").DataFrame(X, columns=["a", "b", "c"])
    frame = frame.assign(cost=TARGETS["numbers"], weight=WEIGHTS, who=np.arange(150) // 2)
    frame.to_csv(path, index=False)
    for size, card in zip((2, 1), cards, strict=True):
        fit = ["fit", path, "--target", "cost", "--outcome", "number", "--max-terms", size]
        assert main([*map(str, fit), "--columns", "a", "b", "c", "-q", "-o", str(card)]) == 0
    facts = tmp_path / "facts.json"
    more = ["--weights", "weight", "--groups", "who", "--against", cards[1], "--json", facts]
    assert main([str(one) for one in ("validate", cards[0], path, *more)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Rows are in 75 groups that belong together" in out
    assert "two.json" in out
    found, model = json.loads(facts.read_text()), model_of("numbers")
    model.fit(frame[["a", "b", "c"]], TARGETS["numbers"])
    expected = validate_estimates(
        model, X, TARGETS["numbers"], sample_weight=WEIGHTS, groups=np.arange(150) // 2
    )
    assert found["figures"]["slope"]["interval"] == pytest.approx(expected.figures.slope.interval)
    assert main(["validate", str(cards[0]), str(path), "--against-column", "a"]) == 2
    assert "--against-column is for outcomes of yes or no and times" in capsys.readouterr().err
