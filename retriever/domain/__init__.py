"""Values, rules and algorithms. No I/O, no clock."""
