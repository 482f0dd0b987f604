"""optbinning's scorecard, rounded to whole points, as small as the other cards.

optbinning has no limit on the size of a card. It bins every variable; the scorecard is given the
variables with the most information value, each with two bins, so that it has as many terms as asked.
"""

from worker_loop import Clock, one_thread, serve

one_thread()


def fit(request):
    from sklearn.linear_model import LogisticRegression

    frame, y = request.frame(request.values), request.labels
    levels = dict(zip(frame.columns, request.levels, strict=True))
    with Clock() as clock:
        table, splits = make_scorecard(frame, y, levels, request.settings)
        parts = [
            part_of(table[table["Variable"] == name], name, levels[name], splits[name], frame)
            for name in splits
        ]
        scores = score(parts, request.values)
        # from whole points to risks: its own probabilities are those of the points before rounding
        scale = LogisticRegression(C=1e6).fit(scores[:, None], y)
    slope, offset = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    sign = 1 if slope >= 0 else -1
    for part in parts:
        for key in ("points", "levels"):
            if key in part:
                part[key] = [sign * points for points in part[key]]
        part["missing"] *= sign
    multiplier = 1.0 / max(abs(slope), 1e-9)
    model = {"parts": parts, "base": 0, "multiplier": multiplier, "offset": offset}
    return {**clock.figures(), "model": model}


def make_scorecard(frame, y, levels, settings):
    """The table of its bins with whole points, and the cuts of each variable."""
    from optbinning import BinningProcess, OptimalBinning, Scorecard
    from sklearn.linear_model import LogisticRegression

    values = {}
    for name in frame.columns:
        kind = "numerical" if levels[name] is None else "categorical"
        binning = OptimalBinning(name=name, dtype=kind, max_n_bins=2)
        binning.fit(frame[name].to_numpy(), y)
        values[name] = binning.binning_table.build().loc["Totals", "IV"]
    chosen = sorted(values, key=values.get, reverse=True)[: settings["terms"]]
    process = BinningProcess(
        chosen,
        categorical_variables=[name for name in chosen if levels[name] is not None],
        binning_fit_params={name: {"max_n_bins": 2} for name in chosen},
    )
    scorecard = Scorecard(
        binning_process=process,
        estimator=LogisticRegression(),
        scaling_method="min_max",
        scaling_method_params={"min": 0, "max": settings["max_points"] * settings["terms"]},
        rounding=True,
    )
    scorecard.fit(frame[chosen], y)
    fitted = scorecard.binning_process_
    splits = {name: fitted.get_binned_variable(name).splits for name in chosen}
    return scorecard.table(style="detailed"), splits


def part_of(rows, name, levels, splits, frame):
    """The bins of one variable; missing values and unseen levels have the lines Missing and Special."""
    import numpy as np

    column = int(name[1:])
    points = {
        str(label): round(float(value))
        for label, value in zip(rows["Bin"], rows["Points"], strict=True)
    }
    lines = [
        (label, round(float(value)))
        for label, value in zip(rows["Bin"], rows["Points"], strict=True)
        if str(label) not in ("Special", "Missing")
    ]
    # its points for missing values mean something only where it has seen some
    has_missing = bool(frame[name].isna().any())
    missing = points.get("Missing", 0) if has_missing else lines[0][1]
    if levels is not None:
        known = {str(level): value for group, value in lines for level in group}
        return {
            "column": column,
            "levels": [known.get(level, points.get("Special", 0)) for level in levels],
            "missing": missing,
        }
    # bins are closed below: a value at the cut belongs above it, so our cut lies just below
    cuts = [float(np.nextafter(split, -np.inf)) for split in splits]
    values = [value for _, value in lines]
    return {"column": column, "cuts": cuts, "points": values, "missing": missing}


def score(parts, values):
    """Total points of every row."""
    import numpy as np

    total = np.zeros(len(values))
    for part in parts:
        column = values[:, part["column"]]
        is_hole = np.isnan(column)
        if "levels" in part:
            points = np.array(part["levels"])[np.where(is_hole, 0, column).astype(int)]
        else:
            points = np.array(part["points"])[np.searchsorted(part["cuts"], column)]
        total += np.where(is_hole, part["missing"], points)
    return total


if __name__ == "__main__":
    serve({"optbinning": fit})
