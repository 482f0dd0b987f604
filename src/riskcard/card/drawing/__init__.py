"""A card as a picture: where everything is, and the files it is written to."""
