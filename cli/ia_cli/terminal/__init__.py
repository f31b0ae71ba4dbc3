"""What commands share at the terminal: input, output, help, and how things are shown before a person decides."""
