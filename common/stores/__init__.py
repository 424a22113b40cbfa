"""Databases that services keep their own state in: how each is opened, and how its failures are told."""
