"""Figures by group: subgroups, sites and their summary, fairness."""
