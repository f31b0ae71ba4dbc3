"""Memory: what was learnt, and the rules by which each kind of it may change."""
