"""The commands, one file each; a verb that needs more has a file of its own beside it."""
