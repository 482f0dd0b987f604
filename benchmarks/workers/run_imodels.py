"""imodels' FastRiskScoreClassifier."""

from worker_loop import Clock, one_thread, prediction_rate, rule_part, serve

one_thread()


def fit(request):
    import warnings

    from imodels import FastRiskScoreClassifier

    warnings.simplefilter("ignore")  # the import turns them on
    has_levels = any(levels is not None for levels in request.levels)
    X = request.frame(request.values) if has_levels else request.values
    model = FastRiskScoreClassifier(**request.settings)
    with Clock() as clock:
        model.fit(X, request.labels)
    answer = {
        **clock.figures(),
        "model": {
            "parts": [part for rule in used_rules(model) for part in parts_of(rule, request)],
            "base": 0,
            "multiplier": 1.0 / model.scale_ if model.scale_ > 0 else 1.0,
            "offset": model.intercept_,
        },
    }
    if request.speed:
        answer["rate"] = prediction_rate(model.predict_proba, request.values, request.speed)
    return answer


def used_rules(model):
    """(column, kind, value, points) of the rules with points."""
    pairs = zip(model.binarizer_.rules_, model.coef_, strict=True)
    return [(rule[0], rule[1], rule[2], int(points)) for rule, points in pairs if points != 0]


def parts_of(rule, request):
    column, kind, value, points = rule
    levels = request.levels[column]
    if levels is not None:
        holders = [points if kind == "eq_str" and level == value else 0 for level in levels]
        missing = points if kind == "missing" else 0
        return [{"column": column, "levels": holders, "missing": missing}]
    if kind == "eq":
        # a column of two numbers, and the rule names the larger: everything below has none
        below = lower_value(request.values[:, column], float(value))
        part = {"column": column, "cuts": [below], "points": [0, points], "missing": 0}
        return [part]
    return [rule_part(column, kind, None if value is None else float(value), points)]


def lower_value(column, value):
    """The largest number of a column below a number."""
    return float(column[column < value].max())


if __name__ == "__main__":
    serve({"imodels": fit})
