"""The number of terms chosen by cross-validation."""
