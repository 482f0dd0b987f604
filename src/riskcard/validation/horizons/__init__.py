"""A card for the time to an event, judged by horizons."""
