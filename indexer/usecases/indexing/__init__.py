"""Use cases that turn a source tree into a published snapshot: from the whole tree, or by patching for an edit."""
