"""The words of a card: labels that users write, and the phrases of its pages."""
