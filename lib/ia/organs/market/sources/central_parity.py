"""The central parity of the yuan, as the State Administration of Foreign Exchange publishes it.

The query of akshare's `currency_boc_safe`: a table of HTML, yuan for 100 units of each currency, a row a day. akshare
fetches the years before as a spreadsheet, which would need two more packages; here all years come from the query.
"""

from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser

from ia.organs.market.sources import DailyRate
from ia.organs.ohlcv.transport import HttpAnswer, govern_requests, post_form, shape_error

HOST = "www.safe.gov.cn"
WHAT = "SAFE RMBQuery"
_QUERY = f"https://{HOST}/AppStructured/hlw/RMBQuery.do"
NAMES = {"美元": "USD", "港元": "HKD", "港币": "HKD"}
"""Heads of columns; others are left out."""
_LOW, _HIGH = {"USD": 4.0, "HKD": 0.5}, {"USD": 12.0, "HKD": 1.6}
"""Yuan for one unit: what lies outside is no rate of these currencies since 1990."""


def fetch_rates(since: str, until: str) -> list[DailyRate]:
    """Return the parity of the dollar and the Hong Kong dollar from `since` to `until` (YYYY-MM-DD), by day.

    A request for each year. raises  ShapeChanged; Banned, NoNetwork.
    """
    found: dict[tuple[str, str], DailyRate] = {}
    for first, last in _years(since, until):
        with govern_requests(_refuse_error):
            text = post_form(_QUERY, {"startDate": first, "endDate": last, "queryYN": "true"})
        for rate in _parse_table(text):
            if first <= rate.date <= last:
                found[rate.date, rate.currency] = rate
    return [found[key] for key in sorted(found)]


def _years(since: str, until: str) -> Iterator[tuple[str, str]]:
    for year in range(int(since[:4]), int(until[:4]) + 1):
        yield max(since, f"{year}-01-01"), min(until, f"{year}-12-31")


def _refuse_error(answer: HttpAnswer) -> None:
    if answer.status >= 400:
        raise shape_error(WHAT, f"HTTP {answer.status}")


def _parse_table(text: str) -> Iterator[DailyRate]:
    """Yield the rates of the table with the heads 日期 and 美元; a day without a number for a currency is left out."""
    reader = _Rows()
    reader.feed(text)
    at = next((n for n, row in enumerate(reader.rows) if "日期" in row and "美元" in row), None)
    if at is None:
        raise shape_error(WHAT, "no table with 日期 and 美元")
    head = reader.rows[at]
    columns = {n: NAMES[name] for n, name in enumerate(head) if name in NAMES}
    place = head.index("日期")
    for row in reader.rows[at + 1 :]:
        if len(row) != len(head):
            continue
        try:
            day = date.fromisoformat(row[place]).isoformat()
        except ValueError:
            continue
        for n, currency in columns.items():
            try:
                yuan = round(float(row[n]) / 100, 8)
            except ValueError:
                continue
            if not _LOW[currency] < yuan < _HIGH[currency]:
                raise shape_error(WHAT, f"{currency} {row[n][:20]} on {day}")
            yield DailyRate(currency, day, yuan, "safe.gov.cn")


class _Rows(HTMLParser):
    """Collects the cells of all tables, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self._cell = []

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.rows[-1].append("".join("".join(self._cell).split()))
            self._cell = None
