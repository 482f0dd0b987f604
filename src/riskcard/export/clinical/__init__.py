"""Cards for clinical systems."""
