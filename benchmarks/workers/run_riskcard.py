"""riskcard, its baselines, other people's solvers on the paper's form, and scikit-learn's ceilings."""

from worker_loop import Clock, one_thread, prediction_rate, serve

one_thread()


def fit_lowest_loss(request):
    """The lowest loss; the settings are parameters, and the number of cuts per feature."""
    from riskcard import Regularization, RiskScoreClassifier

    settings = dict(request.settings)
    few_cuts = Regularization.only(grid=settings.pop("grid", None))
    return fit_table(RiskScoreClassifier(**settings, regularization=few_cuts), request)


def fit_default(request):
    """The default, with the settings of the request."""
    from riskcard import RiskScoreClassifier

    return fit_table(RiskScoreClassifier(**request.settings), request)


def fit_tuned(request):
    """The size by cross-validation, with default settings."""
    from riskcard import RiskScoreClassifierCV

    return fit_table(RiskScoreClassifierCV(**request.settings), request)


def fit_sturdy(request):
    """A former version, of which only the card is asked for."""
    from riskcard import RiskScoreClassifier

    return fit_table(RiskScoreClassifier.sturdy(**request.settings), request, proof=False)


def fit_table(model, request, proof=True):
    """Fit the table as it comes."""
    has_levels = any(levels is not None for levels in request.levels)
    X = request.frame(request.values) if has_levels else request.values
    with Clock() as clock:
        model.fit(X, request.labels)
    proven = proof_of(model) if proof else {}
    return {**clock.figures(), **proven, **predictions(model, request)}


def fit_paper(request):
    """The paper's problem."""
    from riskcard import RiskScoreClassifier

    settings = dict(request.settings)
    model = RiskScoreClassifier.paper(settings.pop("k"), **settings)
    with Clock() as clock:
        model.fit(request.values, request.labels)
    return {**clock.figures(), **proof_of(model), **predictions(model, request)}


def fit_lattice(request):
    from riskcard.baselines import LatticeCuttingPlaneClassifier

    model = LatticeCuttingPlaneClassifier(**request.settings)
    with Clock() as clock:
        model.fit(request.values, request.labels)
    return {**clock.figures(), **proof_of(model), **predictions(model, request)}


def fit_round(request):
    from riskcard.baselines import SelectRegressRoundClassifier

    model = SelectRegressRoundClassifier(**request.settings)
    with Clock() as clock:
        model.fit(request.values, request.labels)
    return {**clock.figures(), **predictions(model, request)}


def predictions(model, request):
    """The card, and how fast it predicts where that is asked."""
    found = {"model": record_of(model.card_, request.levels)}
    if request.speed:
        found["rate"] = prediction_rate(model.predict_proba, request.values, request.speed)
    return found


def proof_of(model):
    """What was proven, when, and with how much work."""
    result = model.result_
    return {
        "bound": model.lower_bound_,
        "status": model.status_,
        "nodes": int(getattr(result, "nodes", 0)),
        "history": [[one.seconds, one.loss, one.bound] for one in result.history],
    }


def record_of(card, all_levels):
    """A card as a neutral record."""
    places = {name: at for at, name in enumerate(card.feature_names)}
    return {
        "parts": [part_of(feature, places[feature.name], all_levels) for feature in card.features],
        "base": card.base,
        "multiplier": card.multiplier,
        "offset": card.offset,
    }


def part_of(feature, column, all_levels):
    """The points of one feature; a missing value or a level without points of its own gets the usual ones."""
    usual = feature.points[feature.usual or 0]
    missing = usual if feature.missing is None else feature.missing
    if all_levels[column] is None:
        return {
            "column": column,
            "cuts": list(feature.cuts),
            "points": list(feature.points),
            "missing": missing,
        }
    pairs = zip(feature.groups, feature.points, strict=True)
    known = {level: points for group, points in pairs for level in group}
    levels = [known.get(level, usual) for level in all_levels[column]]
    return {"column": column, "levels": levels, "missing": missing}


def fit_solver(request):
    """BONMIN or SCIP on a form of the paper's problem."""
    from riskcard.data.table import make_table
    from riskcard.paper.formulations.instance import make_instance
    from riskcard.paper.solvers.answer import SolverOptions
    from riskcard.paper.solvers.registry import solve_form

    settings = request.settings
    instance = make_instance(make_table(request.values, request.labels), settings["k"])
    options = SolverOptions(settings["time_limit"])
    with Clock() as clock:
        record = solve_form(instance, settings["form"], settings["solver"], options)
    found = {
        **clock.figures(),
        "status": record.claim.ending,
        "bound": record.claim.bound,
        "nodes": record.claim.nodes,
    }
    if record.result is None:
        return {**found, "error": f"no card: {record.claim.word}"}
    return {**found, "model": record_of_solution(record.result.solution, request.values)}


def record_of_solution(solution, values):
    """A solution in codes as a neutral record; cuts at the values of the rows."""
    import numpy as np

    distinct = [np.unique(column) for column in values.T]
    parts = [
        {
            "column": feature,
            "cuts": [float(distinct[feature][cut])],
            "points": [jump, 0],
            "missing": 0,
        }
        for feature, cut, jump in solution.terms
    ]
    return {
        "parts": parts,
        "base": solution.base,
        "multiplier": solution.multiplier,
        "offset": solution.offset,
    }


def fit_logistic(request):
    """All columns, standardised; a little ridge, as scikit-learn has it by default."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return fit_ceiling(make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)), request)


def fit_splines(request):
    """The same with a cubic spline for every column of more than six values."""
    import numpy as np
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer, StandardScaler

    curved = [np.unique(column).size > 6 for column in request.values.T]
    splines = SplineTransformer(5, knots="quantile", extrapolation="constant", include_bias=False)
    columns = make_column_transformer((splines, np.flatnonzero(curved)), remainder="passthrough")
    model = make_pipeline(columns, StandardScaler(), LogisticRegression(max_iter=1000))
    return fit_ceiling(model, request)


def fit_boosting(request):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return fit_ceiling(HistGradientBoostingClassifier(random_state=0), request)


def fit_ceiling(model, request):
    """A method without points answers with risks."""
    with Clock() as clock:
        model.fit(request.values, request.labels)
    found = clock.figures()
    if request.asked:
        found["risks"] = model.predict_proba(request.all_values)[:, 1].tolist()
    if request.speed:
        found["rate"] = prediction_rate(model.predict_proba, request.values, request.speed)
    return found


if __name__ == "__main__":
    serve(
        {
            "lowest-loss": fit_lowest_loss,
            "default": fit_default,
            "paper": fit_paper,
            "lattice": fit_lattice,
            "round": fit_round,
            "solver": fit_solver,
            "logistic": fit_logistic,
            "splines": fit_splines,
            "tuned": fit_tuned,
            "sturdy": fit_sturdy,
            "boosting": fit_boosting,
        }
    )
