"""Classes: their order, what they override, and which protocols they satisfy."""
