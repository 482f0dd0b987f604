"""A first card: three terms that tell malignant from benign tumours."""

from sklearn.datasets import load_breast_cancer

from riskcard import RiskScoreClassifier, plot_all_points

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
is_malignant = (y == 0).rename("malignant")

model = RiskScoreClassifier(max_terms=3, random_state=0).fit(X, is_malignant)
card = model.card_
print(card.to_text())

# the first patient: the points of each feature, their total, and the risk
print(card.explain(X.iloc[0]))

card.save("first_card.json")
card.save_picture("first_card.svg")
plot_all_points(model, X)[0].figure.savefig("first_card_points.png")
