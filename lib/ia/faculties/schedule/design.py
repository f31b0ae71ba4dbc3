"""A task as a person reads and approves it: a Markdown file `tasks/NAME.md`, its fields as front matter."""

import json
import posixpath
import re
import unicodedata
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any

from ia.faculties.schedule.model import TaskDesign
from ia.kernel import untrusted
from ia.kernel.errors import BadData
from ia.kernel.formats.frontmatter import split_text
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

NOBODY = ("nobody", "none")
LIMITS = {
    "schedule": 200,
    "zone": 60,
    "calendar": 8,
    "produces": 200,
    "inputs": 500,
    "because": 500,
    "prompt": 8000,
    "run": 2000,
}
MAX_RETRIES = 20
MAX_MINUTES = {"retry_after": 7 * 1440, "timeout": 1440}
MAX_CHANNELS = 20
MAX_PART = 200
"""Bytes of a file's or folder's name in `produces`, DATE and TIME not filled in."""


_NAME = pattern(r"\w[\w-]{0,59}")
_CHANNEL = pattern(r"[\w.-]{1,60}")
_DURATION = pattern(r"(\d{1,6})\s*(m|h|d|min|minutes?|hours?|days?)?", re.I)
_TEXT = pattern(r"(prompt|run|inputs|because|schedule|zone|calendar|produces):[ \t]+(?![\"'|>&!])(\S.*)")
_MEANT = {
    "cron": "schedule",
    "when": "schedule",
    "timezone": "zone",
    "tz": "zone",
    "output": "produces",
    "outputs": "produces",
    "command": "run",
    "pipeline": "run",
    "retry": "retries",
    "why": "because",
}
"""What those mean who write a field that there is not."""
_VERBATIM = ("prompt", "run", "inputs", "because")
_DATE = pattern(r"\d{4}-\d")
_PLACE = pattern(r"(?<![A-Za-z])(?:DATE|TIME)(?![A-Za-z])")
_UNITS = {"m": 1, "h": 60, "d": 1440}
_DEFAULTS = {each.name: each.default for each in fields(TaskDesign) if each.default is not MISSING}


def parse_design(text: str, name: str = "") -> TaskDesign:
    """Return the design that a file says; `name` is the file's, without .md. A mark of being untrusted is passed over.

    The form of each field is checked here, what they mean together by `check`.
    raises  BadData that names the field.
    """
    try:
        head, _ = split_text(untrusted.remove_mark(text), "task")
    except BadData:
        head = None
    if head is None:
        raise BadData("a task file must begin with its fields between two lines of ---", hint="see ia-task(5)")
    found = _load_fields(head)
    known = [each.name for each in fields(TaskDesign)]
    for field in found:
        if field not in known:
            from difflib import get_close_matches

            near = _MEANT.get(field.lower()) or ", ".join(get_close_matches(field.lower(), known, 1))
            raise BadData(
                "{field}: unknown field",
                field=field[:40],
                near=near,
                hint="did you mean {near}?" if near else "see ia-task(5)",
            )
    told = _require_line("name", found.get("name"))
    if told and name and told != name:
        raise BadData("name: {told} does not match the file name {name}", told=told[:60], name=name)
    values: Json = {"name": name or told, "schedule": ""}
    for field in found:
        if field != "name":
            values[field] = _parse_field(field, found[field])
    design = TaskDesign(**values)
    _check_size(design)
    return design


def format_design(design: TaskDesign, lang: str = "en") -> str:
    """Return the file of a design: front matter with each field that is not the default, and a body for people.

    parsed(written(design), design.name) == design.
    raises  BadData where a field holds what a file cannot: control characters, more than fits.
    """
    _check_size(design)
    lines = ["---"]
    for each in fields(TaskDesign):
        value = getattr(design, each.name)
        if each.name != "name" and (each.name == "schedule" or value != _DEFAULTS[each.name]):
            lines.append(f"{each.name}: {_format_yaml(each.name, value)}")
    return "\n".join([*lines, "---", "", *_body_lines(design, lang)]) + "\n"


def check_design(design: TaskDesign) -> None:
    """Raise what is wrong with a design taken as a whole; whether its pipeline is one, `ia.faculties.taskbook` checks.

    raises  BadData: no such zone, a schedule that never comes, both or none of prompt and run, a note that is none.
    """
    from ia.faculties.schedule import exchange, slots, zones
    from ia.faculties.schedule.schedule_forms import ScheduleEvent, check_crontab_accepts, is_finite, parse_schedule
    from ia.kernel import clock

    _check_size(design)
    if design.name.isdecimal():
        raise BadData("name: {name} would be read as a proposal number; add a letter", name=design.name)
    what = parse_schedule(design.schedule)
    check_crontab_accepts(design.schedule)
    if design.zone:
        zones.load_zone(design.zone)
    if design.calendar and design.calendar not in exchange.MARKETS:
        raise BadData("calendar: {calendar!r} is not one of CN, HK, US", calendar=design.calendar)
    if bool(design.prompt.strip()) == bool(design.run.strip()):
        raise BadData("a task needs either a prompt or a run, not both", hint="see ia-task(5)")
    if isinstance(what, ScheduleEvent) and design.calendar:
        raise BadData("calendar: an event follows no calendar; remove this field")
    if design.calendar and not is_finite(design.schedule) and not slots.next_slots(design, clock.now(), 1):
        raise BadData("schedule {schedule!r}: none of its days is a trading day", schedule=design.schedule)
    output_path(design)


def require_future(design: TaskDesign) -> None:
    """Raise BadData where all of a schedule's moments have passed."""
    from ia.faculties.schedule import slots
    from ia.faculties.schedule.schedule_forms import is_finite
    from ia.kernel import clock

    if is_finite(design.schedule) and not slots.next_slots(design, clock.now(), 1):
        raise BadData(
            "schedule {schedule!r} has passed, or its day is not a trading day",
            schedule=design.schedule,
            hint="give a later moment: `at 2027-01-15 09:00`",
        )


def output_path(design: TaskDesign) -> str:
    """Return the path of its note below the workspace, DATE and TIME still standing in it.

    raises  BadData where the path lies elsewhere than below notebook/.
    """
    text = design.produces.strip() or f"reports/{design.name}/DATE.md"
    path = text.replace("YYYY-MM-DD", "DATE").removeprefix("notebook/")
    parts = path.split("/")
    if "\\" in path or any(not part or part[0] in ".~" or part != part.strip() for part in parts):
        raise BadData(
            "produces: {path!r} is not a note below notebook/",
            path=text[:80],
            hint="for example reports/weekly/DATE.md",
        )
    if max(len(part.encode()) for part in parts) > MAX_PART:
        raise BadData("produces: a file or folder name is too long")
    ending = posixpath.splitext(path)[1]
    if ending and ending != ".md":
        raise BadData("produces: a note must end in .md, not in {ending}", ending=ending[:20])
    return f"notebook/{path if ending else path + '.md'}"


def report_path(design: TaskDesign, slot: datetime, several: bool = False) -> str:
    """Return the note that keeps the result of one slot: DATE and TIME filled in, in the design's zone.

    Where a path has a DATE and more than one run can fall on it, -HHMM is added unless TIME stands there.
    several  add it although the schedule has one run a day: the date is taken.
    """
    from ia.faculties.schedule.schedule_forms import runs_once_a_day
    from ia.faculties.schedule.slots import schedule_zone

    path, local = output_path(design), slot.astimezone(schedule_zone(design))
    once = runs_once_a_day(design.schedule)
    words = {"DATE": local.strftime("%Y-%m-%d"), "TIME": local.strftime("%H%M")}
    told = set(_PLACE.findall(path))
    if told == {"DATE"} and (several or not once):
        path = path.removesuffix(".md") + "-TIME.md"
    return _PLACE.sub(lambda match: words[match[0]], path)


def _load_fields(head: str) -> Json:
    """Return the front matter as fields; `schedule: */5 * * * *` and `prompt: a: b # c` are read as they are meant."""
    try:
        found = load_yaml("\n".join(map(_quote_value, head.split("\n"))), "task")
    except BadData:
        found = load_yaml(head, "task")
    if not isinstance(found, dict):
        raise BadData("a task file must begin with its fields between two lines of ---", hint="see ia-task(5)")
    return found


def _quote_value(line: str) -> str:
    match = _TEXT.fullmatch(line.rstrip())
    if match is None:
        return line
    value = match[2] if match[1] in _VERBATIM else re.split(r"[ \t]#", match[2])[0].rstrip()
    return f"{match[1]}: {json.dumps(value, ensure_ascii=False)}"


def _parse_field(field: str, value: object) -> Any:
    """Return a field of the file as it is in a Design."""
    if field == "notify":
        return _parse_channels(value)
    if field == "silent":
        return _parse_switch(field, value)
    if field in MAX_MINUTES:
        return _parse_minutes(field, value)
    if field == "retries":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_RETRIES:
            raise BadData("{field}: must be a number from 0 to {most}", field=field, most=MAX_RETRIES)
        return value
    if field == "schedule":
        return _parse_schedule_field(value)
    text = _require_text(field, value)
    if field in _VERBATIM:
        return text
    line = " ".join(text.split())
    if field == "calendar":
        from ia.faculties.schedule.exchange import MARKETS

        return "" if line.lower() in ("", "none", "no", "false") else MARKETS.get(line.upper(), line)
    if field == "missed":
        return line.lower() or "once"
    return line


def _parse_schedule_field(value: object) -> str:
    """Return the schedule in one line; those of a list, or of lines below each other, with semicolons between them."""
    parts = value if isinstance(value, list) else _require_text("schedule", value).splitlines()
    lines = (" ".join(_require_text("schedule", part).split()) for part in parts)
    return "; ".join(line for line in lines if line)


def _require_text(field: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise BadData("{field}: must be text, on one line or as a block", field=field)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _require_line(field: str, value: object) -> str:
    return " ".join(_require_text(field, value).split())


def _parse_switch(field: str, value: object) -> bool:
    word = str(value).strip().lower()
    if value is None or word in ("false", "no", "off"):
        return False
    if word in ("true", "yes", "on"):
        return True
    raise BadData("{field}: must be true or false", field=field)


def _parse_minutes(field: str, value: object) -> int:
    match = _DURATION.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    minutes = int(match[1]) * _UNITS[(match[2] or "m")[0].lower()] if match else 0
    if not 1 <= minutes <= MAX_MINUTES[field]:
        raise BadData(
            "{field}: must be a duration such as 90m, 1h or 1d, at most {most} minutes",
            field=field,
            most=MAX_MINUTES[field],
        )
    return minutes


def _parse_channels(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else re.split("[,，、]", _require_text("notify", value))
    names = tuple(dict.fromkeys(name for name in (str(item).strip() for item in items) if name))
    return () if not names or (len(names) == 1 and names[0].lower() in NOBODY) else names


def _check_size(design: TaskDesign) -> None:
    """Raise what no file can hold, or what nobody would read before approving it."""
    if not _NAME.fullmatch(design.name):
        raise BadData("name: {name!r} is not valid; use at most 60 letters, digits, - and _", name=design.name[:80])
    for field, most in LIMITS.items():
        value = getattr(design, field)
        if len(value) > most:
            raise BadData("{field}: longer than {most} characters", field=field, most=most)
        bad = next((char for char in value if _is_hidden(char, field)), None)
        if bad is not None:
            raise BadData("{field}: contains the invisible character {char}", field=field, char=f"U+{ord(bad):04X}")
        if field not in _VERBATIM and value != " ".join(value.split()):
            raise BadData("{field}: must be one line of text without spaces around it", field=field)
    if not design.schedule:
        raise BadData("schedule: missing; say when the task runs", hint="see ia-task(5)")
    if design.missed not in ("once", "skip"):
        raise BadData("missed: must be once or skip, not {word!r}", word=design.missed[:40])
    if len(design.notify) > MAX_CHANNELS or len(set(design.notify)) != len(design.notify):
        raise BadData("notify: must list at most {most} channels, each once", most=MAX_CHANNELS)
    for name in design.notify:
        if not _CHANNEL.fullmatch(name) or name.lower() in NOBODY:
            raise BadData("notify: {name!r} is not a valid channel name", name=name[:60])
    if not 0 <= design.retries <= MAX_RETRIES:
        raise BadData("{field}: must be a number from 0 to {most}", field="retries", most=MAX_RETRIES)
    for field in MAX_MINUTES:
        _parse_minutes(field, getattr(design, field))


def _is_hidden(char: str, field: str) -> bool:
    """Whether a person would not see a character: a control or a format (bidi, zero width, tags), or none at all."""
    if char in "\n\t":
        return field not in _VERBATIM
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _format_yaml(field: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False) if value else "nobody"
    return _format_scalar(field, str(value))


def _format_scalar(field: str, value: str) -> str:
    """Return a text as YAML: as it is where that reads back the same, as a block of lines, else in quotes."""
    for told in (value, "|-\n" + "\n".join(f"  {line}" if line else "" for line in value.split("\n"))):
        if ("\n" in value) == told.startswith("|-") and _reads_back(f"{field}: {told}", field, value):
            return told
    return json.dumps(value, ensure_ascii=False)


def _reads_back(text: str, field: str, value: str) -> bool:
    """Whether front matter says this value: to us, to every reader of YAML, and without passing for a mark of ours."""
    file = f"---\n{text}\n---\n"
    if _DATE.match(value):
        return False
    try:
        return _load_fields(text) == load_yaml(text, "task") == {field: value} and untrusted.remove_mark(file) == file
    except BadData:
        return False


def _body_lines(design: TaskDesign, lang: str) -> list[str]:
    from ia.faculties.schedule.describe import describe_design

    try:
        when = describe_design(design, lang)
    except BadData:  # it is written down all the same: `check` says what is wrong
        when = design.schedule
    note = "What runs is the text that was approved. After a change to this file: `ia task approve {name}`."
    return [f"# {design.name}", "", when, "", Voice(lang)(note, name=design.name)]
