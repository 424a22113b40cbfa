"""How one gap is searched for: a row of steps, by name first, by meaning last. The first step that knows decides."""
