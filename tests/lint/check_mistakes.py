# SPDX-License-Identifier: Apache-2.0
"""Each case of tests/golden/mistakes says where its error is and which words explain it; the golden text must agree.

The intent (`# what: error at LINE:COLUMN, saying WORD | WORD`) is written before the case is run for the first time, so an
update of the golden text cannot quietly move an error elsewhere or lose the word that helps.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import golden
import house

INTENT = re.compile(r"error at (\d+):(\d+), saying (.+)$")
problems = []
count = 0
for path in house.files(".txt"):
    if not path.startswith("tests/golden/mistakes/"):
        continue
    for case in golden.parse(house.read(path).split("\n")):
        count += 1
        place = f"{path}: {case.name}"
        intent = INTENT.match(case.header.what)
        if not intent:
            problems.append(f"{place}: no intent")
            continue
        line, column, words = intent.groups()
        text = case.runs[0].expected["stderr"]
        text = text if isinstance(text, str) else "\n".join(text)
        errors = [row for row in text.split("\n") if re.match(rf"[^:]+:{line}:{column}: (error|note|warning): ", row)]
        if not errors:
            problems.append(f"{place}: no error at {line}:{column}")
            continue
        for word in words.split(" | "):
            if word.lower() not in text.lower():
                problems.append(f"{place}: the text does not say {word!r}")
print(f"{count} mistakes")
house.finish(problems)
