"""A session and what it can do: its document and history, edits, pins, fits, and saved sessions."""
