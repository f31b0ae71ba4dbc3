"""The command line of ia: one file a command in `commands`, the tools of the terminal in `terminal`."""
