"""Messages in a language that is neither English nor Chinese: by their letters, or by their small words."""

import re

from ia.agent.analyst.ask.mentions import strip_mentions
from ia.kernel.patterns import pattern

_LETTERS = pattern(r"[\u3041-\u30ff\uac00-\ud7af\u0400-\u04ff\u0590-\u06ff\u0e00-\u0e7f\u0900-\u097f]")
"""Letters of other scripts."""
_HAN = pattern(r"[\u3400-\u9fff]")
_WORD = pattern(r"(?<!\w)[a-zà-öø-ÿœß]+(?!\w)", re.I)
_MARKED = pattern(r"[¿¡à-öø-ÿœß]", re.I)
_SMALL_WORDS = (
    "comment va vont est sont quel quelle quels quelles le la les des du de et où ou pourquoi combien coûte coute prix"
    " mon ma mes pour avec dans sur aujourd hui je tu vous il elle une un ce cette bourse cours faut acheter vendre"
    " wie teuer ist sind der und wo warum wann welche welcher welches kostet viel viele mein meine meinen ich nicht"
    " heute gestern aktie aktien kurs von zu zum ein eine einen für steht stehen habe kaufen verkaufen mir zeig zeige"
    " das dem im über geht gibt soll"
    " cuál cual cuáles cuánto cuanto cuántas cómo está esta están el los las precio hoy mi mis qué por cuesta vale"
    " acciones acción una y en debo comprar vender ayer ha subido"
    " qual quale quanto quanti costa è sono lo prezzo di oggi ieri mio mia mie azioni azione perché che del della"
    " comprare"
    " qual preço hoje ontem minha minhas meu meus ações ação da está estão quantas onde"
)
_SMALL = frozenset(_SMALL_WORDS.split())
"""Small words of French, German, Spanish, Italian and Portuguese; none that is an everyday word of English."""
_ENGLISH_WORDS = (
    "the a an is are was were of my your his its our how what which when where why who whose do does did have has had"
    " can could will would should i you we they it this that these those to for from with at by on and or not no than"
    " then if me show tell about there be been"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())


def is_foreign(text: str) -> bool:
    """Return True if a message is in a language that is not read.

    >>> is_foreign("Comment va Moutai ?"), is_foreign("¿Cuál es el precio de Apple?"), is_foreign("Wie teuer ist BYD?")
    (True, True, True)
    >>> is_foreign("株価はいくら"), is_foreign("How is LVMH doing"), is_foreign("what is the prix of Moutai de France")
    (True, False, False)
    """
    letters = len(_LETTERS.findall(text))
    if letters > 1 and letters * 4 > len(text) - letters:
        return True
    if _HAN.search(text):
        return False
    words = [word.casefold() for word in _WORD.findall(strip_mentions(text))]
    small = sum(word in _SMALL for word in words)
    if any(word in _ENGLISH for word in words):
        return False
    return small * 2 >= len(words) and (small > 1 or (small == 1 and _MARKED.search(text) is not None))
