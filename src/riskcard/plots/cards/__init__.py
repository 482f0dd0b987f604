"""Pictures of cards and of how they were found."""
