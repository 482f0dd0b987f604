"""How good a card is on new data: held-out risks, three pictures, and a report."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict, train_test_split

from riskcard import RiskScoreClassifier, make_report, plot_calibration, plot_decision, plot_roc

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
is_malignant = (y == 0).rename("malignant")
X, X_new, is_malignant, is_malignant_new = train_test_split(
    X, is_malignant, test_size=0.3, random_state=0, stratify=is_malignant
)

model = RiskScoreClassifier(max_terms=3, random_state=0)
risks = cross_val_predict(model, X, is_malignant, cv=5, method="predict_proba")[:, 1]

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
plot_roc(risks, is_malignant, ax=left)
plot_calibration(risks, is_malignant, ax=middle)
plot_decision(risks, is_malignant, ax=right)
figure.savefig("calibration.png")

# one page with everything that there is to say about the card, on rows that it has not seen too
model.fit(X, is_malignant)
report = make_report(
    model, X, is_malignant, test=(X_new, is_malignant_new), cv=0, n_bootstraps=0, random_state=0
)
report.save("calibration_report.html")
