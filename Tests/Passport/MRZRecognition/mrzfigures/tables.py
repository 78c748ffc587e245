"""Judges answers and prints Markdown tables of them."""
import numpy as np

from . import zones
from .frames import DEFECTS, LEVELS

ORDER = LEVELS + DEFECTS + list(zones.NUMBERS)


def outcome(answer, truth):
    if answer["zone"] is None:
        return "nothing"
    return "right" if answer["zone"] == truth else "wrong"


def table(title, records, keys):
    """A Markdown table of the outcomes by the given keys."""
    print(f"\n{title}\n")
    names = " | ".join(keys)
    print(f"| {names} | pictures | found | right | wrong | nothing | processor time, median | 95 % |")
    print("|" + " --- |" * len(keys) + " ---: |" * 7)
    groups = {}
    for r in records:
        groups.setdefault(tuple(r[k] for k in keys), []).append(r)
    order = {v: i for i, v in enumerate(ORDER)}
    for key in sorted(groups, key=lambda k: tuple((order.get(v, 99), len(str(v)), str(v)) for v in k)):
        print(line(" | ".join(str(v) for v in key), groups[key]))
    print(line(" | ".join(["**all**"] + [""] * (len(keys) - 1)), records))


def line(name, part):
    n = len(part)
    times = np.array([r["ms"] for r in part])
    count = {o: sum(r["outcome"] == o for r in part) for o in ("right", "wrong", "nothing")}
    return (f"| {name} | {n} | {100 * sum(r['found'] for r in part) / n:.1f} % | {100 * count['right'] / n:.1f} % | {count['wrong']} | "
            f"{100 * count['nothing'] / n:.1f} % | {np.median(times):.1f} ms | {np.percentile(times, 95):.1f} ms |")


def undecided(records):
    """How many answers without a zone have the printed one as their most probable: what a second try would find."""
    nothing = [r for r in records if r["outcome"] == "nothing"]
    print(f"\nOf {len(nothing)} pictures without a zone, the most probable candidate is the printed zone on {sum(r.get('candidate') is True for r in nothing)}.")


def limits(records):
    """What other limits of the margins and of the correction would give, from the answers' candidates."""
    judged = [(r["margin"], r["unchecked"], r["correction"], r["candidate"]) for r in records if r["candidate"] is not None]
    margins = (3, 4, 5, 6, 7, 8)
    for most in (6, 9, 12):
        print(f"\nCandidates of {len(records)} frames with a correction of at most {most}, by the limits of both margins (right / wrong)\n")
        print("| unchecked >= | " + " | ".join(f"margin >= {m}" for m in margins) + " |\n|" + " ---: |" * (len(margins) + 1))
        for u in (3, 4, 5, 5.5, 6, 6.5, 7, 8, 9, 10):
            cells = []
            for m in margins:
                part = [ok for margin, unchecked, correction, ok in judged if margin >= m and unchecked >= u and correction <= most]
                cells.append(f"{sum(part)} / {len(part) - sum(part)}")
            print(f"| {u} | " + " | ".join(cells) + " |")


def tables(title, records, groups):
    for keys in groups:
        table(f"{title}, by {' and '.join(keys)}", records, keys)
