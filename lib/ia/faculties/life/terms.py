"""Terms of the art in Chinese and English: stems, branches, gods, planets, signs, aspects."""

from functools import cache
from importlib.resources import files


@cache
def _load_terms() -> tuple[dict[str, str], dict[str, str]]:
    """Return Chinese -> English and English -> Chinese."""
    lines = files("ia.faculties.life").joinpath("terms.tsv").read_text(encoding="utf-8").splitlines()[1:]
    pairs = [(zh, en) for zh, en in (line.split("\t") for line in lines)]
    return dict(pairs), {en: zh for zh, en in pairs}


def translate_term(term: str, lang: str) -> str:
    """Return a term in `zh` or `en`; a pillar of two characters as its pinyin. Unknown terms stay as they are.

    >>> translate_term("庚午", "en"), translate_term("Sun", "zh"), translate_term("Taurus", "en")
    ('Geng-Wu', '太阳', 'Taurus')
    """
    chinese, english = _load_terms()
    if lang == "zh":
        return english.get(term, term)
    if term not in chinese and len(term) == 2 and all(part in chinese for part in term):
        return "-".join(chinese[part] for part in term)
    return chinese.get(term, term)
