"""Exports: the same card as Python, SQL, JavaScript, LaTeX and an offline calculator."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from riskcard import RiskCard, RiskScoreClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
card = RiskScoreClassifier(max_terms=3, random_state=0).fit(X, (y == 0).rename("malignant")).card_

# the ending of the name says which format is meant
for name in ("card.py", "card.sql", "card.mjs", "card.pmml", "card.json"):
    card.export(name)
Path("card.tex").write_text(card.to_latex(document=True), encoding="utf-8")
Path("calculator.html").write_text(card.to_calculator(), encoding="utf-8")
card.save_picture("export.svg")

# a saved card needs neither the classifier nor scikit-learn, and gives the same risks
loaded = RiskCard.load("card.json")
assert np.array_equal(loaded.risk(X), card.risk(X))
print(Path("card.sql").read_text(encoding="utf-8"))
