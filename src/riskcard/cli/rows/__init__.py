"""The rows of files, as commands take them: to learn from, to score and to judge on."""
