"""Packages: folders of text files that others wrote (skills, providers, profiles), read with limits before they are
installed.
"""
