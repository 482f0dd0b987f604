"""How well risks agree with what happened: figures, intervals and the points of curves.

`read_outcomes` checks risks, outcomes, weights and clusters; every function here takes the `Outcomes` that it
returns. `summary.evaluate` has the usual figures together. Next to it:

- `smooth_calibration.smooth_calibration`: curve with band, ICI, E50, E90;
- `thresholds.threshold_table`, `thresholds.risk_groups`: error rates, predictive values, likelihood ratios;
- `decision.decision_curve`: net benefit with a band, and the thresholds at which it is supported;
- `comparison.compare`: two sets of risks on the same rows;
- `groups/`: `subgroups`, `random_effects.summarise_sites`, `fairness.fairness`, `calibration_error`;
- `development/`: `sample_size.sample_size`, `instability.instability`.

All intervals allow for weights and clusters: see `linearisation`.
"""
