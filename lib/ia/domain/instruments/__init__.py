"""What a security is: its code, exchange, board and currency, and what its name says of it.

Knows no price, no date and no file but its own table of symbols. What depends on a date stands in `ia.domain.rules`.
"""
