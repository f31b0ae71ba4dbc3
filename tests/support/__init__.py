"""What tests of several folders share: how `ia` is started, made-up markets, servers on the loopback, sample data.

A fixture is in conftest.py; here is what a test imports.
"""
