"""Compute: indicators and expressions over bars, evaluated in a sandbox."""
