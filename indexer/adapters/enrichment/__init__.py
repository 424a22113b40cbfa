"""What a model says of files: asked, kept, and written as a layer."""
