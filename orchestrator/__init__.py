"""Owns sessions, the answer loop and the stream. The only service that talks to the answering model."""
