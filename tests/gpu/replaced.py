# SPDX-License-Identifier: Apache-2.0
"""A kernel that runs from a text in the place of the generated one: a text that nobody changed gives the same bits, and one that adds
a constant is caught by the script's own check."""

import os
import tempfile

KERNEL = "matmul"
MORE = "\nprint([c[i, (7 * i) % n].item() for i in range(m)])\n"  # to the last digit
# Of each form: what the sum begins with, and with what it shall begin.
CHANGES = {"cuda": ("total = 0.0f", "total = 1.0f", "cu"), "ptx": ("0f00000000", "0f3F800000", "ptx")}


def wrong(hidetc, emit, sample, form):
    """hidetc(words) gives a document, emit(words) writes a file. Empty: nothing is wrong."""
    arch = (hidetc("doctor").document.get("gpu") or {}).get("arch") or "sm_90a"
    before, after, ending = CHANGES[form]
    with tempfile.TemporaryDirectory() as folder:
        script, text, changed = (os.path.join(folder, name) for name in ("script.py", f"same.{ending}", f"changed.{ending}"))
        with open(sample, encoding="utf-8") as file:
            write(script, file.read() + MORE)
        emitted = emit("emit", script, "--kind", form, "--arch", arch, "-o", text)
        if emitted.code != 0:
            return f"no {form}: {emitted.why()}"
        generated = hidetc("run", script, "--target", "cuda")
        replaced = hidetc("run", script, "--target", "cuda", "--replace", f"{KERNEL}={text}")
        for done in (generated, replaced):
            if done.code != 0 or done.timed_out:
                return done.why()
        if generated.output != replaced.output:
            return "the unchanged text gives other results"
        if not replaced.summary.get("replaced"):
            return "nothing was replaced"
        with open(text, encoding="utf-8") as file:
            whole = file.read()
        if before not in whole:
            return f"the text has no '{before}'"
        write(changed, whole.replace(before, after))
        other = hidetc("run", script, "--target", "cuda", "--replace", f"{KERNEL}={changed}")
        if other.code != 1:
            return f"the changed text should fail the script's check, and: {other.why()}"
        return ""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
