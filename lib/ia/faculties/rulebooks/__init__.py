"""Skills that are built from documents: what a document says, what a skill makes of it, and whether that agrees."""
