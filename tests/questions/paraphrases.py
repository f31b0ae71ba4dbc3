"""Other ways to ask a question: the same facts are wanted, whatever the words.

A paraphrase is made of two or three small changes, chosen at random by the question and a fixed seed. A change that
does not apply to a question leaves it as it is.
"""

import random
import re

SEED = 20240315
HAN = re.compile(r"[\u4e00-\u9fff]")
NAMES = (
    ("贵州茅台", "茅台", "600519", "Moutai"),
    ("宁德时代", "宁德时代", "300750", "CATL"),
    ("比亚迪", "比亚迪", "002594", "BYD"),
    ("招商银行", "招行", "600036", "China Merchants Bank"),
    ("五粮液", "五粮液", "000858", "Wuliangye"),
    ("平安银行", "平安银行", "000001.SZ", "Ping An Bank"),
    ("苹果", "苹果公司", "AAPL", "Apple"),
    ("特斯拉", "特斯拉", "TSLA", "Tesla"),
    ("英伟达", "英伟达", "NVDA", "Nvidia"),
)
POLITE = ("请问{}", "麻烦问一下，{}", "帮我查一下{}", "想问下{}", "你好，{}", "{}，谢谢")
POLITE_EN = ("Please tell me: {}", "Hi, {}", "{} Thanks!", "Could you tell me, {}", "Quick question: {}")
SYNONYMS = (
    ("多少", "几多"), ("什么时候", "啥时候"), ("什么时候", "何时"), ("为什么", "为啥"), ("什么", "啥"), ("昨天", "昨日"),
    ("今天", "今日"), ("明天", "明日"), ("现在", "目前"), ("怎么样", "咋样"), ("哪只", "哪一只"), ("最近一周", "近一周"),
    ("上个月", "上月"), ("今年以来", "年初至今"), ("上周五", "上星期五"), ("市盈率", "PE"), ("涨跌幅是", "涨幅是"),
    ("大盘", "市场"), ("股票", "股"), ("有哪些", "有什么"),
)  # fmt: skip
SYNONYMS_EN = (
    ("What is", "What's"), ("what is", "what's"), ("How much did", "By how much did"), ("close", "closing price"),
    ("year to date", "YTD"), ("all-time high", "record high"), ("fall", "drop"), ("P/B", "price to book"),
    ("the PE", "the P/E ratio"), ("do I have", "have I got"),
)  # fmt: skip
PARTICLES = ("呢", "啊", "呀")
QUESTION_ENDS = ("多少", "什么", "哪只", "哪天", "怎么样", "几天了", "几天", "时候", "是谁", "哪些", "几只", "多少钱")
SIMPLIFIED = "贵台宁时亚银苹价盘开涨红报财产业属于么买卖为会还现钱总资亏赚续费实损仓笔历关写个几连较计压间净贝选吗长万两过数换额动来后这对险线权类谁离点当与从创证粮给员门结终达腾讯农备块胜赢题岁营兴储纪务东图宽级众热强"
TRADITIONAL = "貴臺寧時亞銀蘋價盤開漲紅報財產業屬於麼買賣為會還現錢總資虧賺續費實損倉筆歷關寫個幾連較計壓間淨貝選嗎長萬兩過數換額動來後這對險線權類誰離點當與從創證糧給員門結終達騰訊農備塊勝贏題歲營興儲紀務東圖寬級眾熱強"
MONTHS = ("January", "February", "March")


def replace_name(question, rng):
    """Call the company by another of its names."""
    for names in NAMES:
        for name in sorted(names, key=len, reverse=True):
            found = re.search(rf"(?<![\w.]){re.escape(name)}(?![\d.])" if name.isascii() else re.escape(name), question)
            if found:
                other = rng.choice([one for one in names if one != name and (HAN.search(question) or one.isascii())])
                gap = " " if other.isascii() and not question[found.end() :].startswith((" ", "'", "?", ",")) else ""
                before = " " if other.isascii() and question[: found.start()] else ""
                return f"{question[: found.start()].rstrip()}{before}{other}{gap}{question[found.end() :]}".strip()
    return question


def add_politeness(question, rng):
    forms = POLITE if HAN.search(question) else POLITE_EN
    return rng.choice(forms).format(question)


def replace_word(question, rng):
    if HAN.search(question):
        table = [pair for pair in SYNONYMS if pair[0] in question]
        return question.replace(*rng.choice(table), 1) if table else question
    table = [pair for pair in SYNONYMS_EN if re.search(rf"\b{re.escape(pair[0])}\b", question)]
    word, other = rng.choice(table) if table else ("", "")
    return re.sub(rf"\b{re.escape(word)}\b", other, question, count=1) if word else question


def add_particle(question, rng):
    bare = question.rstrip("?？")
    return bare + rng.choice(PARTICLES) + question[len(bare) :] if bare.endswith(QUESTION_ENDS) else question


def turn_question_mark(question, rng):
    bare = question.rstrip("?？")
    if bare != question:
        return bare
    return question + (rng.choice("?？") if HAN.search(question) else "?")


def widen_digits(question, rng):
    """Write the digits in full width, which a Chinese input method does; dates with signs stay."""
    if not HAN.search(question) or re.search(r"\d[-/.]\w", question):
        return question
    return re.sub(r"(?<![A-Za-z.])\d+", lambda m: "".join(chr(ord(one) + 0xFEE0) for one in m[0]), question)


def write_traditional(question, rng):
    return question.translate(str.maketrans(SIMPLIFIED, TRADITIONAL))


def move_time(question, rng):
    """Say the time before the name: 昨天茅台收盘价."""
    found = re.match(
        r"(贵州茅台|茅台|宁德时代|比亚迪|招商银行|招行|五粮液|苹果|平安银行|格力)"
        r"(昨天|今天|上周五|今年以来|去年一季度|去年(?!底)|今年(?!以来)|最近一周|2月(?!\d)|2023年)(.+)",
        question,
    )
    return "{1}{0}{2}".format(*found.groups()) if found else question


def rewrite_date(question, rng):
    """Write a date in another form that is usual."""
    if found := re.search(r"(?<![\d年])(\d{1,2})月(\d{1,2})[日号]", question):
        month, day = int(found[1]), int(found[2])
        forms = (f"2024-{month:02}-{day:02}", f"2024年{month}月{day}日", f"{month}月{day}号", f"{month}.{day}号")[:3]
        return question.replace(found[0], rng.choice(forms))
    if found := re.search(rf"({'|'.join(MONTHS)}) (\d+)(?!\d)", question):
        month, day = MONTHS.index(found[1]) + 1, int(found[2])
        return question.replace(
            found[0], rng.choice((f"{found[1][:3]} {day}", f"{day} {found[1]}", f"2024-{month:02}-{day:02}"))
        )
    return question


def add_space(question, rng):
    """Put a space where a thumb puts it: behind a name or a word of time, or twice between words."""
    if not HAN.search(question):
        return question.replace(" ", "  ", 1)
    spots = [
        m.end() for m in re.finditer(r"茅台|宁德时代|比亚迪|招商银行|招行|五粮液|昨天|今天|今年|现在|我的?", question)
    ]
    spots = [spot for spot in spots if spot < len(question)]
    if not spots:
        return question + " "
    spot = rng.choice(spots)
    return f"{question[:spot]} {question[spot:]}"


def change_case(question, rng):
    return question if HAN.search(question) else question.lower()


CHANGES = (
    move_time, rewrite_date, replace_name, replace_word, add_particle, turn_question_mark, add_politeness, add_space,
    change_case, widen_digits, write_traditional,
)  # fmt: skip


def paraphrase(question, count):
    """Return so many paraphrases of a question, all different from it."""
    rng = random.Random(f"{SEED} {question}")
    found = []
    for _ in range(50):
        if len(found) == count:
            break
        text = question
        chosen = set(rng.sample(CHANGES, 5))
        done = 0
        for change in CHANGES:
            if change in chosen and done < 3:
                changed = change(text, rng)
                done += changed != text
                text = changed
        if done > 1 and text != question and text not in found:
            found.append(text)
    return found
