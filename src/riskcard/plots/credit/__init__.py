"""Pictures for credit: CAP, KS, score bands, drift."""
