"""Settings of all tests."""

from hypothesis import settings

# A first call compiles, and machines are busy: time is for benchmarks.
settings.register_profile("riskcard", deadline=None)
settings.load_profile("riskcard")
