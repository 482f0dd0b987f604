"""An existing card on new rows: a few terms or only the scale change."""
