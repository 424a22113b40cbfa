"""What the imports of a tree can mean, by language: made from paths, manifests and syntax, without the indexer."""
