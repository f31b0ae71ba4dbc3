"""Alerts: a condition on a security's daily bars, told once each time that it comes true."""
