"""Recall: finding what was written, best first, through a full-text index that follows the files."""
