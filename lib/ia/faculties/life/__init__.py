"""Reckonings for the profile `life`: four pillars, natal charts, tarot draws, a self-report of 16 types.

Nothing else of ia knows these subjects: `tool_functions` hands them to the tools of the profile's skills through the
entry point group `ia.tools`. The calendar comes from tyme4py and the sky from ephem, both in the extra `life`.
"""
