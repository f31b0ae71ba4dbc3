"""ia: a personal investment research assistant made of Unix commands.

What is public are the commands, their JSON and their exit statuses, and for other packages two protocols with their
conformance suites: `ia.organs.ohlcv.adapters` and `ia.organs.channels`. Everything else may change in any version.
Importing this package imports nothing else. ARCHITECTURE.md describes the floors.
"""

__version__ = "0.1.0"
