"""Missing values and categories: they get points of their own; nothing is imputed."""

import numpy as np
import pandas as pd

from riskcard import CardRules, FeatureRule, RiskScoreClassifier, plot_all_points

rng = np.random.default_rng(0)
n_rows = 1500
age = rng.integers(20, 90, n_rows).astype(float)
ward = rng.choice(["surgery", "medicine", "intensive care"], n_rows, p=[0.4, 0.4, 0.2])
lactate = 1 + rng.gamma(2.0, 1.0, n_rows).round()

# lactate is measured in patients who look ill, so a missing value is good news
looks_ill = rng.random(n_rows) < 0.6
log_odds = -4.5 + 0.04 * (age - 50) + 2 * looks_ill + (lactate > 3) + (ward == "intensive care")
died = pd.Series(rng.random(n_rows) < 1 / (1 + np.exp(-log_odds)), name="died")
X = pd.DataFrame({"age": age, "lactate": np.where(looks_ill, lactate, np.nan), "ward": ward})

# no bin rests on a handful of rows, and a higher lactate never lowers the risk
rules = CardRules(features={"lactate": FeatureRule(direction="rises")}, min_bin_rows=50)
model = RiskScoreClassifier(max_terms=5, rules=rules, random_state=0).fit(X, died)
print(model.card_.to_text())
print(model.card_.explain({"age": 70, "lactate": None, "ward": "surgery"}))
plot_all_points(model, X)[0].figure.savefig("missing_values.png")
