"""Regularisation: a card of many terms follows chance less, as cross-validation shows."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict

from riskcard import RiskScoreClassifier, plot_calibration

X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
is_fast = (progression > 200).rename("fast progression")

figure, axes = plt.subplots(1, 2, figsize=(8.5, 4.5), layout="constrained")
for ax, regularization in zip(axes, (None, "auto"), strict=True):
    model = RiskScoreClassifier(max_terms=8, regularization=regularization, random_state=0)
    fitted = model.fit(X, is_fast).predict_proba(X)[:, 1]
    held_out = cross_val_predict(model, X, is_fast, cv=10, method="predict_proba")[:, 1]
    for rows, risks in (("training rows", fitted), ("held-out rows", held_out)):
        auc, loss = roc_auc_score(is_fast, risks), log_loss(is_fast, risks)
        print(f"regularization={regularization!r}, {rows}: AUC {auc:.3f}, log-loss {loss:.3f}")
    plot_calibration(held_out, is_fast, ax=ax)
    ax.set_xlabel(f"held-out risk, regularization={regularization!r}")
figure.savefig("regularization.png")
