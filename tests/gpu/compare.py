# SPDX-License-Identifier: Apache-2.0
"""What a script prints on a GPU against what it prints on the emulator: words and whole numbers are equal, other numbers are close,
and lines that kernels print may come in another order."""

import math
import re

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|inf\b|nan\b)")
RELATIVE, ABSOLUTE = 1e-3, 1e-5


def parts(line):
    """The words of a line, and its numbers that are not whole."""
    return NUMBER.sub("#", line), [float(found) for found in NUMBER.findall(line)]


def is_close(a, b):
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (math.isnan(a) and math.isnan(b))


def same_line(one, other):
    (words, numbers), (other_words, other_numbers) = parts(one), parts(other)
    return words == other_words and all(map(is_close, numbers, other_numbers))


def difference(device, emulator):
    """None, or a sentence."""
    if device == emulator:
        return None
    one, other = device.splitlines(), emulator.splitlines()
    if len(one) != len(other):
        return f"printed {len(one)} lines, the emulator {len(other)}"
    if all(map(same_line, one, other)):
        return None
    for a, b in zip(sorted(one), sorted(other)):
        if not same_line(a, b):
            return f"printed '{a}', the emulator '{b}'"
    return None
