"""Words that say little about a topic: inverse document frequency in three levels.

A crawl has no collection to count document frequencies in before it starts, and counting
while it runs would make a page's relevance depend on when it was fetched. So a word is a
function word (worth nothing), a common word (worth a quarter; it may still belong to the
topic), or any other (worth one). Function words come from eight languages; left out are
those that are a topic's word in another of them, such as German "war" and French "car".
"""

from __future__ import annotations

from typing import Final

from ranking.topics.terms import fold

__all__ = ["COMMON_TERMS", "FUNCTION_WORDS"]

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

_COMMON = """
able accord account across act action actual add additional age ago along already although always
among amount another appear apply area around aspect available away back bad base basic become
became began begin behind believe below best better beyond big bring build call came case cause
center central century certain change character choose clear close collect come comment common
complete concern condition consider consist contain continue control copy correct course create
current date day deal decade decide define degree depend describe design detail determine develop
development differ difference different difficult direct discuss discover distance document done
double due early easy edge effect effort either element else employ enable end english enough
ensure enter entire equal especially establish even event ever every exact example except exist
expect experience explain extend extent face fact factor fail fall famous far fast feature feel
field figure final find first five fix follow force form format former found four free frequent
full function future gain general generate get give given go goal going good got great group grow
guide half hand handle happen hard head heavy help high history hold home hope hour however huge
hundred idea identify image immediate important improve include increase indeed independent
indicate individual influence inform information inside instance instead interest international
introduce involve issue item join keep key kind know known lack large last late later latter lead
learn least leave led left less let level life light like limit line link list little live local
locate long look lose lost lot low made main maintain major make man manage many mark match matter
mean member men mention method middle million mind minor minute miss model modern moment month
move much multiple name narrow nation national natural nature near need never nevertheless new
next night nine non none normal notable note nothing now number numerous object observe obtain
obvious occur offer often old open operate opinion opposite option order origin original others
outside overall page pair part particular pass past pattern pay people percent perform perhaps
period person perspective piece place plan play please point popular portion position possible
possibly potential power practice prefer prepare present press prevent previous primary prior
probably problem proceed process produce product project proper property propose prove provide
public publish pull purpose push put quality question quick quite raise range rare rate rather reach
react read ready real really reason receive recent recognize record reduce refer reference reflect
regard region regular relate relation relative release remain remember remove repeat replace
report represent request require research respect respond rest result return reveal right rise role
room round rule run safe said sample say scale schedule second section see seem seen self send
sense separate series serve service set setting seven several shape share short show side sign
significant similar simple simply since single site situation six size slight slow small so-called
social society sometimes soon sort source special specific specify spread stand standard start
state statement station status stay step still stop strong structure study style subject
subsequent success such suggest suit support suppose sure surround system table take talk task ten
tend term test text thank thing think third though thought thousand three throughout thus time
tip title today together told took tool top topic total touch toward traditional travel treat
true try turn twenty two type typical under understand unique unit united unless unlike update
upper use useful user usual value variety various vary version view visit wait walk want way weak
web website week well went west wide widespread wish wonder word work world worth write written
wrong year yes yet york young zero
january february march april june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
north south east northern southern eastern western
article author browser category click comment contact content cookie copyright download edit email
facebook faq homepage http https login menu overview policy privacy search share sitemap
subscribe tag terms twitter wikipedia www html org com
"""

FUNCTION_WORDS: Final = frozenset(_FUNCTION.split())
"""Words as they are written, case-folded; they are never a term of a topic."""

COMMON_TERMS: Final = frozenset(fold(word) for word in _COMMON.split()) - FUNCTION_WORDS
"""Folded terms found on pages about anything."""
