"""Commands about repositories and their indexes."""
