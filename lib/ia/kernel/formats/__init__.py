"""Formats that people write by hand: front matter and YAML. One reader each, for every file that holds them."""
