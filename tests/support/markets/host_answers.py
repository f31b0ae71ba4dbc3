"""A made-up market in the shapes that Eastmoney, Sina and Tencent send: paths, parameters, fields, units."""

import math
import re
from datetime import date, datetime, timedelta, timezone
from itertools import takewhile

from support.markets.simulated import CONCEPTS, INDUSTRIES, chance, is_etf

CHINA = timezone(timedelta(hours=8))
NO_DATA = {"rc": 102, "rt": 17, "svr": 1, "lt": 1, "full": 0, "dlmkts": "", "data": None}
NO_REPORT = {"version": None, "result": None, "success": False, "message": "返回数据为空", "code": 9201}
QUARTERS = (("03-31", "04-25"), ("06-30", "08-28"), ("09-30", "10-28"), ("12-31", "03-28"))


def answer(market, host, path, query):
    """What a host answers to a path and its parameters; None where it has no such path."""
    if path.endswith("/api/qt/clist/get"):
        return clist(market, query)
    if path.endswith("/api/qt/ulist.np/get"):
        return ulist(market, query)
    if path.endswith("/api/qt/stock/kline/get"):
        return kline(market, query)
    if path == "/api/data/v1/get":
        return report(market, query)
    if "Market_Center.getHQNodeStockCount" in path:
        return f'"{len(_of_node(market, query["node"]))}"'
    if "Market_Center.getHQNodeData" in path:
        return sina_page(market, query)
    if "CompanyFinanceService.getFinanceReport2022" in path:
        return sina_abstract(market, query["paperCode"])
    if path.startswith("/realstock/company/") and path.endswith("/hfq.js"):
        return sina_factors(market, path.split("/")[3])
    if path.endswith("/RMBQuery.do"):
        return parity_table(market)
    if path == "/list=sh000001":
        clock = min(market.clock, "15:30:39") if market.day == market.today else "15:30:39"
        return f'var hq_str_sh000001="上证指数,3026.5,3036.3,3032.6,{market.today},{clock},00,";\n'.encode("gb18030")
    if path == "/realstock/company/klc_td_sh.txt":
        return f'var KLC_TD_SH="{packed_days(ANNOUNCED)}";\n'
    if path.endswith("/klc_kl.js"):
        return sina_kline(market, path.split("/")[3])
    if path.endswith("/newfqkline/get"):
        return tencent_kline(market, query["param"])
    return None


def parity_table(market):
    """The table of the central parity as SAFE has it: newest first, yuan for 100 units, a table for the layout before."""
    from support.markets.simulated import trading_days

    days = [day for day in trading_days("2024-01-02", 150) if day <= market.today]
    rows = "".join(
        f"<tr class='first'><td width='8%'>\n {day}&nbsp;</td><td>{709 + n % 7}.{n % 10}8&nbsp;</td><td>770.1&nbsp;</td>"
        f"<td>{90 + n % 3}.{n % 10}7&nbsp;</td></tr>"
        for n, day in enumerate(days)
    )
    head = "<tr><th>日期</th><th>美元</th><th>欧元</th><th>港元</th></tr>"
    return f"<html><table><tr><td>查询</td></tr></table><table id='InfoTable'>{head}{rows}</table></html>"


def eastmoney_market(symbol):
    """The number of an exchange in `secid` and f13."""
    return 1 if symbol.endswith(".SH") else 0


def eastmoney_node(symbol):
    """The part of `fs` under which a symbol is listed."""
    if is_etf(symbol):
        return "b:MK0021"
    if symbol.endswith(".BJ"):
        return "m:0 t:81 s:2048"
    return {"68": "m:1 t:23", "30": "m:0 t:80"}.get(symbol[:2], "m:1 t:2" if symbol.endswith(".SH") else "m:0 t:6")


def clist(market, query):
    """A page of a list: securities, boards or the members of one; 100 rows at most, whatever `pz` asks for."""
    nodes = query["fs"].split(",")
    if nodes[0].startswith("m:90"):
        rows = boards(market, "concept" if "t:3" in nodes[0] else "industry")
    else:
        today = market.today
        if nodes[0].startswith("b:BK"):
            symbols = members(market, nodes[0].split()[0][2:])
        else:
            symbols = [symbol for symbol in market.symbols if eastmoney_node(symbol) in nodes]
        symbols = [symbol for symbol in symbols if market.listed.get(symbol, "") <= today]
        if query.get("fid", "f12") == "f12":
            ordered = sorted(symbols, key=lambda symbol: symbol[:6], reverse=query.get("po", "1") == "1")
            part, total = _page(ordered, query)
            return _listed([row(market, symbol) for symbol in part], total, query)
        rows = [row(market, symbol) for symbol in symbols]
    key = query.get("fid", "f12")
    rows.sort(key=lambda found: found[key] if found[key] != "-" else -math.inf, reverse=query.get("po", "1") == "1")
    part, total = _page(rows, query)
    return _listed(part, total, query)


def ulist(market, query):
    """The rows of some securities by `secids`, with the fields asked for; what the host does not have is left out."""
    known = {f"{eastmoney_market(symbol)}.{symbol[:6]}": symbol for symbol in market.symbols}
    found = [row(market, known[secid]) for secid in query["secids"].split(",") if secid in known]
    if not found:
        return NO_DATA
    rows = [{field: each.get(field, "-") for field in query["fields"].split(",")} for each in found]
    return {"rc": 0, "rt": 11, "svr": 1, "lt": 1, "full": 1, "dlmkts": "", "data": {"total": len(rows), "diff": rows}}


def _page(items, query):
    size = min(100, int(query.get("pz", 20)))
    first = (int(query.get("pn", 1)) - 1) * size
    return items[first : first + size], len(items)


def _listed(rows, total, query):
    if not rows:
        return {"rc": 0, "rt": 6, "svr": 1, "lt": 1, "full": 1, "dlmkts": "", "data": None}
    asked = query["fields"].split(",")
    diff = [{field: found.get(field, "-") for field in asked} for found in rows]
    return {
        "rc": 0, "rt": 6, "svr": 2887178003, "lt": 1, "full": 1, "dlmkts": "", "data": {"total": total, "diff": diff}
    }  # fmt: skip


def row(market, symbol):
    """A security as Eastmoney's lists show it: volume in lots, money in yuan, "-" for what there is not."""
    bars = market.bars(symbol)
    day, digits = market.today, 3 if is_etf(symbol) else 2
    found = {
        "f1": 2, "f12": symbol[:6], "f13": eastmoney_market(symbol), "f14": market.name(symbol), "f22": 0.0, "f11": 0.0,
        "f26": int((market.listed.get(symbol) or "2010-01-04").replace("-", "")), "f62": 0.0, "f100": market.industry(symbol),
        "f103": ",".join(market.concepts(symbol)), "f128": "-", "f136": "-", "f140": "-", "f141": "-", "f152": 2,
        "f124": stamp(day, min(market.clock, "15:34:00") if market.day == day else "15:34:00"),
    }  # fmt: skip
    if not bars:
        return found
    bar, count = bars[-1], market.shares(symbol, day)
    free = int(count * (0.4 + 0.6 * chance(symbol, "free")))
    year = bar.close / (8 + 60 * chance(symbol, "pe"))
    found |= {
        "f20": round(bar.close * count), "f21": round(bar.close * free), "f18": bar.close,
        "f9": round(bar.close / year, 2), "f115": round(bar.close / year * 0.95, 2), "f23": round(0.6 + 8 * chance(symbol, "pb"), 2),
        "f37": round(20 * chance(symbol, "roe"), 2),
    }  # fmt: skip
    if bar.date != day:
        return found | {"f5": 0, "f6": 0.0, "f8": "-", "f24": _since(bars, 60), "f25": _since(bars, None)}
    before = [known.volume for known in bars[-6:-1]]
    found |= {
        "f2": bar.close, "f3": round((bar.close / bar.prev - 1) * 100, 2), "f4": round(bar.close - bar.prev, digits),
        "f5": bar.volume // 100, "f6": bar.amount, "f7": round((bar.high - bar.low) / bar.prev * 100, 2),
        "f8": round(bar.volume / free * 100, 2), "f10": round(bar.volume * len(before) / sum(before), 2) if before else "-",
        "f15": bar.high, "f16": bar.low, "f17": bar.open, "f18": bar.prev, "f24": _since(bars, 60), "f25": _since(bars, None),
    }  # fmt: skip
    return found


def _since(bars, count):
    year = bars[-1].date[:4]
    first = bars[-count - 1 :][0] if count else next(bar for bar in bars if bar.date[:4] == year)
    return round((bars[-1].close / first.prev - 1) * 100, 2)


def stamp(day, clock):
    return int(datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=CHINA).timestamp())


def board_code(kind, name):
    return f"BK{1000 + INDUSTRIES.index(name)}" if kind == "industry" else f"BK{2000 + CONCEPTS.index(name)}"


def members(market, code):
    """The symbols of a board."""
    n = int(code[2:])
    if n < 2000:
        return [s for s in market.symbols if not is_etf(s) and market.industry(s) == INDUSTRIES[n - 1000]]
    return [s for s in market.symbols if not is_etf(s) and CONCEPTS[n - 2000] in market.concepts(s)]


def boards(market, kind):
    found = []
    for name in INDUSTRIES if kind == "industry" else CONCEPTS:
        code = board_code(kind, name)
        rows = [row(market, symbol) for symbol in members(market, code)]
        moved = [r for r in rows if isinstance(r.get("f3"), float)]
        if not moved:
            continue
        mean = round(sum(r["f3"] for r in moved) / len(moved), 2)
        best = max(moved, key=lambda r: (r["f3"], r["f12"]))
        found.append({
            "f1": 2, "f2": round(1000 * (1 + mean / 100), 2), "f3": mean, "f4": round(10 * mean, 2), "f8": 1.34, "f12": code,
            "f13": 90, "f14": name, "f20": sum(r["f20"] for r in rows), "f104": sum(r["f3"] > 0 for r in moved),
            "f105": sum(r["f3"] < 0 for r in moved), "f124": max(r["f124"] for r in moved), "f128": best["f14"],
            "f140": best["f12"], "f141": best["f13"], "f136": best["f3"], "f152": 2,
        })  # fmt: skip
    return found


def kline(market, query):
    """Daily bars: date, open, CLOSE, high, low, lots, amount, amplitude, pct, change, turnover."""
    exchange, _, code = query["secid"].partition(".")
    symbol = market.by_code.get(code)
    if symbol is None or str(eastmoney_market(symbol)) != exchange:
        return NO_DATA
    lines, width = [], 8 if query["fields2"].endswith("f58") else 11
    qfq = query.get("fqt") == "1"
    actions = market.actions(symbol)
    for bar in market.bars(symbol):
        if not query["beg"] <= bar.date.replace("-", "") <= query["end"]:
            continue
        less = sum(action.cash for action in actions if action.date > bar.date) if qfq else 0.0
        prices = (
            f"{price - less:.{3 if is_etf(symbol) else 2}f}" for price in (bar.open, bar.close, bar.high, bar.low)
        )
        pct, change = (bar.close / bar.prev - 1) * 100, bar.close - bar.prev
        values = [
            bar.date, *prices, str(bar.volume // 100), f"{bar.amount:.2f}", f"{(bar.high - bar.low) / bar.prev * 100:.2f}",
            f"{pct:.2f}", f"{change:.{3 if is_etf(symbol) else 2}f}", f"{bar.volume / market.shares(symbol, bar.date) * 100:.2f}",
        ]  # fmt: skip
        lines.append(",".join(values[:width]))
    data = {"code": code, "market": int(exchange), "name": market.name(symbol), "decimal": 2, "dktotal": len(lines)}
    return {**NO_DATA, "rc": 0, "data": {**data, "preKPrice": 0.0, "klines": lines}}


def report(market, query):
    """A report of Eastmoney's data center, filtered and in pages."""
    rows = {
        "RPT_SHAREBONUS_DET": _bonuses,
        "RPT_IPO_ALLOTMENT": lambda *_: [],
        "RPT_LICO_FN_CPD": _reports,
        "RPT_DAILYBILLBOARD_DETAILSNEW": _billboard,
        "RPT_MUTUAL_DEAL_HISTORY": _mutual,
    }[query["reportName"]](market, query.get("filter", ""))
    size, number = int(query.get("pageSize", 500)), int(query.get("pageNumber", 1))
    if not rows:
        return NO_REPORT
    part = rows[(number - 1) * size : number * size]
    result = {"pages": -(-len(rows) // size), "data": part, "count": len(rows)}
    return {"version": "a1", "result": result, "success": True, "message": "ok", "code": 0}


def _asked(text, field):
    found = re.search(rf"""{field}(?:=|<=|>=)['"]([^'"]+)""", text)
    return found and found[1]


def _bonuses(market, asked):
    symbol = market.by_code.get(_asked(asked, "SECURITY_CODE"))
    return [
        {
            "SECUCODE": symbol, "SECURITY_CODE": symbol[:6], "EX_DIVIDEND_DATE": f"{action.date} 00:00:00",
            "PRETAX_BONUS_RMB": round(action.cash * 10, 4) or None, "BONUS_IT_RATIO": round(action.bonus * 10, 4) or None,
            "BONUS_RATIO": None, "IT_RATIO": None, "ASSIGN_PROGRESS": "实施分配",
        }
        for action in (market.actions(symbol) if symbol else [])
    ]  # fmt: skip


def figures(market, symbol, period):
    """What a company earned up to the end of a period: a dict of plain numbers, yuan and per cent."""
    part = {"03-31": 0.24, "06-30": 0.5, "09-30": 0.75, "12-31": 1.0}[period[5:]]
    count = market.shares(symbol, "0000-00-00")

    def earned(year):
        return round(
            count * (0.1 + 2 * chance(symbol, "eps")) * (0.8 + 0.4 * chance(symbol, year, period[5:])) * part, 2
        )

    year = int(period[:4])
    profit, before = earned(year), earned(year - 1)
    revenue = round(profit / (0.05 + 0.3 * chance(symbol, "margin")), 2)
    equity = count * (2 + 10 * chance(symbol, "bvps"))
    return {
        "eps": round(profit / count, 4), "bvps": round(equity / count, 4), "roe_pct": round(profit / equity * 100, 2),
        "revenue": revenue, "revenue_yoy_pct": round((profit / before - 1) * 90, 4), "profit": profit,
        "profit_yoy_pct": round((profit / before - 1) * 100, 4), "gross_margin_pct": round(20 + 60 * chance(symbol, "gross"), 4),
        "net_margin_pct": round(profit / revenue * 100, 4), "debt_ratio_pct": round(90 * chance(symbol, "debt"), 4),
        "cash_flow_ps": round(profit / count * 1.1, 4),
    }  # fmt: skip


def published(symbol, period):
    """When a company's report of a period came out."""
    day = dict(QUARTERS)[period[5:]]
    return f"{int(period[:4]) + (period[5:] == '12-31')}-{day[:3]}{int(day[3:]) - int(chance(symbol, period) * 5):02d}"


def _reports(market, asked):
    period = _asked(asked, "REPORTDATE")
    rows = []
    for symbol in market.symbols:
        if is_etf(symbol) or period is None or published(symbol, period) > market.day:
            continue
        told = figures(market, symbol, period)
        rows.append({
            "SECURITY_CODE": symbol[:6], "SECURITY_NAME_ABBR": market.name(symbol), "TRADE_MARKET_CODE": "069001001001",
            "TRADE_MARKET": "上交所主板", "SECURITY_TYPE_CODE": "058001001", "SECURITY_TYPE": "A股",
            "UPDATE_DATE": f"{published(symbol, period)} 00:00:00", "REPORTDATE": f"{period} 00:00:00", "BASIC_EPS": told["eps"],
            "DEDUCT_BASIC_EPS": None, "TOTAL_OPERATE_INCOME": told["revenue"], "PARENT_NETPROFIT": told["profit"],
            "WEIGHTAVG_ROE": told["roe_pct"], "YSTZ": told["revenue_yoy_pct"], "SJLTZ": told["profit_yoy_pct"], "BPS": told["bvps"],
            "MGJYXJJE": told["cash_flow_ps"], "XSMLL": told["gross_margin_pct"], "YSHZ": None, "SJLHZ": None, "ASSIGNDSCRPT": None,
            "PAYYEAR": None, "PUBLISHNAME": market.industry(symbol), "ZXGXL": None,
            "NOTICE_DATE": f"{published(symbol, period)} 00:00:00", "SECUCODE": symbol, "DATATYPE": "年报",
        })  # fmt: skip
    return rows


def _billboard(market, asked):
    first, last = sorted(re.findall(r"TRADE_DATE[<>]='([^']+)'", asked))
    days = [day for day in market.days if first <= day <= min(last, market.today)]
    return [row for day in days for row in _billboard_of(market, day)]


def _billboard_of(market, day):
    rows = []
    for symbol in sorted(market.symbols):
        bar = next((bar for bar in market.bars(symbol) if bar.date == day), None)
        if bar is None or is_etf(symbol) or abs(bar.close / bar.prev - 1) < 0.065:
            continue
        for n, reason in enumerate(("日涨幅偏离值达到7%的前5只证券", "连续三个交易日内，涨幅偏离值累计达到20%的证券")):
            if n and chance(symbol, day, "twice") < 0.7:
                continue
            buy, sell = round(bar.amount * 0.12 * (n + 1), 2), round(bar.amount * 0.1, 2)
            rows.append({
                "SECURITY_CODE": symbol[:6], "SECUCODE": symbol, "SECURITY_NAME_ABBR": market.name(symbol),
                "TRADE_DATE": f"{day} 00:00:00", "EXPLAIN": "4家机构买入，成功率35.09%", "CLOSE_PRICE": bar.close,
                "CHANGE_RATE": round((bar.close / bar.prev - 1) * 100, 4), "BILLBOARD_NET_AMT": round(buy - sell, 2),
                "BILLBOARD_BUY_AMT": buy, "BILLBOARD_SELL_AMT": sell, "BILLBOARD_DEAL_AMT": round(buy + sell, 2),
                "ACCUM_AMOUNT": bar.amount, "DEAL_NET_RATIO": 4.4, "DEAL_AMOUNT_RATIO": 37.9,
                "TURNOVERRATE": round(bar.volume / market.shares(symbol, day) * 100, 4),
                "FREE_MARKET_CAP": round(bar.close * market.shares(symbol, day), 2), "EXPLANATION": reason,
                "D1_CLOSE_ADJCHRATE": 9.99, "D2_CLOSE_ADJCHRATE": 9.99, "D5_CLOSE_ADJCHRATE": 9.99, "D10_CLOSE_ADJCHRATE": 9.99,
                "SECURITY_TYPE_CODE": "058001001",
            })  # fmt: skip
    return rows


def _mutual(market, asked):
    channel = _asked(asked, "MUTUAL_TYPE")
    leader = market.symbols[0]
    rows = []
    for day in (day for day in market.days if (_asked(asked, "TRADE_DATE") or "") <= day <= market.today):
        turnover = round(50_000 * (1 + chance(day, channel)), 2)
        told = day < "2024-08-19"
        net = round(turnover * 0.05 * (chance(day, channel, "net") - 0.5), 2)
        rows.append({
            "MUTUAL_TYPE": channel, "TRADE_DATE": f"{day} 00:00:00", "FUND_INFLOW": net if told else None,
            "NET_DEAL_AMT": net if told else None, "QUOTA_BALANCE": 52_000.0 if told else None, "ACCUM_DEAL_AMT": None,
            "BUY_AMT": round((turnover + net) / 2, 2) if told else None, "SELL_AMT": round((turnover - net) / 2, 2) if told else None,
            "LEAD_STOCKS_CODE": leader, "LEAD_STOCKS_NAME": market.name(leader), "LS_CHANGE_RATE": 9.99,
            "INDEX_CLOSE_PRICE": 3019.47, "INDEX_CHANGE_RATE": -0.49, "HOLD_MARKET_CAP": 2e12 if told else None,
            "QUOTA_BALANCE_TEXT": "额度充足", "DEAL_AMT": turnover, "DEAL_NUM": 5269396,
        })  # fmt: skip
    return rows


def _of_node(market, node):
    etf = node.startswith("etf")
    return [s for s in market.symbols if is_etf(s) == etf and market.listed.get(s, "") <= market.today]


def sina_page(market, query):
    """A page of Sina's market: prices as text, "0.000" without trading, volume in shares, caps in 10,000 yuan."""
    symbols = sorted(_of_node(market, query["node"]), key=lambda s: s[-2:].lower() + s[:6])
    size, number = min(100, int(query.get("num", 80))), int(query.get("page", 1))
    return [sina_row(market, symbol) for symbol in symbols[(number - 1) * size : number * size]]


def sina_row(market, symbol):
    seen, bars = row(market, symbol), market.bars(symbol)
    traded = seen.get("f2", "-") != "-"

    def price(field):
        return f"{seen[field]:.3f}" if traded else "0.000"

    return {
        "symbol": f"{symbol[-2:].lower()}{symbol[:6]}", "code": symbol[:6], "name": market.name(symbol), "trade": price("f2"),
        "pricechange": seen["f4"] if traded else 0, "changepercent": seen["f3"] if traded else 0, "buy": price("f2"),
        "sell": price("f2"), "settlement": f"{seen['f18']:.3f}" if bars else "0.000", "open": price("f17"), "high": price("f15"),
        "low": price("f16"), "volume": bars[-1].volume if traded else 0, "amount": round(bars[-1].amount) if traded else 0,
        "ticktime": market.clock if market.day == market.today else "15:00:00", "per": seen.get("f9", 0), "pb": seen.get("f23", 0),
        "mktcap": seen.get("f20", 0) / 1e4, "nmc": seen.get("f21", 0) / 1e4, "turnoverratio": seen["f8"] if traded else 0,
    }  # fmt: skip


ABSTRACT = (
    ("常用指标", (("归母净利润", "profit"), ("营业总收入", "revenue"), ("净利润", "profit"))),
    ("每股指标", (("基本每股收益", "eps"), ("每股净资产", "bvps"), ("每股经营现金流", "cash_flow_ps"))),
    ("盈利能力", (("净资产收益率(ROE)", "roe_pct"), ("毛利率", "gross_margin_pct"), ("销售净利率", "net_margin_pct"))),
    ("成长能力", (("营业总收入增长率", "revenue_yoy_pct"), ("归属母公司净利润增长率", "profit_yoy_pct"))),
    ("财务风险", (("资产负债率", "debt_ratio_pct"),)),
)


def sina_abstract(market, paper):
    """A company's figures by period; the items of every second period stand in another order."""
    symbol = market.by_code.get(paper[2:])
    periods = [f"{year}-{end}" for year in range(int(market.day[:4]), 2020, -1) for end, _ in reversed(QUARTERS)]
    periods = [period for period in periods if symbol and published(symbol, period) <= market.day]
    listed = {}
    for n, period in enumerate(periods):
        told, data = figures(market, symbol, period), []
        for section, items in ABSTRACT[:: -1 if n % 2 else 1]:
            data.append(_item("", section, None))
            data += [_item("F", title, f"{told[field]:.4f}") for title, field in items]
        day = published(symbol, period).replace("-", "")
        listed[period.replace("-", "")] = {"rType": "合并期末", "rCurrency": "CNY", "publish_date": day, "data": data}
    dates = [{"date_value": day, "date_description": day, "date_type": 1} for day in listed]
    data = {"report_count": str(len(listed)), "report_date": dates, "report_list": listed}
    return {"result": {"status": {"code": 0}, "data": data}}


def _item(field, title, value):
    return {"item_field": field, "item_title": title, "item_value": value, "item_precision": "f2", "item_tongbi": ""}


def sina_kline(market, code):
    """Unadjusted bars in Sina's packed form, which its pages unpack with JavaScript; None for an unknown symbol."""
    symbol = market.by_code.get(code[2:])
    if symbol is None or symbol[-2:].lower() != code[:2]:
        return None
    return f'var KLC_KL_{code}="{packed(market.bars(symbol), 3 if is_etf(symbol) else 2)}";\n'


def packed(bars, digits):
    """Bars as a stream of bits, low bits first, six to a letter: form 1479, each bar with its own day and widths."""
    stream, length = 0, 0
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    def put(value, width):
        nonlocal stream, length
        stream |= (int(value) & (1 << width) - 1) << length
        length += width

    for value, width in ((1479, 12), (63, 6), (digits, 6), (0, 18), (7, 3), (7, 3)):
        put(value, width)
    before = volume = 0
    for bar in bars:
        first, high, low, close = (round(p * 10**digits) for p in (bar.open, bar.high, bar.low, bar.close))
        put(32, 6)  # what follows differs from the bar before: the day (17), the widths (63: 8 and 14 times three bits)
        put(17, 6)
        put((date.fromisoformat(bar.date) - date(1990, 12, 19)).days, 18)
        put(63, 6)
        put(1, 3)
        put(7, 3)
        for value in (first - before, high - first, first - low, close - first):
            put(value, 24)
        put(bar.volume - volume, 42)
        before, volume = close, bar.volume
    return "".join(letters[stream >> at & 63] for at in range(0, length, 6))


def weekdays(first, last):
    days = (date.fromisoformat(first) + timedelta(days=n) for n in range(9999))
    return [day.isoformat() for day in takewhile(lambda day: day.isoformat() <= last, days) if day.weekday() < 5]


HOLIDAYS_2027 = ("2027-01-01", *weekdays("2027-02-08", "2027-02-12"), *weekdays("2027-10-01", "2027-10-07"))
"""As an exchange might announce them; the real ones of that year are not known here."""
ANNOUNCED = [day for day in weekdays("2026-01-05", "2027-12-31") if day not in HOLIDAYS_2027]


def packed_days(days):
    """A list of sessions in Sina's form 139: runs of weekdays, each ended by a weekday that is none."""
    stream, length = 0, 0
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    def put(value, width):
        nonlocal stream, length
        stream |= (int(value) & (1 << width) - 1) << length
        length += width

    def number(day):
        return (date.fromisoformat(day) - date(1990, 12, 19)).days

    runs, open_ = [0], set(days)
    for day in weekdays(days[0], days[-1]):
        if day in open_:
            runs[-1] += 1
        else:
            runs.append(0)
    for value, width in ((139, 12), (63, 6), (number(days[0]), 18), (number(days[-1]), 18)):
        put(value, width)
    for at, run in enumerate(runs):
        if at == 0:  # the width of a run: three times three bits
            for bit in (1, 1, 1, 1, 0):
                put(bit, 1)
            put(run, 9)
        else:
            put(0, 1)
            put(run, 9)
    return "".join(letters[stream >> at & 63] for at in range(0, length, 6))


def sina_factors(market, code):
    """The cumulative factor from each ex-date on, newest first."""
    symbol = market.by_code.get(code[2:])
    bars = {bar.date: bar for bar in market.bars(symbol)} if symbol else {}
    dates, factor, rows = sorted(bars), 1.0, [{"d": "1900-01-01", "f": "1.0000000000000000"}]
    for action in market.actions(symbol) if symbol else ():
        before = bars[dates[dates.index(action.date) - 1]].close
        factor *= before / ((before - action.cash) / (1 + action.bonus))
        rows.insert(0, {"d": action.date, "f": f"{factor:.16f}"})
    return f"var {code}hfq=" + str({"total": len(rows), "data": rows}).replace("'", '"') + "\n/* x */"


def tencent_kline(market, param):
    """Bars of a window: date, open, CLOSE, high, low, lots, {}, turnover rate, amount in 10,000 yuan."""
    code, _, first, last, *_ = param.split(",")
    symbol = market.by_code.get(code[2:])
    if symbol is None or symbol[-2:].lower() != code[:2]:
        return {"code": 1, "msg": "param error", "data": []}
    rows = [
        [
            bar.date, *(f"{price:.3f}" for price in (bar.open, bar.close, bar.high, bar.low)), f"{bar.volume // 100}.000",
            {}, "0.2", f"{bar.amount / 1e4:.2f}", "",
        ]
        for bar in market.bars(symbol)
        if first <= bar.date <= last
    ]  # fmt: skip
    return {"code": 0, "msg": "", "data": {code: {"day": rows, "qt": {}, "prec": "1.0", "version": "16"}}}
