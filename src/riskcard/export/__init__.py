"""From a card to other formats."""
