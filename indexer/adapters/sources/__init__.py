"""Where files come from: a directory, with or without git, or a git repository at a revision."""
