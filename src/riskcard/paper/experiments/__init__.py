"""The paper's experiments: its four tables, run again here beside what it published."""
