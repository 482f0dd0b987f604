"""A pool of cards: all choices of features and cuts that are nearly as good as the best."""

from sklearn.datasets import load_breast_cancer

from riskcard import RiskScoreClassifier, find_pool, plot_pool

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
is_malignant = (y == 0).rename("malignant")

# the best card for each choice of features and cuts, up to 5 % above the smallest loss; the last
# line that is printed says whether these are all
model = RiskScoreClassifier(max_terms=2, certify=True, time_limit=60)
pool = find_pool(model, X, is_malignant, tolerance=0.05)
print(pool)

# people may prefer a card that is slightly worse: here, one that needs other features
best, *others = pool.rows()
chosen = pool.choose(next(row["card"] for row in others if row["features"] != best["features"]))
print(chosen.card_.to_text())
print(f"Loss {chosen.loss_:.2f}; the smallest is {min(pool.losses):.2f}.")
plot_pool(pool).figure.savefig("pool.png")
