# SPDX-License-Identifier: Apache-2.0
"""The table, last of all that is printed, and the same as JSON."""

import json
import sys

WIDTH = 160  # of a note in the table; the JSON has all of it


class Row:
    def __init__(self, name, status, ms=0.0, note=""):
        self.name = name
        self.status = status  # "ok", "failed", "not run"
        self.ms = ms
        self.note = " ".join(note.split())


class Figure:
    """A measured value. `goal` is what it is meant to reach, `met` whether it does; None: there is none."""

    def __init__(self, name, value, unit, goal=None, better="more", note=""):
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal
        self.better = better
        self.note = note

    @property
    def met(self):
        if self.goal is None or self.value is None:
            return None
        return self.value <= self.goal if self.better == "less" else self.value >= self.goal


def figure_line(figure):
    aim = ""
    if figure.goal is not None:
        sign = "<=" if figure.better == "less" else ">="
        aim = f"goal {sign} {figure.goal:g}: {'met' if figure.met else 'missed'}"
    value = "unknown" if figure.value is None else f"{figure.value:.4g}"
    return f"{figure.name:44} {value:>10} {figure.unit:8} {'  '.join(filter(None, (aim, figure.note)))}".rstrip()


def row_line(row):
    note = row.note if len(row.note) <= WIDTH else row.note[:WIDTH - 3] + "..."
    return f"{row.status:8} {row.name:34} {row.ms:7.0f} ms  {note}".rstrip()


def counts(rows):
    return {status: sum(row.status == status for row in rows) for status in ("ok", "failed", "not run")}


def totals(rows, seconds):
    count = counts(rows)
    words = [f"{count['ok']} passed", f"{count['failed']} failed"]
    if count["not run"]:
        words.append(f"{count['not run']} not run")
    return f"{', '.join(words)} in {seconds:.0f} s"


def show(rows, figures, seconds):
    for row in rows:
        print(row_line(row))
    if figures:
        print()
    for figure in figures:
        print(figure_line(figure))
    print()
    print(totals(rows, seconds), flush=True)


def write(path, where, rows, figures, seconds):
    document = {
        "machine": where,
        "seconds": round(seconds, 3),
        "totals": counts(rows),
        "rows": [vars(row) for row in rows],
        "figures": [{**vars(figure), "met": figure.met} for figure in figures],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def progress(text):
    print(text, file=sys.stderr, flush=True)
