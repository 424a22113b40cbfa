"""Library that all services share; it imports none of them."""
