"""The fit behind a report repeated, in folds and resamples, and other models beside it."""
