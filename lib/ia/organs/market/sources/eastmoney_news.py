"""Eastmoney: announcements of a company with the moment at which each appeared, and articles that name it.

The answers are those that akshare's `stock_individual_notice_report` and `stock_news_em` read. Titles are text from
outside: they are cut and put on one line here, and nothing is made of what they say.
"""

import html
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.kernel.jsontypes import Json
from ia.organs.market.sources import NewsItem
from ia.organs.market.sources.cells import (
    CellTally,
    ImplausibleRow,
    check_size,
    clean_text,
    format_cell,
    parse_day,
    parse_rows,
)
from ia.organs.ohlcv.transport import NoNetwork, get_json, govern_requests, shape_error

HOST = "eastmoney.com"
ANNOUNCEMENTS, NEWS = "Eastmoney announcements", "Eastmoney news search"
ROWS = 50
LONGEST_TITLE = 200
TIMEOUT = 8.0
"""Seconds without a byte."""
_NOTICES = "https://np-anotice-stock.eastmoney.com/api/security/ann"
_SEARCH = "https://search-api-web.eastmoney.com/search/jsonp"
_is_article = re.compile(r"[A-Za-z0-9]{6,40}", re.ASCII).fullmatch
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:[.:]\d+)?", re.ASCII)
_TAG = re.compile(r"</?em>", re.I)


def fetch_announcements(company: Symbol) -> list[NewsItem]:
    """Return the newest announcements of a mainland stock. Raises Banned, NoNetwork; ShapeChanged."""
    params = {
        "sr": "-1",
        "page_size": str(ROWS),
        "page_index": "1",
        "ann_type": "A",
        "client_source": "web",
        "f_node": "0",
        "s_node": "0",
        "stock_list": company.code,
    }
    with govern_requests(check_size, timeout=TIMEOUT):
        tree = get_json(_NOTICES, params, ANNOUNCEMENTS)
    return parse_announcements(tree, company)


def fetch_news(company: Symbol) -> list[NewsItem]:
    """Return articles that a search for a security finds. Raises Banned, NoNetwork; ShapeChanged.

    A mainland stock is searched for by its code. The code of a company abroad may be a word (V, KO), so that it is
    searched for by its Chinese name where one is known, and only articles that name it count.
    """
    wanted = {
        "searchScope": "default",
        "sort": "default",
        "pageIndex": 1,
        "pageSize": ROWS,
        "preTag": "",
        "postTag": "",
    }
    asked = {
        "uid": "",
        "keyword": find_keyword(company),
        "type": ["cmsArticleWebOld"],
        "client": "web",
        "clientType": "web",
        "clientVersion": "curr",
        "param": {"cmsArticleWebOld": {**wanted, "preTag": "", "postTag": ""}},
    }
    params = {"cb": "jQuery", "param": json.dumps(asked, ensure_ascii=False)}
    with govern_requests(check_size, timeout=TIMEOUT):
        tree = get_json(_SEARCH, params, NEWS)
    return parse_news(tree, company)


def find_keyword(company: Symbol) -> str:
    """Return what a security is searched for by.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> [find_keyword(from_canonical(each)) for each in ("600519.SH", "09988.HK", "NVDA.US")]
    ['600519', '阿里巴巴', '英伟达']
    """
    if company.market == "CN":
        return company.code
    return re.sub(r"-[A-Z]{1,2}$", "", company.name or "") or company.code


def parse_announcements(tree: object, company: Symbol) -> list[NewsItem]:
    """Return the items of an answer; ShapeChanged."""
    data = _data_of(tree, "data", ANNOUNCEMENTS)
    rows = data.get("list") if isinstance(data, dict) else None
    return _parse_list(rows, ANNOUNCEMENTS, "art_code", lambda row: _parse_announcement(row, company))


def parse_news(tree: object, company: Symbol) -> list[NewsItem]:
    """Return the items of an answer; ShapeChanged."""
    data = _data_of(tree, "result", NEWS)
    rows = data.get("cmsArticleWebOld") if isinstance(data, dict) else None
    if company.market != "CN" and isinstance(rows, list):
        rows = [row for row in rows if not isinstance(row, dict) or _names(row, company)]
    return _parse_list(rows, NEWS, "code", lambda row: _parse_article(row, company))


def _data_of(tree: object, field: str, what: str) -> object:
    if not isinstance(tree, dict) or field not in tree:
        raise shape_error(what, f"no {field}")
    found = tree[field]
    if found is None and tree.get("code") not in (None, 0, 1):
        reason = format_cell(tree.get("msg") or tree.get("error") or tree["code"])
        raise NoNetwork("{host} is busy: {reason}", host=HOST, reason=reason)
    return found


def _parse_list(rows: object, what: str, key: str, read: Callable[[Json], NewsItem]) -> list[NewsItem]:
    if not isinstance(rows, list) or any(not isinstance(row, dict) for row in rows):
        raise shape_error(what, "no list of items")
    return parse_rows(rows[: 4 * ROWS], read, CellTally(what), key)


def _parse_announcement(row: Json, company: Symbol) -> NewsItem:
    code = row.get("art_code")
    if not isinstance(code, str) or not _is_article(code):
        raise ImplausibleRow("art_code", code)
    if company.code not in _codes_of(row):
        raise ImplausibleRow("codes", row.get("codes"))
    columns = row.get("columns")
    first = columns[0] if isinstance(columns, list) and columns and isinstance(columns[0], dict) else {}
    return NewsItem(
        symbol=company.canonical,
        kind="announcement",
        id=code,
        time=_parse_time(row, "display_time", "eiTime", "notice_date"),
        title=_parse_title(row, "title"),
        publisher="Eastmoney",
        link=f"https://data.eastmoney.com/notices/detail/{company.code}/{code}.html",
        category=clean_text(first.get("column_name"), 40) or None,
    )


def _names(row: Json, company: Symbol) -> bool:
    """Whether the title or the text of an article names a company."""
    said = _TAG.sub("", f"{row.get('title') or ''} {row.get('content') or ''}")[: 20 * LONGEST_TITLE]
    code = rf"(?<![A-Za-z0-9]){re.escape(company.code)}(?![A-Za-z0-9])"
    return find_keyword(company) in said or (len(company.code) > 2 and re.search(code, said) is not None)


def _codes_of(row: Json) -> set[str]:
    codes = row.get("codes")
    if not isinstance(codes, list):
        return set()
    return {str(each.get("stock_code")) for each in codes[:100] if isinstance(each, dict)}


def _parse_article(row: Json, company: Symbol) -> NewsItem:
    code = row.get("code")
    if not isinstance(code, str) or not _is_article(code):
        raise ImplausibleRow("code", code)
    return NewsItem(
        symbol=company.canonical,
        kind="news",
        id=code,
        time=_parse_time(row, "date"),
        title=_parse_title(row, "title"),
        publisher=clean_text(row.get("mediaName"), 40) or None,
        link=f"https://finance.eastmoney.com/a/{code}.html",
    )


def _parse_title(row: Json, field: str) -> str:
    value = row.get(field)
    plain = html.unescape(_TAG.sub("", value[: 4 * LONGEST_TITLE])) if isinstance(value, str) else value
    title = clean_text(plain, LONGEST_TITLE)
    if not title:
        raise ImplausibleRow(field, row.get(field, "missing"))
    return title


def _parse_time(row: Mapping[str, object], *fields: str) -> str:
    """Return the first of these fields that is a time, with its zone; a bare date where none tells the hour."""
    for field in fields:
        value = row.get(field)
        found = _MOMENT.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
        if found is None or (field == "notice_date" and found[2] == "00:00:00"):
            continue
        try:
            return datetime.fromisoformat(f"{found[1]}T{found[2]}").replace(tzinfo=clock.CHINA).isoformat()
        except ValueError:
            raise ImplausibleRow(field, value) from None
    if (day := parse_day(row.get(fields[-1]))) is None:
        raise ImplausibleRow(fields[-1], row.get(fields[-1], "missing"))
    return day
