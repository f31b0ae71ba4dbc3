"""Bars: prices of a security from its data sources, checked, stored and adjusted."""
