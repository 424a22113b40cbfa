"""The constraint solver: which values reach each slot, and which functions are called on them."""
