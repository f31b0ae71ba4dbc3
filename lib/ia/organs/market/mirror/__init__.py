"""Matrices of the whole market (days × securities) as files that are mapped into memory, made from market.db."""
