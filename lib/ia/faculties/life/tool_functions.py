"""Functions behind the tools of the profile `life` (entry point group `ia.tools`): arguments in, JSON out."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ia.faculties.life import natal, pillars, tarot, types16
from ia.faculties.life.births import Birth, read_birth
from ia.faculties.life.terms import translate_term
from ia.kernel import clock, config
from ia.kernel.errors import BadData, ConfigError, Message, UsageError
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

_CLOCKS = {"solar": pillars.TRUE_SOLAR, "standard": pillars.STANDARD}
_YEARS = 10
"""Years of an outlook."""


def calculate_bazi(
    local: str | None = None,
    tz: str | None = None,
    place: str | None = None,
    longitude: float | None = None,
    latitude: float | None = None,
    sex: str | None = None,
    fold: int | None = None,
    as_date: bool = False,
    date: str | None = None,
    time: str | None = None,
    day_starts: int | None = None,
    clock_basis: str | None = None,
    lang: str = "en",
) -> Json:
    """Return the four pillars of a birth by every convention, the one that is in force, and the luck decades."""
    local = _join_local(local, date, time)
    birth = read_birth(local, tz, place=place, longitude=longitude, latitude=latitude, fold=fold, as_date=as_date)
    basis, starts = _choose_basis(birth, clock_basis), _choose_day_start(day_starts)
    own = pillars.reckon_pillars(birth, basis, starts)
    every = {
        f"{each}/day{start}": pillars.reckon_pillars(birth, each, start).names()
        for each in (pillars.BASES if birth.longitude is not None else (pillars.STANDARD,))
        for start in pillars.DAY_STARTS
    }
    notes = [*birth.notes, *_note_conventions(birth, own, basis, starts)]
    alternatives = pillars.find_alternatives(birth, basis, starts)
    voice = Voice(lang)
    return {
        "local": local.strip(),
        "tz": birth.zone.key,
        "fold": fold,
        "longitude": birth.longitude,
        "sex": sex,
        "dst": birth.daylight if birth.instant else None,
        **pillars.describe_clocks(birth),
        "hour_known": birth.instant is not None,
        "basis": basis,
        "day_starts": starts,
        "chart": own.names(),
        "details": _describe_pillars(own),
        "pillars": every,
        "alternatives": [{"note": voice.say(note), "chart": other.names()} for note, other in alternatives],
        "dayun": _describe_luck(birth, sex),
        "notes": [voice.say(note) for note in notes],
    }


def _describe_pillars(own: pillars.Pillars) -> dict[str, Json]:
    return {
        name: pillars.describe_pillar(number, own.day, own=name == "day")
        for name, number in own._asdict().items()
        if number is not None
    }


def _describe_luck(birth: Birth, sex: str | None) -> Json | None:
    luck = pillars.reckon_luck(birth, sex) if sex else None
    if luck is None:
        return None
    return {
        "forward": luck.forward,
        "seconds_to_jie": luck.seconds,
        "jie": luck.jie.instant.isoformat(timespec="seconds"),
        "jie_name": luck.jie.name,
        "start_age": luck.age,
        "begins": luck.begins.date().isoformat(),
        "pillars": [pillars.pillar_name(number) for number in luck.pillars],
    }


def _note_conventions(birth: Birth, own: pillars.Pillars, basis: str, starts: int) -> list[Message]:
    """Return what was chosen, wherever another choice would give another chart."""
    if birth.instant is None:
        return [
            Message(
                "the hour is unknown: three pillars; a birth after 23:00 would have the next day's pillar",
                code="no-hour",
            )
        ]
    notes = []
    if birth.longitude is None:
        notes.append(Message("no longitude: reckoned by standard time, not by the sun", code="no-longitude"))
    local = pillars.local_clock(birth, basis)
    if local is not None and local.hour == 23:
        other = 0 if starts == 23 else 23
        notes.append(
            Message(
                "born between 23:00 and 23:59: with the day starting at {start} the day is {day}; starting at {other}"
                " it would be {another}",
                code="late-hour",
                start=f"{starts:02d}:00",
                day=pillars.pillar_name(own.day),
                other=f"{other:02d}:00",
                another=pillars.pillar_name(pillars.reckon_pillars(birth, basis, other).day),
            )
        )
    if birth.longitude is not None and pillars.reckon_pillars(birth, pillars.STANDARD, starts) != (
        sun := pillars.reckon_pillars(birth, pillars.TRUE_SOLAR, starts)
    ):
        standard = pillars.reckon_pillars(birth, pillars.STANDARD, starts)
        notes.append(
            Message(
                "by true solar time: {solar}; by standard time: {standard}",
                code="clock-matters",
                solar=" ".join(sun.names()),
                standard=" ".join(standard.names()),
            )
        )
    return notes


def _choose_basis(birth: Birth, wanted: str | None) -> str:
    chosen = wanted or config.get_setting("skills.bazi.clock") or "solar"
    if chosen not in _CLOCKS:
        raise _setting_error("skills.bazi.clock", chosen, "solar, standard")
    return _CLOCKS[chosen] if birth.longitude is not None else pillars.STANDARD


def _choose_day_start(wanted: int | None) -> int:
    chosen = config.get_setting("skills.bazi.day_starts") if wanted is None else wanted
    text = "23" if chosen is None else str(chosen)
    if text not in ("23", "0"):
        raise _setting_error("skills.bazi.day_starts", text, "23, 0")
    return int(text)


def _setting_error(name: str, value: object, choices: str) -> ConfigError:
    return ConfigError(
        "{name}: {value!r} is not valid; choose one of {choices}", name=name, value=str(value)[:40], choices=choices
    )


def show_bazi_chart(lang: str = "en", **birth: Any) -> Json:
    """Return the card of a birth's four pillars."""
    found = calculate_bazi(lang=lang, **birth)
    rows = []
    for name, told in found["details"].items():
        hidden = "、".join(
            _localize(each["stem"], lang) + " " + _localize(each["god"], lang) for each in told["hidden"]
        )
        rows.append(
            {
                "position": name,
                "pillar": _localize(told["pillar"], lang),
                "god": _localize(told["god"], lang) if told["god"] else Voice(lang)("day master"),
                "elements": f"{_localize(told['stem_element'], lang)} · {_localize(told['branch_element'], lang)}",
                "hidden": hidden if lang == "zh" else hidden.replace("、", ", "),
            }
        )
    card: Json = {
        "born": found["local"],
        "clock": found["basis"],
        "day_starts": found["day_starts"],
        "pillars": rows,
    }
    if found["dayun"]:
        card["luck_begins"] = found["dayun"]["begins"]
        card["luck"] = [_localize(each, lang) for each in found["dayun"]["pillars"]]
    card["alternatives"] = [
        f"{each['note']} → {' '.join(_localize(name, lang) for name in each['chart'])}"
        for each in found["alternatives"]
    ]
    card["notes"] = found["notes"]
    return card


def show_bazi_fortune(year: int | None = None, lang: str = "en", **birth: Any) -> Json:
    """Return the card of ten years: each with its pillar, its god, the age and the luck decade that holds.

    The year's pillar holds from the start of spring (about 4 February) to the next.
    """
    found = calculate_bazi(lang=lang, **birth)
    born, now = int(found["local"][:4]), clock.now().year
    first = now if year is None else year
    if not born <= first <= born + 120:
        raise BadData("the year {year} is outside the life that began in {born}", year=first, born=born)
    own = _read_given(birth)
    luck = pillars.reckon_luck(own, birth["sex"]) if birth.get("sex") else None
    day = pillars.reckon_pillars(own, found["basis"], found["day_starts"]).day
    rows = []
    for at in range(first, first + _YEARS):
        told = pillars.describe_pillar((at - 4) % 60, day)
        decade = (at - luck.begins.year) // 10 if luck else -1
        holds = pillars.pillar_name(luck.pillars[decade]) if luck and 0 <= decade < len(luck.pillars) else ""
        rows.append(
            {
                "year": at,
                "age": at - born,
                "pillar": _localize(told["pillar"], lang),
                "god": _localize(told["god"], lang),
                "luck": _localize(holds, lang),
            }
        )
    notes = list(found["notes"])
    if luck is None:
        notes.append(Voice(lang)("luck decades need the hour of birth and the sex"))
    return {
        "born": found["local"],
        "chart": " ".join(_localize(each, lang) for each in found["chart"]),
        "luck_begins": luck.begins.date().isoformat() if luck else "",
        "years": rows,
        "notes": notes,
    }


def _join_local(local: str | None, date: str | None, time: str | None) -> str:
    """Return the local time as one text: as it was given, or from the date and the time of a form."""
    if local:
        return local
    if not date:
        raise BadData(
            "the date of birth is missing",
            code="no-date",
            hint='give "local": "1990-05-15T12:00", or "date" and "time"',
        )
    return f"{date}T{time}" if time else date


def _read_given(given: Mapping[str, Any]) -> Birth:
    """Return the birth among the arguments of a tool."""
    local = _join_local(given.get("local"), given.get("date"), given.get("time"))
    return read_birth(local, **{key: given[key] for key in _BIRTH_FIELDS if key in given})


_BIRTH_FIELDS = ("tz", "place", "longitude", "latitude", "fold", "as_date")


def calculate_chart(
    local: str | None = None,
    tz: str | None = None,
    place: str | None = None,
    longitude: float | None = None,
    latitude: float | None = None,
    fold: int | None = None,
    as_date: bool = False,
    date: str | None = None,
    time: str | None = None,
    houses: str | None = None,
    lang: str = "en",
) -> Json:
    """Return the natal chart of a birth."""
    local = _join_local(local, date, time)
    birth = read_birth(local, tz, place=place, longitude=longitude, latitude=latitude, fold=fold, as_date=as_date)
    chosen = houses or config.get_setting("skills.zodiac.houses") or natal.WHOLE_SIGN
    if chosen not in natal.HOUSES:
        raise _setting_error("skills.zodiac.houses", chosen, ", ".join(natal.HOUSES))
    chart = natal.describe_chart(birth, chosen)
    notes = [Voice(lang).say(note) for note in chart.pop("notes")]
    about = {
        "local": local.strip(),
        "tz": birth.zone.key,
        "latitude": birth.latitude,
        "longitude": birth.longitude,
        "dst": birth.daylight if birth.instant else None,
    }
    return {**about, **chart, "notes": notes}


def show_zodiac_chart(lang: str = "en", **birth: Any) -> Json:
    """Return the card of a natal chart."""
    found = calculate_chart(lang=lang, **birth)
    rows = [
        {
            "planet": _localize(name, lang),
            "sign": "/".join(_localize(sign, lang) for sign in told["sign"].split("/")),
            "degree": _format_degree(told["degree"]),
            "house": told["house"],
            "retrograde": told["retrograde"],
        }
        for name, told in found["planets"].items()
    ]
    card: Json = {"born": found["local"], "planets": rows}
    for name in ("ascendant", "midheaven", "mean_node"):
        if found[name] is not None:
            card[name] = f"{_localize(natal.sign_of(found[name]), lang)} {_format_degree(found[name] % 30)}"
    if found["houses"]:
        card["houses"] = found["houses"]
    card["aspects"] = [
        {
            "first": _localize(each["first"], lang),
            "aspect": _localize(each["aspect"], lang),
            "second": _localize(each["second"], lang),
            "orb": each["orb"],
        }
        for each in found["aspects"]
    ]
    card["notes"] = found["notes"]
    return card


def show_transit(at: str | None = None, lang: str = "en", **birth: Any) -> Json:
    """Return the card of the sky over a natal chart at a moment; now where none is given."""
    own = _read_given(birth)
    if own.instant is None:
        raise BadData("transits need the hour of birth", code="no-hour")
    moment = _parse_moment(at)
    told = natal.describe_transits(own, moment)
    return {
        "born": _join_local(birth.get("local"), birth.get("date"), birth.get("time")),
        "at": told["at"],
        "planets": [
            {
                "planet": _localize(name, lang),
                "sign": _localize(each["sign"], lang),
                "degree": _format_degree(each["degree"]),
                "retrograde": each["retrograde"],
            }
            for name, each in told["planets"].items()
        ],
        "transits": [
            {
                "planet": _localize(each["first"], lang),
                "aspect": _localize(each["aspect"], lang),
                "natal": _localize(each["second"], lang),
                "orb": each["orb"],
                "applying": each["applying"],
            }
            for each in told["transits"]
        ],
        "notes": [Voice(lang).say(note) for note in own.notes],
    }


def _parse_moment(text: str | None) -> datetime:
    """Return the moment that a text names. A future one may be asked for: the sky is reckoned, not foreseen."""
    if not text:
        return clock.now()
    try:
        moment = clock.parse_moment(text)
    except UsageError as exc:
        raise BadData(exc.template, hint=exc.hint, **exc.params) from None
    if abs(moment - clock.now()) > timedelta(days=36525):
        raise BadData("{value}: transits are reckoned for 100 years before and after now", value=text[:40])
    return moment


def _format_degree(value: float | None) -> str:
    """Return degrees within a sign as people write them.

    >>> _format_degree(24.0345)
    "24°02'"
    """
    if value is None:
        return ""
    minutes = int(value * 60)
    return f"{minutes // 60}°{minutes % 60:02d}'"


def _localize(term: str, lang: str) -> str:
    return translate_term(term, lang)


def draw_cards(ws: Workspace, spread: str = "three", lang: str = "en") -> Json:
    """Draw cards for a spread, keep the draw in the audit trail, and return it with the texts of the cards."""
    number, cards = tarot.draw_spread(ws, spread)
    return tarot.describe_draw(number, spread, cards, lang)


def show_tarot_spread(ws: Workspace, draw: int | None = None, lang: str = "en") -> Json:
    """Return a draw again, as the audit trail has it; the latest where none is named."""
    number, spread, cards = tarot.find_draw(ws, draw)
    return tarot.describe_draw(number, spread, cards, lang)


def show_mbti_result(answers: Any = None, lang: str = "en", **items: Any) -> Json:
    """Return the result of the self-report.

    answers   item -> 1 (wholly the first) to 5 (wholly the second), or a list of 32 numbers in order
    items     the same answers one by one, as a form gives them
    """
    return types16.describe_result(types16.score_answers(items if answers is None else answers), lang)
