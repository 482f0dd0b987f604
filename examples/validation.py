"""A card on other wards: judged by ward and by group, against an older score, and updated."""

import numpy as np
import pandas as pd

from riskcard import RiskScoreClassifier, recalibrate, validate


def admissions(rows, seed, worse):
    """Simulated admissions; a ward has more deaths than the card expects by its entry in `worse`."""
    random = np.random.default_rng(seed)
    columns = {"age": random.normal(64, 14, rows).round(), "ventilated": random.random(rows) < 0.25}
    table = pd.DataFrame(columns)
    table["lactate"] = random.gamma(2.5, 0.8, rows).round(1)
    table["sex"] = random.choice(["female", "male"], rows)
    table["ward"] = random.choice(list(worse), rows)
    table["old_score"] = (table["age"] / 10 + random.normal(0, 1, rows)).round()
    log_odds = -5.6 + 0.045 * table["age"] + 0.45 * table["lactate"] + table["ventilated"]
    risk = 1 / (1 + np.exp(-log_odds - table["ward"].map(worse)))
    return table, (random.random(rows) < risk).astype(int).rename("died")


X, died = admissions(1500, seed=0, worse={"A": 0.0})
card = RiskScoreClassifier(max_terms=4).fit(X[["age", "lactate", "ventilated"]], died).card_

X_new, died_new = admissions(2000, seed=1, worse={"B": 0.8, "C": 0.5, "D": 0.9, "E": 0.1})
found = validate(card, X_new, died_new, by=["sex", "age"], sites="ward", compare="old_score")
print(found)
found.save("validation.html")
found.plot_forest("subgroups").savefig("validation_subgroups.png", dpi=110)
found.plot_forest("sites").savefig("validation_sites.png", dpi=110)

# the points stay; of the scale, the least is updated that the rows support
updated = recalibrate(card, X_new, died_new)
print(f"Mean risk {card.risk(X_new).mean():.3f}, updated {updated.risk(X_new).mean():.3f}.")
