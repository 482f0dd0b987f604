"""Scikit-learn classes: translate, solve, keep the result."""
