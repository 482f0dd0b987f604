"""The questions of the benchmark, one module each: what is to be measured, and what the page says."""
