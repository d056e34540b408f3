"""Words that say nothing about a topic, of eight languages.

Left out are those that are a topic's word in another of them, such as German "war", French "car".
"""

from __future__ import annotations

from typing import Final

__all__ = ["FUNCTION_WORDS"]

_FUNCTION = """
a about after again all also am an and any are as at be because been before being between both
but by can cannot could did do does doing down during each etc few for from further had has have
having he her here hers him his how i if in into is it its just may me might more most must my no
nor not of off on once only onto or other our ours out over own per same shall she should so some
such than that the their theirs them then there these they this those through to too under until
up upon us very via was we were what when where whether which while who whom whose why will with
within without would you your yours ve ll re doesn isn aren didn
der das den dem des ein eine einer eines einem einen und oder aber nicht ist sind wird werden
wurde wurden mit von zu zum zur auf aus bei durch für gegen ohne um nach über unter vor zwischen
auch noch nur schon sehr sich sie er wir ihr ich du es dass wie wenn als
le la les un une du et ou mais ne pas est sont être été avec pour par dans sur sous sans chez vers
entre qui que quoi dont où ce cet cette ces il elle nous vous ils elles leur leurs aux
el los las una unos unas y o pero no es son ser está están con para por en sobre entre hasta desde
que quien cual como su sus se lo al del más muy también
il lo gli uno e ed ma non è sono essere della dello dei degli delle nel nella nei nelle dal dalla
dai sul sulla che chi cui anche più molto questo questa
os um uma uns umas e mas não é são foi com para por em no na nos nas do da das ao aos pelo
pela também mais muito isso este esta
het een en of maar niet zijn wordt worden werd met voor naar uit bij aan ook nog wel zich zij wij
och eller att det som är för med på av till från inte har kan den ett
и в во не на я с со что а по это он она они но как к у же из за от до для или
"""

FUNCTION_WORDS: Final = frozenset(_FUNCTION.split())
"""Words as they are written, case-folded; they are never a term of a topic."""
