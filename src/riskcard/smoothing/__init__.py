"""Smooth risks: a regression on all features, which cannot follow single rows."""
