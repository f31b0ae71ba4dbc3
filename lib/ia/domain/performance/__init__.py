"""What a series of values or returns says: one definition of each figure, for the account and for backtests alike.

Plain Python over floats; only `resampling` needs numpy. A figure that cannot be told is None with the reason, never
infinite. How the definitions differ from those of empyrical, quantstats and ffn stands with each function.
"""
