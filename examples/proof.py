"""A card with a proof: how far from the best possible card it can be at most."""

from sklearn.datasets import load_breast_cancer

from riskcard import RiskScoreClassifier, audit_card, plot_progress

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
is_malignant = (y == 0).rename("malignant")

model = RiskScoreClassifier(max_terms=3, certify=True, time_limit=60).fit(X, is_malignant)
print(f"Loss {model.loss_:.4f}; no card of this kind is below {model.lower_bound_:.4f}.")
print(f"Status: {model.status_}, gap: {model.gap_:.2%}")

# everything that the card claims, recomputed from the rows by slow and simple code
print(audit_card(model, X, is_malignant))

# how the loss and the bound approached each other
plot_progress(model).figure.savefig("proof.png")
