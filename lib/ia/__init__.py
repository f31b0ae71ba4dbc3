"""ia: a personal investment research assistant made of Unix commands. Importing this package imports nothing else."""

__version__ = "0.1.0"
