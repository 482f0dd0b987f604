"""A scorecard in use: information values, separation and cut-offs on newer rows, and drift."""

import numpy as np
import pandas as pd

import riskcard as rc


def make_loans(n_rows, seed, more_used=0.0):
    rng = np.random.default_rng(seed)
    loans = pd.DataFrame({"open loans": rng.poisson(1.5, n_rows)})
    loans["used"] = rng.beta(2 + more_used, 3, n_rows).round(2)  # share of the credit limit
    risk = 1 / (1 + np.exp(3 - 0.5 * loans["open loans"] - 3 * loans["used"]))
    return loans, (rng.random(n_rows) < risk).rename("default")


X, has_defaulted = make_loans(1500, seed=1)
print(rc.binning_tables(X, has_defaulted).to_frame())

model = rc.RiskScoreClassifier(max_terms=5, random_state=0).fit(X, has_defaulted)
card = rc.to_credit_points(model.card_).counted(X, has_defaulted)

# a year later more of the limits is used
later, has_defaulted_later = make_loans(1500, seed=2, more_used=1.5)
found = rc.judge_credit(card, later, has_defaulted_later)
print(f"Gini {found.separation.gini:.3f}, KS {found.separation.ks.distance:.3f}")
rc.plot_cap(card.risk(later), has_defaulted_later).figure.savefig("credit_in_use_cap.png")

watched = rc.monitor_card(card, later, has_defaulted_later)
for finding in watched.findings:
    print(finding.subject, "|", finding.light, "|", finding.words)
rc.plot_drift(watched.drift.total).figure.savefig("credit_in_use_drift.png")
