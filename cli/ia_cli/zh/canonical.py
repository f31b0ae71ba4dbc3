"""Chinese of canonical OHLCV: its reader, the normalizer, adjustment and resampling."""

CATALOG = {
    # reading canonical CSV
    "{source}:{line}: empty input": "{source}:{line}: 输入为空",
    "{source}:{line}: not UTF-8 (byte {byte})": "{source}:{line}: 不是 UTF-8 编码（字节 {byte}）",
    "{source}:{line}: missing column {field}": "{source}:{line}: 缺少列 {field}",
    "{source}:{line}: extra column {field}": "{source}:{line}: 多出列 {field}",
    "{source}:{line}: the columns are not in the order {field}": "{source}:{line}: 列的顺序应为 {field}",
    "{source}:{line}: {field} is missing": "{source}:{line}: 缺少 {field}",
    "{source}:{line}: extra column after {field}": "{source}:{line}: {field} 之后多出一列",
    "{source}:{line}: {field} is not a date of the form YYYY-MM-DD: {text}": (
        "{source}:{line}: {field} 不是 YYYY-MM-DD 形式的日期：{text}"
    ),
    "{source}:{line}: {field} mixes days and times of day: {text}": (
        "{source}:{line}: {field} 混用了日期和日内时间：{text}"
    ),
    "{source}:{line}: {field} is there twice: {text}": "{source}:{line}: {field} 重复：{text}",
    "{source}:{line}: {field} is before the line above: {text}": "{source}:{line}: {field} 早于上一行：{text}",
    "{source}:{line}: {field} is not a number: {text}": "{source}:{line}: {field} 不是数字：{text}",
    "{source}:{line}: {field} is not above 0: {text}": "{source}:{line}: {field} 不大于 0：{text}",
    "{source}:{line}: {field} is not a whole number: {text}": "{source}:{line}: {field} 不是整数：{text}",
    "{source}:{line}: {field} is negative: {text}": "{source}:{line}: {field} 为负：{text}",
    "{source}:{line}: {field} is too large: {text}": "{source}:{line}: {field} 过大：{text}",
    "{source}:{line}: {field} is inside the range of open and close": (
        "{source}:{line}: {field} 落在开盘价与收盘价之间"
    ),
    "{source}:{line}: {field} is inside the range of open and close ({count} such row(s))": (
        "{source}:{line}: {field} 落在开盘价与收盘价之间（共 {count} 行）"
    ),
    "{text} is not a price": "{text} 不是价格",
    "`ia ohlcv - < FILE` turns most CSV files into canonical OHLCV": (
        "`ia ohlcv - < FILE` 能把大多数 CSV 文件转换成标准 OHLCV"
    ),
    # finding the table
    "{source}:{line}: the encoding is not UTF-8, UTF-16 or GB18030 (byte {byte})": (
        "{source}:{line}: 编码不是 UTF-8、UTF-16 或 GB18030（字节 {byte}）"
    ),
    "{source}:{line}: the encoding of {field} is not UTF-8, UTF-16 or GB18030 (byte {byte})": (
        "{source}:{line}: {field} 的编码不是 UTF-8、UTF-16 或 GB18030（字节 {byte}）"
    ),
    "`iconv -f ENCODING -t UTF-8` converts it": "可用 `iconv -f ENCODING -t UTF-8` 转换",
    "{source}:{line}: compressed data or a spreadsheet, not CSV text": (
        "{source}:{line}: 是压缩数据或电子表格，不是 CSV 文本"
    ),
    "{source}:{line}: a zero byte in {field}": "{source}:{line}: {field} 中有零字节",
    "{source}:{line}: the line is too long ({count} characters)": "{source}:{line}: 这一行太长（{count} 个字符）",
    "{source}:{line}: a quoted cell goes on to line {last}": "{source}:{line}: 引号中的单元格一直延续到第 {last} 行",
    "a bar is one line: is a quotation mark missing, or one too many?": "一根 K 线占一行：是否少了或多了引号？",
    "{source}:{line}: not CSV: {reason}": "{source}:{line}: 不是 CSV：{reason}",
    "{source}:{line}: no line names the columns {needed}; the first says {found}": (
        "{source}:{line}: 没有一行写明列名 {needed}；第一行是 {found}"
    ),
    "the first line must name the columns: date, open, high, low, close, volume (or 日期, 开盘, …)": (
        "第一行须写明列名：date, open, high, low, close, volume（或 日期、开盘……）"
    ),
    "{source}:{line}: no column for {field}; there are {found}": "{source}:{line}: 没有 {field} 列；现有 {found}",
    "{source}:{line}: {field} is missing: {count} cells under {width} columns": (
        "{source}:{line}: 缺少 {field}：{width} 列下只有 {count} 格"
    ),
    "{source}:{line}: a cell too much after {field}: {count} cells under {width} columns": (
        "{source}:{line}: {field} 之后多出一格：{width} 列下有 {count} 格"
    ),
    "{source}:{line}: {field} is in more than one column, and they differ: {names}": (
        "{source}:{line}: 不止一列是 {field}，而且内容不同：{names}"
    ),
    "{source}: {field} is in more than one column ({names}); the first is taken": (
        "{source}: 不止一列是 {field}（{names}），取第一列"
    ),
    "{source}:{line}: {count} symbols in one file: {names}": "{source}:{line}: 一个文件里有 {count} 个代码：{names}",
    "`--select` picks one of them": "用 `--select` 选其中一个",
    "{source} has no column of symbols to look for {symbol} in": "{source} 没有代码列，无法查找 {symbol}",
    "{source} has no rows of {symbol}": "{source} 没有 {symbol} 的行",
    # rows that do not come through
    "{source}: {count} line(s) before the header passed over": "{source}: 跳过表头之前的 {count} 行",
    "{source}: {count} repeated header line(s) passed over (the first on line {line})": (
        "{source}: 跳过重复的表头 {count} 行（首行在第 {line} 行）"
    ),
    "{source}: {count} line(s) that are no rows passed over (the first on line {line})": (
        "{source}: 跳过非数据行 {count} 行（首行在第 {line} 行）"
    ),
    "{source}: {count} row(s) of other symbols left out (the first on line {line})": (
        "{source}: 略去其他代码 {count} 行（首行在第 {line} 行）"
    ),
    "{source}: dropped {count} rows without {field} (first: line {line})": (
        "{source}: 丢弃缺少 {field} 的 {count} 行（首行在第 {line} 行）"
    ),
    "{source}: {count} day(s) without trading dropped (the first on line {line})": (
        "{source}: 丢弃无交易的 {count} 天（首行在第 {line} 行）"
    ),
    "{source}: {count} row(s) dropped that repeat another one (the first on line {line})": (
        "{source}: 丢弃与他行重复的 {count} 行（首行在第 {line} 行）"
    ),
    "{source}: the rows were in no order and are sorted by date": "{source}: 各行无序，已按日期排序",
    "{source}:{line}: {field} is there twice with different values: {text} (also line {other})": (
        "{source}:{line}: {field} 重复而数值不同：{text}（另见第 {other} 行）"
    ),
    # dates and numbers
    "{source}:{line}: {field} is not a date: {text}": "{source}:{line}: {field} 不是日期：{text}",
    "{source}:{line}: {field} may be day/month or month/day: {text}": (
        "{source}:{line}: {field} 可能是 日/月，也可能是 月/日：{text}"
    ),
    "{source}:{line}: {field} does not fit the order of day and month elsewhere in the file: {text}": (
        "{source}:{line}: {field} 与文件他处的日月顺序不符：{text}"
    ),
    "`--day-first` or `--month-first` tells, or dates as YYYY-MM-DD": (
        "用 `--day-first` 或 `--month-first` 说明，或把日期写成 YYYY-MM-DD"
    ),
    "{source}: dates such as {text} are read as {date}": "{source}: 形如 {text} 的日期读作 {date}",
    "{source}: the times are UTC and stay as written, not exchange time": (
        "{source}: 时间是 UTC，原样保留，不是交易所时间"
    ),
    "{source}:{line}: {field} may have a decimal comma or a thousands separator: {text}": (
        "{source}:{line}: {field} 中的逗号可能是小数点，也可能是千分位：{text}"
    ),
    "additively adjusted prices (qfq of Eastmoney or Tencent) turn negative: take raw prices": (
        "加减法前复权（东方财富、腾讯）会出现负价：请取不复权价格"
    ),
    # the unit of the volume
    "{source}: column {name} counts lots of 100, written here as shares (`--shares` if it holds shares)": (
        "{source}: {name} 列以手（100 股）计，已换算成股（若本来就是股，用 `--shares`）"
    ),
    "{source}: column {name} holds shares, as the amounts show (`--lots` if it counts lots of 100)": (
        "{source}: 成交额表明 {name} 列以股计（若以手计，用 `--lots`）"
    ),
    "{source}: column {name} is taken as shares, but the amounts look like lots of 100 (`--lots`)": (
        "{source}: {name} 列按股计，但成交额看来像是手（`--lots`）"
    ),
    "{source}:{line}: the unit of {field} is unknown: {text}": "{source}:{line}: {field} 的单位未知：{text}",
    "`--shares` or `--lots` tells": "用 `--shares` 或 `--lots` 说明",
    "{source}:{line}: {field} is no number of shares but perhaps an amount of money: {text}": (
        "{source}:{line}: {field} 不是股数，或许是金额：{text}"
    ),
    "{source}:{line}: {field} is not a whole number of shares: {text} ({count} such row(s), rounded)": (
        "{source}:{line}: {field} 不是整数股：{text}（共 {count} 行，已取整）"
    ),
    "{source}:{line}: {field} is rounded to its unit by the source ({count} such row(s))": (
        "{source}:{line}: {field} 已被来源按单位取整（共 {count} 行）"
    ),
    # doubts
    "{source}:{line}: {field} changes by {change} on {date} ({count} such jump(s)): "
    "a split, a change of adjustment within the file, or bad data": (
        "{source}:{line}: {field} 在 {date} 变动 {change}（共 {count} 处）：拆股、文件中途更换复权方式，或数据有误"
    ),
    "{source}: {field} x close is usually {amount}: "
    "too much for one share, so it is an index, or the volume is an amount of money": (
        "{source}: {field} x 收盘价通常为 {amount}：单只股票没有这么多，可能是指数，或者成交量其实是金额"
    ),
    "{source}: {field}, usually {amount}, is taken as shares, but would fit an amount of money as well: "
    "no unit and no amount column tells (`--shares` if it counts shares)": (
        "{source}: {field} 通常为 {amount}，按股数处理，但也可能是金额：没有单位或成交额列可以判断（确是股数请用 `--shares`）"
    ),
    "{file} is taken as {symbol}; a file of {other} is named {other}.csv": (
        "{file} 按 {symbol} 读取；{other} 的文件名是 {other}.csv"
    ),
    "{source}:{line}: {field} is 0 and the price one and the same ({count} such bar(s)): no trading?": (
        "{source}:{line}: {field} 为 0 且四价相同（共 {count} 根）：没有交易？"
    ),
    # adjustment and resampling
    "the corporate action of {date} leaves no positive price: the close before is {close}": (
        "{date} 的除权除息使价格不再为正：此前收盘价为 {close}"
    ),
    "{how}: no such adjustment (qfq, hfq, none)": "{how}：没有这种复权方式（qfq、hfq、none）",
    "{period}: no such period (daily, weekly, monthly)": "{period}：没有这种周期（daily、weekly、monthly）",
}
