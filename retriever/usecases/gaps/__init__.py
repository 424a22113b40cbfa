"""Steps that resolve a gap: by place or name first, by meaning last. The first step with a result decides."""
