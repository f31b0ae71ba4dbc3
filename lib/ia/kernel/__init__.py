"""What every room stands on: errors, the clock, settings, files, databases, the workspace, and text from outside.

It knows nothing of markets. It needs the standard library, sqlite-utils and YAML, and nothing above it.
"""
