"""Bridges: the same tools, through the same router, for programs that know other protocols."""
