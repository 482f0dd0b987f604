"""The paper's experiments: its four tables, run again next to the published figures."""
