"""The work: one file for each kind, and the plan that chooses between them."""
