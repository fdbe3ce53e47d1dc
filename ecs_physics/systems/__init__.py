"""The systems of the step, one a file. Each can be replaced by another with the same tables."""
