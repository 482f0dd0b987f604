"""What every estimator shows of its card, beside predictions."""
