"""FasterRisk's RiskScoreOptimizer on the thresholds of its own binarizer."""

import contextlib
import io

from worker_loop import Clock, one_thread, prediction_rate, rule_part, serve

one_thread()

#: Rows of a prediction, at most: all thresholds become columns, gigabytes for a million rows.
MOST_ROWS = 50_000


def fit(request):
    import numpy as np
    from fasterrisk.binarization_util import BinBinarizer
    from fasterrisk.fasterrisk import RiskScoreOptimizer

    signs = np.where(request.labels == 1, 1.0, -1.0)
    frame = request.frame(request.values)
    with contextlib.redirect_stdout(io.StringIO()), Clock() as clock:
        binarizer = BinBinarizer(max_num_thresholds_per_feature=request.settings["thresholds"])
        binarizer.fit(frame)
        binary = np.asarray(binary_frame(binarizer.transform(frame)), dtype=float)
        points = request.settings["max_points"]
        optimizer = RiskScoreOptimizer(
            X=binary, y=signs, k=request.settings["terms"], lb=-points, ub=points
        )
        optimizer.optimize()
        multiplier, base, jumps = optimizer.get_models(model_index=0)
    parts = [
        rule_part(int(rule["col"][1:]), "le", float(rule["threshold"]), round(float(jump)))
        for rule, jump in zip(binarizer.binarizers, jumps, strict=True)
        if abs(jump) > 0.5
    ]
    answer = {
        **clock.figures(),
        "model": {
            "parts": parts,
            "base": round(float(base)),
            "multiplier": float(multiplier),
            "offset": 0.0,
        },
    }
    if request.speed:
        answer["rate"] = prediction_rate(
            predictor(answer, binarizer), request.values, min(request.speed, MOST_ROWS)
        )
    return answer


def binary_frame(made):
    """The frame, which comes alone or beside its groups."""
    return made[0] if isinstance(made, tuple) else made


def predictor(answer, binarizer):
    """Risks the way its own classifier makes them: binarize, multiply, scale."""
    import numpy as np
    import pandas as pd
    from fasterrisk.fasterrisk import RiskScoreClassifier

    model = answer["model"]
    places = {(rule["col"], rule["threshold"]): at for at, rule in enumerate(binarizer.binarizers)}
    jumps = np.zeros(len(binarizer.binarizers))
    for part in model["parts"]:
        jumps[places[f"c{part['column']}", part["cuts"][0]]] = part["points"][0]
    classifier = RiskScoreClassifier(
        multiplier=model["multiplier"], intercept=model["base"], coefficients=jumps
    )

    def predict(values):
        frame = pd.DataFrame(values, columns=[f"c{place}" for place in range(values.shape[1])])
        return classifier.predict_prob(np.asarray(binary_frame(binarizer.transform(frame)), float))

    return predict


if __name__ == "__main__":
    serve({"fasterrisk": fit})
