# Damaged input for the readers.
