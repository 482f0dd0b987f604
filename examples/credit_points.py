"""Credit points: the same card on the scale that lenders use, a higher total being safer."""

import numpy as np
import pandas as pd

from riskcard import RiskScoreClassifier, plot_risk, to_credit_points

rng = np.random.default_rng(1)
n_rows = 1000
X = pd.DataFrame(
    {
        "months at address": rng.integers(0, 240, n_rows),
        "open loans": rng.poisson(1.5, n_rows),
        "share of limit used": rng.beta(2, 3, n_rows).round(2),
    }
)
log_odds = -3 + 0.5 * X["open loans"] + 3 * X["share of limit used"]
log_odds -= 0.006 * X["months at address"]
has_defaulted = (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).rename("default")

model = RiskScoreClassifier(max_terms=5, random_state=0).fit(X, has_defaulted)

# 600 points for odds of 50 to 1 of paying back; 20 points more double these odds
scaled = to_credit_points(model.card_, points_to_double_odds=20, odds=50, at=600)
print(scaled)
print(scaled.card.to_text())
plot_risk(model, X, has_defaulted).figure.savefig("credit_points.png")
