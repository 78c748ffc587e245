"""Random machine readable zones with right check digits (Doc 9303-4 to -7, and the French identity card of 1988 to 2021)."""
import numpy as np

FORMATS = ["TD1", "TD2", "TD3", "MRV-A", "MRV-B", "FRENCH-ID"]
COLUMNS = {"TD1": 30, "TD2": 36, "TD3": 44, "MRV-A": 44, "MRV-B": 36, "FRENCH-ID": 36}

STATES = """AFG ALB DZA AND AGO ATG ARG ARM AUS AUT AZE BHS BHR BGD BRB BLR BEL BLZ BEN BTN BOL BIH BWA BRA BRN BGR BFA BDI CPV KHM
CMR CAN CAF TCD CHL CHN COL COM COG COD CRI CIV HRV CUB CYP CZE DNK DJI DMA DOM ECU EGY SLV GNQ ERI EST SWZ ETH FJI FIN FRA GAB
GMB GEO GHA GRC GRD GTM GIN GNB GUY HTI HND HUN ISL IND IDN IRN IRQ IRL ISR ITA JAM JPN JOR KAZ KEN KIR PRK KOR KWT KGZ LAO LVA
LBN LSO LBR LBY LIE LTU LUX MDG MWI MYS MDV MLI MLT MHL MRT MUS MEX FSM MDA MCO MNG MNE MAR MOZ MMR NAM NRU NPL NLD NZL NIC NER
NGA MKD NOR OMN PAK PLW PAN PNG PRY PER PHL POL PRT QAT ROU RUS RWA KNA LCA VCT WSM SMR STP SAU SEN SRB SYC SLE SGP SVK SVN SLB
SOM ZAF SSD ESP LKA SDN SUR SWE CHE SYR TJK TZA THA TLS TGO TON TTO TUN TUR TKM TUV UGA UKR ARE GBR USA URY UZB VUT VEN VNM YEM
ZMB ZWE D<< HKG MAC TWN RKS VAT PSE UNO UNA XXA XXB XXC XOM EUE GBD GBN GBO GBS UTO""".split()

SYLLABLES = """AN BE CHI DA EL FRA GU HO IN JO KA LE MAR NI OL PE QUI RO SAN TE UR VA WIL XA YU ZI STE KOW SKI SON BERG MANN
ITZ EZ OVA ELLI OPOU LOS NGUY EN AL IA RD ET TO SCH MI DT BRAU DRI GO PHI LIP TH OM AS JE CZ YK WA HA MU ED AB DUL RAH ISA""".split()


def value(character):
    return 0 if character == "<" else "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(character)


def check(text):
    return str(sum(value(c) * (7, 3, 1)[i % 3] for i, c in enumerate(text)) % 10)


def word(rng):
    return "".join(SYLLABLES[i] for i in rng.integers(0, len(SYLLABLES), rng.integers(1, 5)))[:16]


def name(rng, length, separator="<<"):
    surname = "<".join(word(rng) for _ in range(1 if rng.random() < 0.8 else 2))
    given = "<".join(word(rng) for _ in range(rng.integers(1, 4)))
    text = surname if separator and rng.random() < 0.02 else surname + separator + given
    return text[:length].ljust(length, "<")


def number(rng, length):
    kind = rng.random()
    if kind < 0.35:
        text = "".join(rng.choice(list("0123456789"), length))
    elif kind < 0.7:
        text = "".join(rng.choice(list("ABCDEFGHJKLMNPRSTVXYZ"), 2)) + "".join(rng.choice(list("0123456789"), length - 2))
    else:
        text = "".join(rng.choice(list("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), length))
    return text[:length if rng.random() < 0.8 else length - rng.integers(1, 3)].ljust(length, "<")


def digits(rng, count):
    return "".join(rng.choice(list("0123456789"), count))


GERMAN = "0123456789CFGHJKLMNPRTVWXYZ"       # BMI: no vowels, no B, D, Q, S; so no O and no I
TRAVEL = ["TD1", "TD2", "TD3", "MRV-A", "MRV-B"]


def mostly_zeros(rng):
    return str(rng.choice(list("123456789CFGHJKLMNPRTVWXYZ"))) + "".join("0" if rng.random() < 0.65 else str(rng.integers(10)) for _ in range(8))


def french_number(rng):
    """The number of a card of 1988: year and month of its making, the department in three places, five digits."""
    department = str(rng.choice(["%02d%d" % (rng.integers(1, 96), rng.integers(0, 10)), "0%02d" % rng.integers(1, 96),
                                 "2" + rng.choice(list("AB")) + digits(rng, 1), "97%d" % rng.integers(1, 7)], p=[0.45, 0.4, 0.075, 0.075]))
    return "%02d%02d%s" % (rng.integers(2, 22), rng.integers(1, 13), department) + digits(rng, 5)


# The kinds of numbers that documents have: which formats, which state (any other where it is None), and the number.
NUMBERS = {
    "nine digits": (TRAVEL, None, lambda rng: digits(rng, 9)),
    "a letter and 8 digits": (TRAVEL, None, lambda rng: rng.choice(list("ABCDEFGHJKLMNPQRSTUVWXYZ")) + digits(rng, 8)),
    "two letters and 7 digits": (TRAVEL, None, lambda rng: "".join(rng.choice(list("ABCDEFGHJKLMNPQRSTUVWXYZ"), 2)) + digits(rng, 7)),
    "mostly zeros": (TRAVEL, None, mostly_zeros),
    "12 digits (Belgian card)": (["TD1"], "BEL", lambda rng: digits(rng, 12)),
    "German alphabet": (["TD1", "TD2", "TD3"], "D<<", lambda rng: rng.choice(list(GERMAN[10:])) + "".join(rng.choice(list(GERMAN), 8))),
    "any, O and I too": (TRAVEL, None, lambda rng: "".join(rng.choice(list("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 9))),
    "French card of 1988": (["FRENCH-ID"], "FRA", french_number),
}


def could_be_letters(number):
    """Whether some zeros of the number could be letters O with the same check digit."""
    sums = {0}
    for i, character in enumerate(number):
        if character == "0":
            more = {(s + value("O") * (7, 3, 1)[i % 3]) % 10 for s in sums}
            if 0 in more:
                return True
            sums |= more
    return False


def number_of(text, form):
    """The document number of a zone's text, with the rest of a long one."""
    lines = text.split("\n")
    if form == "FRENCH-ID":
        return lines[1][:12]
    if form != "TD1":
        return lines[1][:9].rstrip("<")
    rest = lines[0][15:].split("<")[0][:-1] if lines[0][14] == "<" else ""
    return (lines[0][5:14] + rest).rstrip("<")


def permitted(number, state, form):
    """The number as its state would print it: German ones have an alphabet of their own, Belgian cards have digits."""
    if state == "D<<":
        return number.translate(str.maketrans("ABDEIOQSU", "CFGHJKLMN"))
    if state == "BEL" and form == "TD1":
        return "".join(c if c in "0123456789<" else str(value(c) % 10) for c in number)
    return number


def date(rng):
    return "%02d%02d%02d" % (rng.integers(0, 100), rng.integers(1, 13), rng.integers(1, 29))


def optional(rng, length):
    kind = rng.random()
    if kind < 0.5:
        return "<" * length
    count = rng.integers(min(3, length), length + 1)
    return "".join(rng.choice(list("0123456789" if kind < 0.75 else "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), count)).ljust(length, "<")


def zone(rng, form, kind=None):
    """The lines of a random zone, separated by a new line. `kind`: a kind of number (`NUMBERS`), or numbers of all sorts."""
    state, nation = rng.choice(STATES, 2)
    fixed = None
    if kind:
        _, only, make = NUMBERS[kind]
        state = only or str(rng.choice([s for s in STATES if s not in ("D<<", "BEL", "FRA")]))
        nation, fixed = state, str(make(rng))
    sex = rng.choice(list("MF<"), p=[0.47, 0.47, 0.06])
    birth, expiry = date(rng), date(rng)
    birth, expiry = birth + check(birth), expiry + check(expiry)
    if form == "TD3":
        first = "P" + rng.choice(list("<<<<<DSPO")) + state + name(rng, 39)
        document, personal = fixed or permitted(number(rng, 9), state, form), optional(rng, 14)
        document += check(document)
        personal_check = "<" if personal == "<" * 14 and rng.random() < 0.5 else check(personal)
        second = document + nation + birth + sex + expiry + personal + personal_check
        return first + "\n" + second + check(document + birth + expiry + personal + personal_check)
    if form in ("MRV-A", "MRV-B"):
        columns = COLUMNS[form]
        first = "V" + rng.choice(list("<<<ABC")) + state + name(rng, columns - 5)
        document = fixed or permitted(number(rng, 9), state, form)
        return first + "\n" + document + check(document) + nation + birth + sex + expiry + optional(rng, columns - 28)
    if form == "TD2":
        first = rng.choice(list("ICA")) + rng.choice(list("<<<DR")) + state + name(rng, 31)
        document = fixed or permitted(number(rng, 9), state, form)
        document += check(document)
        extra = optional(rng, 7)
        return first + "\n" + document + nation + birth + sex + expiry + extra + check(document + birth + expiry + extra)
    if form == "TD1":
        document = fixed or permitted(number(rng, 9), state, form)
        if len(document) > 9 or (not fixed and rng.random() < 0.05):
            # A long number: its rest and the check digit stand in the optional field, '<' in the check digit's place.
            whole = fixed or "".join(rng.choice(list("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), rng.integers(10, 15)))
            whole = permitted(whole, state, form)
            rest = whole[9:] + check(whole)
            first = whole[:9] + "<" + (rest + "<" + ("" if fixed else optional(rng, 14 - len(rest))))[:15].ljust(15, "<")
        else:
            first = document + check(document) + optional(rng, 15)
        first = ("ID" if state == "BEL" and fixed else rng.choice(list("ICA")) + rng.choice(list("<<<DR"))) + state + first
        second = birth + sex + expiry + nation + optional(rng, 11)
        composite = first[5:30] + second[0:7] + second[8:15] + second[18:29]
        return first + "\n" + second + check(composite) + "\n" + name(rng, 30)
    department = fixed[4:7] if fixed else "%02d" % rng.integers(1, 96) + rng.choice(list("0123"))
    office = "".join(rng.choice(list("0123456789"), 3)) if rng.random() < 0.7 else "<<<"
    first = "IDFRA" + name(rng, 25, "")[:25].ljust(25, "<") + (department + office if rng.random() < 0.8 else "<<<<<<")
    given = "<<".join(word(rng) for _ in range(rng.integers(1, 4)))[:14].ljust(14, "<")
    card = fixed or "%02d%02d" % (rng.integers(0, 100), rng.integers(1, 13)) + department + "".join(rng.choice(list("0123456789"), 5))
    second = card + check(card) + given + birth + rng.choice(list("MF"))
    return first + "\n" + second + check(first + second)


def valid(lines):
    """Whether these lines are a zone of one of the formats with every check digit right."""
    if any(c not in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<" for line in lines for c in line):
        return False
    shape = [len(line) for line in lines]

    def right(text, digit):
        return digit == check(text) or (digit == "<" and not text.strip("<"))

    if shape == [30, 30, 30]:
        a, b = lines[0], lines[1]
        document = right(a[5:14], a[14])
        if a[14] == "<":
            rest = a[15:].split("<")[0]
            document = len(rest) > 1 and right(a[5:14] + rest[:-1], rest[-1])
        return document and right(b[:6], b[6]) and right(b[8:14], b[14]) and b[29] == check(a[5:30] + b[:7] + b[8:15] + b[18:29])
    if shape not in ([36, 36], [44, 44]):
        return False
    a, b = lines
    if a.startswith("IDFRA") and shape == [36, 36] and right(b[:12], b[12]) and right(b[27:33], b[33]) and b[35] == check(a + b[:35]):
        return True
    if not (right(b[:9], b[9]) and right(b[13:19], b[19]) and right(b[21:27], b[27])):
        return False
    if a[0] == "V":
        return True
    if shape == [36, 36]:
        return b[35] == check(b[:10] + b[13:20] + b[21:35])
    return right(b[28:42], b[42]) and b[43] == check(b[:10] + b[13:20] + b[21:43])
