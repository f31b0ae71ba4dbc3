"""Facts about markets: what a security is, and what exchanges and tax offices prescribe, by date and with sources.

Nothing here asks a network or writes a file.
"""
