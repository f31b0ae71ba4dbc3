"""The mouth: where a message to the user, or to somebody the user approved, goes out."""
