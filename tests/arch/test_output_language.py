"""Code speaks English: its Chinese is in the catalog of gettext, that of data beside its English in the files of profiles.

Chinese in code is read, not said: words that people type, columns of brokers, headings of a prompt. It may stand where
a program reads (patterns, comparisons, keys of tables), in docstrings, and in examples; elsewhere only in these files.
"""

import ast
import functools
import re
from collections.abc import Iterable, Iterator

import pytest

from support.source_code import files, nodes

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_PATTERN = re.compile(r"\(\?|\S\|\S|\[一")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^']*'")
_WORD = re.compile(r"[A-Za-z]{2,}")
_READERS = {
    "compile", "pattern", "search", "match", "fullmatch", "findall", "finditer", "sub", "_register_rule",
    "startswith", "endswith", "removeprefix", "removesuffix", "strip", "rstrip", "lstrip", "partition", "rpartition",
    "split", "replace", "get", "fromkeys", "has_columns",
}  # fmt: skip
"""Functions that compare a text with their arguments."""

VOCABULARY = {
    "lib/ia/agent/tools/consent.py": "traditional characters and their simplified forms",
    "lib/ia/domain/speech/numerals.py": "numbers in words",
    "lib/ia/faculties/rulebooks/statements.py": "numbers, comparisons, denials and contraries of rules",
    "lib/ia/faculties/schedule/counted_days.py": "ordinals in wishes",
    "lib/ia/faculties/schedule/single_moments.py": "times of the day in wishes",
    "lib/ia/faculties/schedule/times_of_day.py": "times of the day in wishes",
    "lib/ia/faculties/schedule/unread_words.py": "words of wishes",
    "lib/ia/faculties/schedule/wish_parser.py": "words of wishes",
    "lib/ia/faculties/schedule/wish_text.py": "numbers and time zones in wishes",
    "lib/ia/kernel/i18n/units.py": "units of numbers and dates: steps of ten thousand translate no steps of a thousand",
    "lib/ia/organs/channels/conformance.py": "messages that the suite sends",
    "lib/ia/organs/ledger/statement_columns.py": "columns of the statements of brokers",
    "lib/ia/organs/ledger/statement_sections.py": "sections of the statements of brokers",
    "lib/ia/organs/market/screen_columns.py": "columns in the conditions of `ia screen`",
    "lib/ia/organs/market/sources/central_parity.py": "heads of the table, as the source has them",
    "lib/ia/organs/market/sources/companies.py": "industries of the simulated market",
    "lib/ia/organs/market/sources/demo.py": "reasons of the exchanges, in the simulated market",
    "lib/ia/organs/market/sources/eastmoney_abroad.py": "titles of the items of statements and names of currencies, as the source has them",
    "lib/ia/organs/market/sources/sina_statements.py": "titles of the items of statements, as the source has them",
    "lib/ia/organs/ohlcv/adapters/eastmoney.py": "columns of the source",
    "lib/ia/organs/ohlcv/adapters/tushare.py": "errors of the source",
    "lib/ia/organs/ohlcv/csv_headers.py": "columns of files",
    "lib/ia/organs/recall/terms.py": "scripts, and words that a search leaves out",
}
"""File -> what its Chinese is."""
WORDS = {
    "lib/ia/agent/analyst/jobs/answer_parts.py": "买 卖 那次手续费多少",
    "lib/ia/agent/analyst/ask/follow_again.py": "手续费交了多少 涨跌多少 手续费一共多少 我 什么时候加到自选的 吗 今天 卖出一共收到多少钱 买股票一共花了多少钱",
    "lib/ia/agent/analyst/ask/asides.py": "吗 了",
    "lib/ia/agent/analyst/ask/trade_queries.py": "最大",
    "lib/ia/agent/analyst/ask/follow_asides.py": "呢",
    "lib/ia/agent/analyst/ask/follow_days.py": "涨跌多少 的下跌多久收复 以来涨跌多少 年 月 到",
    "lib/ia/agent/analyst/ask/follow_told.py": "什么时候 在 之上吗 跌破 站上 和",
    "lib/ia/agent/analyst/ask/follow_ends.py": "二三四 和现在差多少 到现在涨跌多少 离我的目标价和止损各差多少 离我的止损还有多远 价",
    "lib/ia/agent/analyst/ask/follow_company.py": "净利润 经营现金流 资产负债率 市净率 市盈率 行业 我收到过 的分红吗"
    " 分红比例 每股分红多少 历年分红 和 哪个 更高 更低 在 里排第几 历年 我的 股 一年能收多少分红",
    "lib/ia/agent/analyst/ask/follow_lists.py": (
        "股里 按 排序 从高到低 从低到高 得最多的是谁 自选股里 以上 以下 自选股 我的持仓 今天 涨跌多少 板块 涨跌幅排第几"
    ),
    "lib/ia/agent/analyst/ask/follow_moves.py": (
        "哪一天 哪一周 哪个月 哪个季度 哪年 得最多 了几天 涨 跌 到 到现在涨跌多少 涨跌多少 离 还差多少附距今"
    ),
    "lib/ia/agent/analyst/ask/follow_names.py": "和 哪个 更 比较 谁涨得多",
    "lib/ia/agent/analyst/ask/follow_on.py": "我的持仓里 比较 里 呢 和 线 合计 今天 我 再买 股 仓位变成多少",
    "lib/ia/agent/analyst/ask/follow_points.py": (
        "最新财报是什么时候发布的 站上 我持有 吗 我 的卖出一共回款多少 我的 账户 哪个月收益最 差 好 我什么价 的 离提醒还有多远 值多少 钱 日线了吗 那次手续费多少 我为什么 卖 买"
        " 亏 赚 了多少 浮动盈亏多少 我拿了多久 从我买进到现在涨了多少"
    ),
    "lib/ia/agent/analyst/ask/money_sums.py": "已实现盈亏 浮动盈亏 盈亏 费用 入金 现金 资产 持仓 我的入金和出金 我的 之和折 和 我的浮动盈亏",
    "lib/ia/agent/analyst/ask/own_words.py": "港币 美元 人民币 账户有多少钱",
    "lib/ia/agent/analyst/ask/follow_own_again.py": (
        "港股 美股 股 第一笔 哪些交易赚了钱或亏了钱 交易 买入 卖出 最 的一笔 买入对现价 我为什么 买 卖"
        " 自选里 超仓了吗 各持仓盈亏从高到低 美元 港币 我的 现金折合人民币多少 是哪天 值多少人民币 我买了几次 赚了多少 人民币 我"
    ),
    "lib/ia/agent/analyst/jobs/own_events.py": "我 了多少",
    "lib/ia/agent/analyst/ask/follow_own.py": (
        "可以买吗 买多少股 什么会改变对 的看法 我的 哪个 有哪些任务等我批准 是多少 的提醒 了吗 占总资产多少 我 之后涨了多少 按我的成本股息率多少 我买 一共花了多少钱 跌破 站上 净利润 和 更"
        " 卖出 买入 有哪些任务 到我想买的价位了吗 任务是干什么的 任务还在吗 哪个提醒最接近触发 有提醒吗 的提醒现在成立吗 笔记的写作日期 我的止损规则 我的仓位上限 哪些提醒等我批准"
    ),
    "lib/ia/agent/analyst/ask/facts.py": "平均",
    "lib/ia/agent/analyst/ask/follow_pairs.py": "便宜 贵 快 慢 大 小 低 少 差 弱 美元 港币 和 高 哪家 更 我哪个 得多 谁 到 涨跌多少 我 哪个月收益好 平均 平均涨多少 哪个风险 兑人民币自 以来涨跌 到现在涨跌多少 亏 赚 跌 涨 的 谁表现好 今天 哪个 的天数 上涨 下跌 多",
    "lib/ia/agent/analyst/ask/follow_pronouns.py": "把 我的哪个提醒离触发最近 删掉 的提醒 移出自选 加入自选 里 我 吗 要不要卖 如果我没卖 现在会多赚多少 我为什么 我持有多少 买入以来涨了多少 我买入以来涨了多少 的新闻 的提醒改成 占我账户多少 占",
    "lib/ia/agent/analyst/ask/follow_same.py": "到 涨跌多少 成交量和 日均量相比 上次 日线是哪天",
    "lib/ia/agent/analyst/ask/follow_steps.py": "的股票里 里 美元 港币 人民币 我的 持仓 折合",
    "lib/ia/agent/analyst/ask/supposed_moves.py": "和",
    "lib/ia/agent/analyst/ask/follow_terms.py": "我的 是多少",
    "lib/ia/agent/analyst/ask/follow_times.py": "前 上 自 以来 到 涨跌 以来涨跌 年 月 成交量 比 多吗 上周 上上周 还剩几个交易日 哪天 得最多 跌 涨",
    "lib/ia/agent/analyst/ask/follow_words.py": "它",
    "lib/ia/agent/analyst/jobs/task_requests.py": "跌到 涨到",
    "lib/ia/agent/analyst/ask/near_questions.py": "的 了 吗 是",
    "lib/ia/agent/analyst/ask/time_spans.py": "一二三四五六日天",
    "lib/ia/agent/analyst/ask/loose_words.py": "一二三四五六七八九",
    "lib/ia/agent/analyst/ask/listed_subjects.py": "属于什么行业",
    "lib/ia/agent/analyst/ask/several.py": "到现在 我什么价买的 我的 股里 股 里",
    "lib/ia/agent/analyst/evidence/lens.py": "边界 禁忌 底线 成长",
    "lib/ia/agent/analyst/jobs/coaching.py": "太 风格 成长",
    "lib/ia/agent/analyst/jobs/plan.py": "回顾",
    "lib/ia/agent/prompt_format.py": "时间 事件 用户问题 外部数据 数值 任务时点 产物写到 回测交易日 用户查询 子任务 每日复盘 上涨股票监控 今日盈亏 持仓表现 市场表现 分组结果 数据 涨幅前 交易手册 持仓笔记 账户 成交 行情 时刻",
    "lib/ia/agent/turns/context.py": "已平仓 清仓 持仓 边界 禁忌 底线",
    "lib/ia/faculties/pictures/png.py": "茅 宁",
    "lib/ia/faculties/schedule/rhythm.py": "半",
    "lib/ia/faculties/schedule/wish_timing.py": "半",
    "lib/ia/organs/market/screen_conditions.py": "非",
    "lib/ia/organs/ohlcv/number_cells.py": "停牌",
    "lib/ia/agent/analyst/jobs/list_talk.py": "它 把 加到自选 属于什么行业",
}
"""File -> single words that it reads: headings of a prompt or of the soul, and what follows from a pattern."""


def said(nodes: Iterable[ast.AST]) -> Iterator[ast.Constant]:
    """Yield the Chinese literals of a file that stand where a text may be said."""
    allowed = set[ast.AST]()
    nodes = list(nodes)
    for node in nodes:
        allowed |= {part for each in read_parts(node) for part in ast.walk(each)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in allowed:
            if _PATTERN.search(node.value) or not _HAN.search(_QUOTED.sub("", node.value)):
                continue
            if len(_WORD.findall(node.value)) < max(
                4, len(_HAN.findall(node.value)) / 2
            ):  # English with an example in Chinese
                yield node


def read_parts(node: ast.AST) -> list[ast.expr]:
    """Return what of a node is read, or shown as an example."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return [node.value]
        case ast.Compare(left=left, comparators=right):
            return [left, *right]
        case ast.Dict(keys=keys):
            return [key for key in keys if key is not None]
        case ast.Subscript(value=ast.Name(id="Annotated")) | ast.Subscript(slice=ast.Constant()):
            return [node.slice]
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _READERS:
            return node.args[:1] if name in ("replace", "get", "fromkeys") else list(node.args)
        case ast.keyword(arg="example"):
            return [node.value]
    return []


@functools.cache
def chinese_files() -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for path, file in files("lib/ia", "cli"):
        for node in said(nodes(file)):
            found.setdefault(path, []).append((node.lineno, str(node.value)))
    return found


def test_chinese_output_is_in_the_catalog():
    wrong = []
    for path, literals in chinese_files().items():
        for line, text in literals if path not in VOCABULARY else []:
            if set(re.findall(f"{_HAN.pattern}+[0-9]*", text)) - set(WORDS.get(path, "").split()):
                wrong.append(f"{path}:{line}: {text!r}")
    assert not wrong, "say it in English, `make translate`:\n" + "\n".join(wrong)


def test_no_exception_is_left_over():
    found = chinese_files()
    assert not {*VOCABULARY, *WORDS} - found.keys()
    for path, words in WORDS.items():
        assert all(any(word in text for _, text in found[path]) for word in words.split()), path


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ('say("超时")', True),
        ('NAMES = {"slow": "超时"}', True),
        ('told = "超时" if lang == "zh" else "timed out"', True),
        ('f"{count} 天"', True),
        ('f"{name} 的 RSI is at {value} of {limit}，超买，不宜追高，等回踩均线再看"', True),
        ('raise UsageError("nothing is asked", hint="try: ia turn \\"看看茅台\\"")', False),
        ('hint = "write `name ~ 茅台`"', False),
        ('if word in ("全部", "all"):\n    pass', False),
        ('COUNTS = {"一": 1}', False),
        ('def f():\n    """Return 天."""', False),
        ('re.search("今天", words)', False),
        ('_DAY = r"(?:天|日)"', False),
    ],
)
def test_what_may_be_output_is_told_from_what_is_read(source: str, output: bool) -> None:
    assert bool(list(said(ast.walk(ast.parse(source))))) == output
