"""The solver: which values flow where, and what is called on them."""
