"""The calculator: a card as one offline page that adds up points while values are entered."""
