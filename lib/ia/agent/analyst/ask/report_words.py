"""Wishes for a page: "make me a report of my account", “给我出一份茅台的报告”."""

import re

from ia.agent.analyst.ask.mentions import Mention
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

ASKS = pattern_by_letters(
    r"(?<!谁)(?<!谁要)(?<!谁会)(?:出|生成|做|制作|导出|给|来|要|看|打开)(?:我|出|生成|做|看|下|一下)*一?[份张页]?[^，。,;；谁哪]{0,16}?"
    r"(?<![究析务度期绩研盘结财年季中周月日晨早快])(?:报告|报表)(?![期日书里])|网页报告|报告网页"
    r"|\b(?:make|create|generate|produce|build|render|export|give|show|open|write|print|want|need)\b(?: me| us| out)?"
    r"(?: (?:a|an|the|one|html|web|full|quick))* (?:report|page)(?: page)?(?: of| on| about| for)\b(?! \d{4})",
    re.I,
)
_BACKTEST = pattern(r"回测|\bback-?\s?tests?\b", re.I)
_ACCOUNT = pattern(
    r"账户|帐户|持仓|我的(?:组合|仓位|股票|投资)|组合|\b(?:account|portfolio|holdings|positions|investments)\b", re.I
)
_MARKET = pattern(r"大盘|市场|A股|全市场|\b(?:the )?(?:whole )?market\b", re.I)
_ID = pattern(r"(?<![0-9a-zA-Z-])(?=[0-9a-f]*\d)[0-9a-f]{6,12}(?![0-9a-zA-Z])|\bagent-[\w-]+")
BACKTEST, ACCOUNT, MARKET, SECURITY = "backtest", "account", "market", "security"


def find_subject(words: str, securities: list[Mention]) -> str:
    """Return what a report is to be about; "" where the words do not say.

    >>> find_subject("the report of my last backtest", []), find_subject("我的账户", []), find_subject("", [])
    ('backtest', 'account', '')
    """
    if _BACKTEST.search(words):
        return BACKTEST
    if securities:
        return SECURITY
    return ACCOUNT if _ACCOUNT.search(words) else MARKET if _MARKET.search(words) else ""


def find_run_id(words: str) -> str:
    """Return the id of a backtest that the words name; "last" where they name none."""
    found = _ID.search(words)
    return found[0] if found else "last"
