"""Where the whole market comes from: the protocol of a source, and those that there are."""
