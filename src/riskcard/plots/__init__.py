"""Pictures; matplotlib (the extra ``plots``) is asked for when one is drawn."""
