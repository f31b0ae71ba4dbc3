"""A wish to have an answer written into a note that is named by its path."""

import re

from ia.agent.analyst.ask.mentions import LONGEST
from ia.kernel.patterns import pattern

_PATH = r"[「“\"'`]?(?:notebook/)?(?P<path>[\w./-]+\.md)[」”\"'`]?"
_FORMS = (
    pattern(
        r"^\W*(?:请|帮我|替我)*把(?P<asked>[^，,。？?]{2,60}?)(?:记录?|写|存|保存|追加|加|放)下?(?:到|进|入|在)"
        rf"我?的?(?:笔记本?|文件)?里?的?\s*{_PATH}\s*(?:这个)?(?:笔记|文件)?[里中]?面?\W*$"
    ),
    pattern(
        r"^\W*(?:please |can you |could you )*(?:write|put|save|record|append|add|store|log|keep) (?P<asked>.{3,80}?)"
        rf" (?:in|into|to|under) (?:my |the |a )?(?:notes?(?:book)? |file )?{_PATH}\W*$",
        re.I,
    ),
)


def read_filing(words: str) -> tuple[str, str] | None:
    """Return what is asked and the path in the notebook that the answer is wanted in; None for anything else.

    >>> read_filing("把招商银行今天的收盘价记到笔记 scratch/cmb.md 里。")
    ('招商银行今天的收盘价', 'scratch/cmb.md')
    >>> read_filing("Save the P/E of Midea to notebook/midea.md"), read_filing("note: three days of outflows")
    (('the P/E of Midea', 'midea.md'), None)
    """
    found = next((match for form in _FORMS if (match := form.match(words[:LONGEST]))), None)
    return (found["asked"].strip(), found["path"]) if found else None
