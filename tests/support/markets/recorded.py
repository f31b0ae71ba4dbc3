"""Recorded answers of hosts beside what akshare makes of them, and how tests read both."""

import csv


def taken(pages):
    return {quote.symbol: quote for page in pages for quote in page.quotes}


def fixture(shared, name):
    folder = shared / "api_fixtures" / name
    with open(folder / "expected.csv", encoding="utf-8", newline="") as file:
        return (folder / "response.json").read_text(encoding="utf-8"), list(csv.DictReader(file))


def number(text):
    return float(text) if text else None
