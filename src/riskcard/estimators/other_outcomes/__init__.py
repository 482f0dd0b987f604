"""Cards of outcomes other than yes or no: times, counts, numbers and levels; fitted, and recalibrated."""
