"""Packages: folders of text files that others wrote (skills, providers, profiles).

They are read with limits before they are installed.
"""
