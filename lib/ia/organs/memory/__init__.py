"""Memory: what was learned, and the rules by which each kind of it may change."""
