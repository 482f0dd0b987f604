"""The oracle: tiny problems solved by trying every card, with code that shares nothing with the search."""
