"""What banks ask of a card: credit points, binning tables, score bands, cut-offs, a master scale, monitoring."""
