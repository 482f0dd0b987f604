"""Runs of an experiment: each in a process of its own, kept at once, never made twice."""
