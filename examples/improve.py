"""An existing card: replace one term, and leave the rest as people know it."""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss

from riskcard import FeaturePoints, RiskCard, RiskScoreClassifier, improve, recalibrate

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
is_malignant = (y == 0).rename("malignant")

# a card that was written by hand: a cut and the points on either side of it
by_hand = RiskCard(
    [
        FeaturePoints("worst radius", [17], [0, 4]),
        FeaturePoints("worst concave points", [0.14], [0, 3]),
        FeaturePoints("mean texture", [25], [0, 2]),
    ],
    feature_names=X.columns,
    outcome="malignant",
)

# the same points, with the risks that fit these rows best
recalibrated = recalibrate(by_hand, X, is_malignant)
# one term replaced, added or removed; the proof covers every card that this can give
proof = RiskScoreClassifier(max_terms=3, certify=True)
improved = improve(by_hand, X, is_malignant, max_changes=1, estimator=proof)

print(improved.to_text())
for name, card in (("recalibrated", recalibrated), ("one term changed", improved)):
    print(f"Mean log-loss, {name}: {log_loss(is_malignant, card.risk(X)):.4f}")
improved.save_picture("improve.svg")
