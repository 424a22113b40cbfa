"""From a source tree to a published snapshot, whole or for an edit."""
