"""Tells whether a phrase is English: by its script, and by the small words and letters of a dozen other languages."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final, Literal

from embeddings.text.normalization import normalize


def _words(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


ENGLISH: Final = _words(
    """
    a about after again all also am an and any are as at be because been before but by call called can can't cannot
    could did do does doesn't don't each else english every for from get give go got had has have he her here him his
    how i i'd i'll i'm i've if im in instead into is isn't it it's its just know let like make many me mean means more
    most much must my need new no not now of off on one only or other our out over please put say see set she should
    show so some take tell than that that's the their them then there these they this those to too translate up use
    using want was way we well were what what's when where which while who why will with without won't would you your
    """
)
"""Words of English. Some are words of other languages, too; there they count as English."""

IN_NAMES: Final = _words(
    """
    ad al am amigos apa bin cara ciao com con cum da dal dan das de dei del den der des di die dos du due ein eine el
    em en es est eu gut hasta ho hola il ile ini io is ist je kan la las le les lo los lui ma man mes mi mia min mit
    mon na nel ni no nos nova nu och od oder pas per pie por pour pro que sans santa se si sie sin son sous sub sur te
    tem ton tu uma un una une va van ve vi vil vista voi von vor yo zu
    """
)
"""Words of other languages that names, loans, code and English use, too, such as "El Paso"; each counts for little."""

_OTHER: Final = _words(
    # German
    """
    aber alle auch bitte dass diese diesem diesen dieser dieses einem einen einer eines etwas für geht gibt gestern
    habe haben heute ich ihr kann kannst kein keine keinen können könnte letzte letzten mehr mein meine meinem meinen
    meiner mich mir möchte morgen muss müssen nach nicht nichts nur oder ohne passwort schon sehr sich sind soll sollte
    spät über und uns unser unsere vergessen vom warum welche welcher welches wenn werden wie wieviel wird wurde zeigen
    zum zur rechnung bestellung stornieren absagen wann wo viel finden suchen schreiben
    """,
    # French
    """
    annuler après aussi aux avant avec avez avoir c'est ces cette changer chez combien commande compte dans deux d'un
    d'une écrire est-ce être faire faut j'ai je leur mettre moi n'ai n'est notre nous où oublié peut peux pourquoi
    qu'il quand que quelle qui quoi remboursement réserver reprendre sont suis très trouver veut veux votre voudrais
    vous
    """,
    # Spanish
    """
    abrir ayer buscar cambiar como cómo conectar cuál cuando cuándo cuánta cuánto cuántos cuenta desde donde dónde
    encontrar entre eso están hacer hasta hoy mañana mis muy nosotros nuestro nueva nuevo otra otro para pedido pero
    porque puede puedo qué quiere quiero quién sobre sus también tengo tiene tus ustedes olvidé
    """,
    # Portuguese
    """
    aos conta ele esqueci essa esse estão eu fazer isso isto mais meu meus minha minhas não onde ontem outra outro pela
    pelo pode por posso qual quando quanto quantos quero retomar sem senha seu sua são também tem uma você vocês está
    """,
    # Italian
    """
    alla anche cercare che come-mai cosa degli dei della delle dimenticato dove faccio fare gli ho ieri miei nel nella
    noi nostro oggi perché più posso può prenota quale quella quello questa questo qui riprendere scegliere sono sugli
    sulla tuo vogliamo voglio volo vorrei scrivere spiegami
    """,
    # Dutch
    """
    deze geen geld graag gisteren het hoe ik jij jouw kiezen kunnen maar mijn naar niet nog onze terug van vandaag
    vergeten vlucht voor waar waarom wachtwoord wanneer welke willen zijn zoeken zonder
    """,
    # Polish
    """
    ale chcę czy dla dlaczego gdzie hasła ile jak jego kiedy która które który lub mnie moja moje mogę można mój nie
    proszę przez się szukać tego tylko wybrać wyjaśnij zapomniałem
    """,
    # Swedish, Danish and Norwegian
    """
    allt att byta det detta du en från för hur ikke inte jag jeg kun mina mitt när nettet och också som till utan vad
    varför vil vilken ångrar hvad hvilken hvor hvordan hvorfor hvornår mig nogen noget være kan
    """,
    # Finnish
    """
    että haluan ilman koodi kuinka miksi milloin minulle minun missä miten mitä ole onko tai tämä tämän vain viimeiset
    voiko voinko unohdin
    """,
    # Turkish
    """
    arama bana benim bir bunu çok daha değil için iptal istiyorum kadar kaç lütfen nasıl neden nerede olarak sipariş
    son unuttum veya yapmak yok
    """,
    # Czech
    """
    ale ako bez bych chci jak jsem kde kdy když kolik mám mi mohu může nebo není pro proč prosím také tento vysvětli
    zapomněl
    """,
    # Romanian
    """
    acest această aceste cât cum când este fără meu mea pentru sau sunt unde vreau
    """,
    # Hungarian
    """
    csak egy és hogy hogyan hol kell kérem lehet mennyi miért mikor nélkül szeretnék vagy elfelejtettem
    """,
    # Indonesian
    """
    adalah anda apa atau bagaimana berapa bisa cara dan dapat dari dengan hanya ini itu kapan kepada lupa mana saya
    tanpa tidak tolong untuk yang
    """,
    # Vietnamese
    """
    bao bạn các cho của để được không làm nào này nhiêu những quên thay thế tôi với muốn
    """,
)

OTHER: Final = _OTHER - ENGLISH - IN_NAMES
"""Frequent words of other languages."""


_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NO_ENGLISH_LETTER: Final = re.compile(r"[¿¡ßøåæãõłşğıőűđươąęśźżćńřůěčšžțșăạ-ỹ]")
_SHORTEST: Final = 4
_LONGEST: Final = 20
"""Letters of words whose ending counts, or that they are unknown."""

LONGEST_READ: Final = 1000
"""Characters of a phrase that are read; more would not change what its language is."""

THRESHOLD: Final = 1.5
"""Evidence from which a phrase is not English, with these weights of a word or letter.

Chosen on 166 short phrases in 20 languages, of which 8 are missed ("pesquisar na internet"), and on English: of 3,159
queries of the benchmarks none is taken for another language, of 23,700 of CLINC150 one ("ahoy hoy").
"""

OTHER_WORD: Final = 2.0
NAME_WORD: Final = 0.6
ACCENTED: Final = 0.6
ENDING: Final = 0.8
UNKNOWN: Final = 0.3
LETTER: Final = 0.9
ENGLISH_WORD: Final = -2.0

_LISTED: Final = (
    dict.fromkeys(OTHER, OTHER_WORD) | dict.fromkeys(IN_NAMES, NAME_WORD) | dict.fromkeys(ENGLISH, ENGLISH_WORD)
)
"""Weights of listed words; a word of English counts as such in other lists, too."""

MAX_UNKNOWN: Final = 2
"""Words unknown to the model that count; names, code and typing errors are unknown, too."""

_ENDING: Final = re.compile(
    r".{3,}(?:[aei]re|[aei]r|[aei]ndo|[ai]d[ao]s?|mente|ci[oó]n|ciones|zion[ei]|cao|coes|ieren|ungen|ung|lich|keit|eur|euse"
    r"|ez|eaux?|ijk|heid|owac|mak|mek|[st]?ssa|iert)"
)


Script = Literal["latin", "other"]
"""The script of a phrase that is not English."""


def foreign_script(text: str, knows: Callable[[str], bool]) -> Script | None:
    """Tell the script of a phrase that is not English; None if it can be read as English.

    A phrase without evidence, such as a name or code, is taken as English. Takes 20 microseconds for a short phrase.

    Args:
        text: any text.
        knows: tells whether the model knows a lower-case word.
    """
    plain = normalize(text[:LONGEST_READ]).casefold()
    found = _WORD.findall(plain)
    if not plain.isascii():
        letters = "".join(found)
        other = sum(not ch.isascii() and not unicodedata.name(ch, "").startswith("LATIN") for ch in letters)
        if other * 2 > len(letters):
            return "other"
    return "latin" if _evidence(plain, found, knows) >= THRESHOLD else None


def _evidence(plain: str, found: list[str], knows: Callable[[str], bool]) -> float:
    letters = set() if plain.isascii() else set(_NO_ENGLISH_LETTER.findall(plain))
    weights = [_weight(word, knows) for word in set(found)]
    unknown = weights.count(UNKNOWN)
    surplus = UNKNOWN * max(0, unknown - MAX_UNKNOWN)
    return LETTER * len(letters) + sum(weights) - surplus


def _weight(found: str, knows: Callable[[str], bool]) -> float:
    word = found.replace("’", "'")
    if (listed := _LISTED.get(word)) is not None:
        return listed
    if not word.isascii():
        return ACCENTED
    if not _SHORTEST <= len(word) <= _LONGEST or knows(word):
        return 0.0
    return ENDING if _ENDING.fullmatch(word) else UNKNOWN
