"""A task as a person reads and approves it: a Markdown file `tasks/NAME.md`, its fields as front matter."""

import json
import posixpath
import re
import unicodedata
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any

from ia.faculties.schedule.model import Design
from ia.kernel import outside
from ia.kernel.errors import BadData
from ia.kernel.formats.frontmatter import split_text
from ia.kernel.formats.yaml import load_yaml

NOBODY = ("nobody", "none")
LIMITS = {"schedule": 200, "zone": 60, "calendar": 8, "produces": 200, "inputs": 500, "because": 500, "prompt": 8000,
          "run": 2000}  # fmt: skip
MAX_RETRIES = 20
MAX_MINUTES = {"retry_after": 7 * 1440, "timeout": 1440}
MAX_CHANNELS = 20
MAX_PART = 200
"""Bytes of a file's or folder's name in `produces`, DATE and TIME not filled in."""


_NAME = re.compile(r"\w[\w-]{0,59}")
_CHANNEL = re.compile(r"[\w.-]{1,60}")
_DURATION = re.compile(r"(\d{1,6})\s*(m|h|d|min|minutes?|hours?|days?)?", re.I)
_TEXT = re.compile(r"(prompt|run|inputs|because|schedule|zone|calendar|produces):[ \t]+(?![\"'|>&!])(\S.*)")
_MEANT = {"cron": "schedule", "when": "schedule", "timezone": "zone", "tz": "zone", "output": "produces",
          "outputs": "produces", "command": "run", "pipeline": "run", "retry": "retries", "why": "because"}  # fmt: skip
"""What those mean who write a field that there is not."""
_VERBATIM = ("prompt", "run", "inputs", "because")
_DATE = re.compile(r"\d{4}-\d")
_PLACE = re.compile(r"(?<![A-Za-z])(?:DATE|TIME)(?![A-Za-z])")
_UNITS = {"m": 1, "h": 60, "d": 1440}
_DEFAULTS = {each.name: each.default for each in fields(Design) if each.default is not MISSING}


def parsed(text: str, name: str = "") -> Design:
    """Return the design that a file says; `name` is the file's, without .md. A mark of being untrusted is passed over.

    The form of each field is checked here, what they mean together by `check`.
    raises  BadData that names the field.
    """
    try:
        head, _ = split_text(outside.accepted(text), "task")
    except BadData:
        head = None
    if head is None:
        raise BadData("a task begins with its fields between two lines of ---", hint="see ia-task(5)")
    found = _loaded(head)
    known = [each.name for each in fields(Design)]
    for field in found:
        if field not in known:
            from difflib import get_close_matches

            near = _MEANT.get(field.lower()) or ", ".join(get_close_matches(field.lower(), known, 1))
            raise BadData(
                "{field}: a task has no such field", field=field[:40], near=near,
                hint="did you mean {near}?" if near else "see ia-task(5)",
            )  # fmt: skip
    told = _line("name", found.get("name"))
    if told and name and told != name:
        raise BadData("name: {told} is not the name of its file, {name}", told=told[:60], name=name)
    values: dict[str, Any] = {"name": name or told, "schedule": ""}
    for field in found:
        if field != "name":
            values[field] = _value(field, found[field])
    design = Design(**values)
    _sized(design)
    return design


def written(design: Design, lang: str = "en") -> str:
    """Return the file of a design: front matter with each field that is not the default, and a body for people.

    parsed(written(design), design.name) == design.
    raises  BadData where a field holds what a file cannot: control characters, more than fits.
    """
    _sized(design)
    lines = ["---"]
    for each in fields(Design):
        value = getattr(design, each.name)
        if each.name != "name" and (each.name == "schedule" or value != _DEFAULTS[each.name]):
            lines.append(f"{each.name}: {_yaml(each.name, value)}")
    return "\n".join([*lines, "---", "", *_body(design, lang)]) + "\n"


def check(design: Design) -> None:
    """Raise what is wrong with a design taken as a whole; whether its pipeline is one, `ia.reach.tasks` checks.

    raises  BadData: no such zone, a schedule that never comes, both or none of prompt and run, a note that is none.
    """
    from ia.faculties.schedule import exchange, slots, zones
    from ia.faculties.schedule.forms import Event, agreed, form
    from ia.kernel import clock

    _sized(design)
    if design.name.isdecimal():
        raise BadData("name: {name} is the number of a proposal; let it have a letter", name=design.name)
    what = form(design.schedule)
    agreed(design.schedule)
    if design.zone:
        zones.zone(design.zone)
    if design.calendar and design.calendar not in exchange.MARKETS:
        raise BadData("calendar: {calendar!r} is none of CN, HK, US", calendar=design.calendar)
    if bool(design.prompt.strip()) == bool(design.run.strip()):
        raise BadData("a task has either a prompt or a run, and not both", hint="see ia-task(5)")
    if isinstance(what, Event) and design.calendar:
        raise BadData("calendar: an event comes when it comes; leave it out")
    if design.calendar and not slots.upcoming(design, clock.now(), 1):
        raise BadData("schedule {schedule!r}: none of its days is a trading day", schedule=design.schedule)
    produced(design)


def produced(design: Design) -> str:
    """Return the path of its note below the workspace, DATE and TIME still standing in it.

    raises  BadData where the path lies elsewhere than below notebook/.
    """
    text = design.produces.strip() or f"reports/{design.name}/DATE.md"
    path = text.replace("YYYY-MM-DD", "DATE").removeprefix("notebook/")
    parts = path.split("/")
    if "\\" in path or any(not part or part[0] in ".~" or part != part.strip() for part in parts):
        raise BadData(
            "produces: {path!r} is no note below notebook/", path=text[:80], hint="for example reports/weekly/DATE.md"
        )
    if max(len(part.encode()) for part in parts) > MAX_PART:
        raise BadData("produces: a name in it is too long")
    ending = posixpath.splitext(path)[1]
    if ending and ending != ".md":
        raise BadData("produces: a note ends in .md, not in {ending}", ending=ending[:20])
    return f"notebook/{path if ending else path + '.md'}"


def report_path(design: Design, slot: datetime, several: bool = False) -> str:
    """Return the note that keeps the result of one slot: DATE and TIME filled in, in the design's zone.

    Where a path has a DATE and more than one run can fall on it, -HHMM is added unless TIME stands there.
    several  add it although the schedule has one run a day: the date is taken.
    """
    from ia.faculties.schedule.forms import Close, Cron, form
    from ia.faculties.schedule.slots import zone_of

    path, local = produced(design), slot.astimezone(zone_of(design))
    what = form(design.schedule)
    once = isinstance(what, Close) or (isinstance(what, Cron) and len(what.times) == 1)
    words = {"DATE": local.strftime("%Y-%m-%d"), "TIME": local.strftime("%H%M")}
    told = set(_PLACE.findall(path))
    if told == {"DATE"} and (several or not once):
        path = path.removesuffix(".md") + "-TIME.md"
    return _PLACE.sub(lambda match: words[match[0]], path)


def _loaded(head: str) -> dict[str, Any]:
    """Return the front matter as fields; `schedule: */5 * * * *` and `prompt: a: b # c` are read as they are meant."""
    try:
        found = load_yaml("\n".join(map(_quoted, head.split("\n"))), "task")
    except BadData:
        found = load_yaml(head, "task")
    if not isinstance(found, dict):
        raise BadData("a task begins with its fields between two lines of ---", hint="see ia-task(5)")
    return found


def _quoted(line: str) -> str:
    match = _TEXT.fullmatch(line.rstrip())
    if match is None:
        return line
    value = match[2] if match[1] in _VERBATIM else re.split(r"[ \t]#", match[2])[0].rstrip()
    return f"{match[1]}: {json.dumps(value, ensure_ascii=False)}"


def _value(field: str, value: Any) -> Any:
    """Return a field of the file as it is in a Design."""
    if field == "notify":
        return _channels(value)
    if field == "silent":
        return _switch(field, value)
    if field in MAX_MINUTES:
        return _minutes(field, value)
    if field == "retries":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_RETRIES:
            raise BadData("{field}: a number from 0 to {most}", field=field, most=MAX_RETRIES)
        return value
    text = _text(field, value)
    if field in _VERBATIM:
        return text
    line = " ".join(text.split())
    if field == "calendar":
        from ia.faculties.schedule.exchange import MARKETS

        return "" if line.lower() in ("", "none", "no", "false") else MARKETS.get(line.upper(), line)
    if field == "missed":
        return line.lower() or "once"
    return line


def _text(field: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise BadData("{field}: one line of text, or a block of it", field=field)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _line(field: str, value: Any) -> str:
    return " ".join(_text(field, value).split())


def _switch(field: str, value: Any) -> bool:
    word = str(value).strip().lower()
    if value is None or word in ("false", "no", "off"):
        return False
    if word in ("true", "yes", "on"):
        return True
    raise BadData("{field}: true or false", field=field)


def _minutes(field: str, value: Any) -> int:
    match = _DURATION.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    minutes = int(match[1]) * _UNITS[(match[2] or "m")[0].lower()] if match else 0
    if not 1 <= minutes <= MAX_MINUTES[field]:
        raise BadData(
            "{field}: a time such as 90m, 1h or 1d; at most {most} minutes", field=field, most=MAX_MINUTES[field]
        )
    return minutes


def _channels(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else re.split("[,，、]", _text("notify", value))
    names = tuple(dict.fromkeys(name for name in (str(item).strip() for item in items) if name))
    return () if not names or (len(names) == 1 and names[0].lower() in NOBODY) else names


def _sized(design: Design) -> None:
    """Raise what no file can hold, or what nobody would read before approving it."""
    if not _NAME.fullmatch(design.name):
        raise BadData("name: letters, digits, - and _, at most 60: not {name!r}", name=design.name[:80])
    for field, most in LIMITS.items():
        value = getattr(design, field)
        if len(value) > most:
            raise BadData("{field}: longer than {most} characters", field=field, most=most)
        bad = next((char for char in value if _hidden(char, field)), None)
        if bad is not None:
            raise BadData("{field}: a character that is not seen, {char}", field=field, char=f"U+{ord(bad):04X}")
        if field not in _VERBATIM and value != " ".join(value.split()):
            raise BadData("{field}: one line of text, without spaces around it", field=field)
    if not design.schedule:
        raise BadData("schedule: a task says when it runs", hint="see ia-task(5)")
    if design.missed not in ("once", "skip"):
        raise BadData("missed: once or skip, not {word!r}", word=design.missed[:40])
    if len(design.notify) > MAX_CHANNELS or len(set(design.notify)) != len(design.notify):
        raise BadData("notify: at most {most} channels, each once", most=MAX_CHANNELS)
    for name in design.notify:
        if not _CHANNEL.fullmatch(name) or name.lower() in NOBODY:
            raise BadData("notify: {name!r} is no name of a channel", name=name[:60])
    if not 0 <= design.retries <= MAX_RETRIES:
        raise BadData("{field}: a number from 0 to {most}", field="retries", most=MAX_RETRIES)
    for field in MAX_MINUTES:
        _minutes(field, getattr(design, field))


def _hidden(char: str, field: str) -> bool:
    """Whether a person would not see a character: a control or a format (bidi, zero width, tags), or none at all."""
    if char in "\n\t":
        return field not in _VERBATIM
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _yaml(field: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False) if value else "nobody"
    return _scalar(field, str(value))


def _scalar(field: str, value: str) -> str:
    """Return a text as YAML: as it is where that reads back the same, as a block of lines, else in quotes."""
    for told in (value, "|-\n" + "\n".join(f"  {line}" if line else "" for line in value.split("\n"))):
        if ("\n" in value) == told.startswith("|-") and _reads(f"{field}: {told}", field, value):
            return told
    return json.dumps(value, ensure_ascii=False)


def _reads(text: str, field: str, value: str) -> bool:
    """Whether front matter says this value: to us, to every reader of YAML, and without passing for a mark of ours."""
    file = f"---\n{text}\n---\n"
    if _DATE.match(value):
        return False
    try:
        return _loaded(text) == load_yaml(text, "task") == {field: value} and outside.accepted(file) == file
    except BadData:
        return False


_BODY = {
    "en": "What runs is the text that was approved. After a change to this file: `ia task approve {name}`.",
    "zh": "运行的是批准过的文本。改动本文件后请再批准：`ia task approve {name}`。",
}


def _body(design: Design, lang: str) -> list[str]:
    from ia.faculties.schedule.describe import described

    try:
        when = described(design, lang)
    except BadData:  # it is written down all the same: `check` says what is wrong
        when = design.schedule
    return [f"# {design.name}", "", when, "", _BODY["zh" if lang == "zh" else "en"].format(name=design.name)]
