"""Scripts that fit one method each, in the interpreter that has it, and return a neutral record."""
