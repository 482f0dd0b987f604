"""Rules: what a card must respect, because the people who use it say so."""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss

from riskcard import CardRules, FeatureGroup, FeatureRule, RiskScoreClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
is_malignant = (y == 0).rename("malignant")

rules = CardRules(
    features={
        # a larger tumour never lowers the risk, and the cuts are numbers that people remember
        "worst radius": FeatureRule(direction="rises", use="must", cuts=[12, 14, 16, 18, 20]),
        "worst texture": FeatureRule(direction="rises", cuts=[20, 25, 30]),
        # this one is measured too unreliably to be on the card
        "worst perimeter": FeatureRule(use="never"),
    },
    # of these three, which measure much the same, at most one
    groups=[FeatureGroup(["worst area", "mean area", "mean radius"], at_most=1)],
)
free = RiskScoreClassifier(max_terms=4, random_state=0).fit(X, is_malignant)
ruled = RiskScoreClassifier(max_terms=4, rules=rules, random_state=0).fit(X, is_malignant)

print(ruled.card_.to_text())
for name, model in (("without", free), ("with", ruled)):
    loss = log_loss(is_malignant, model.predict_proba(X))
    print(f"Mean log-loss {name} rules: {loss:.4f}")
ruled.card_.save_picture("rules.svg")
