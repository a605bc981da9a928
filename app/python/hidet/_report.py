# SPDX-License-Identifier: Apache-2.0
"""Kernels looked at: hidet.emulate() says what calls do wrong, hidet.explain() what they cost. Nobody needs a GPU for that."""

import html
import json

from . import _value
from ._value import _library, _session, tvm_ffi


class Row:
    """Of a table. A cell, by its column's name or number, is its number where it has one, else its text."""

    __slots__ = ("_columns", "file", "line", "texts", "values")

    def __init__(self, columns, row):
        self._columns = columns
        self.file = row.get("file")  # what the row is about; None: no place in a file
        self.line = row.get("line")
        self.texts = tuple(cell["text"] for cell in row["cells"])
        self.values = tuple(cell.get("number", cell["text"]) for cell in row["cells"])

    def __getitem__(self, column):
        return self.values[self._columns.index(column) if isinstance(column, str) else column]

    def __len__(self):
        return len(self.values)

    def __repr__(self):
        return repr(dict(zip(self._columns, self.values)))


@tvm_ffi.register_object("hidet.Table")
class Table(tvm_ffi.Object):
    """Figures in rows and columns. str() of it is for a terminal; notebooks show it as HTML."""

    __slots__ = ()

    def _data(self):
        return json.loads(str(_library.table_json(self)))

    @property
    def columns(self):
        return [column["name"] for column in self._data()["columns"]]

    @property
    def rows(self):
        data = self._data()
        columns = [column["name"] for column in data["columns"]]
        return [Row(columns, row) for row in data["rows"]]

    def __len__(self):
        return len(self._data()["rows"])

    def __getitem__(self, index):
        return self.rows[index]

    def __iter__(self):
        return iter(self.rows)

    def __str__(self):
        lines = [tuple(self.columns)] + [row.texts for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)

    def __repr__(self):
        return f"<hidet.Table of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self):
        return str(_library.table_html(self))


@tvm_ffi.register_object("hidet.Scene")
class Scene(tvm_ffi.Object):
    """A picture, as the studio draws it."""

    __slots__ = ()

    def json(self):
        """Its marks, as the file formats of the studio have them."""
        return json.loads(str(_library.scene_json(self)))

    def _repr_svg_(self):
        return str(_library.scene_svg(self))

    def __repr__(self):
        data = self.json()
        return f"<hidet.Scene '{data['title']}', {data['width']:g} x {data['height']:g}>"


@tvm_ffi.register_object("hidet.Watch")
class _Watch(tvm_ffi.Object):
    __slots__ = ()


def framed(page):
    """A page of its own within a notebook, which its styles cannot reach."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:32rem;border:0"></iframe>'


class Emulation:
    """What a call did on the emulator.

    value     what it gave; None where it ended with an error
    findings  Table: severity, id, message, block, thread; the file and line of each row
    ok        whether nothing was found
    orders    of warps and blocks that were tried of one launch; 0: there was no choice
    """

    def __init__(self, value, findings, orders, text):
        self.value, self.findings, self.orders = value, findings, orders
        self._text = text

    @property
    def ok(self):
        return len(self.findings) == 0

    def __bool__(self):
        return self.ok

    def __str__(self):
        return self._text.rstrip("\n") or "no findings" + (f" in {self.orders} orders" if self.orders > 1 else "")

    def __repr__(self):
        return f"<hidet.Emulation: {len(self.findings)} findings>"

    def _repr_html_(self):
        return self.findings._repr_html_() if self.findings else f"<p>{html.escape(str(self))}</p>"


def emulate(function, *args, orders=None, seed=None, **keywords):
    """Calls the function with these arguments; what it launches runs on the emulator, with every access checked.

    A finding is no exception: it is in the result. A launch whose order may matter is tried in lock step and then in random
    orders, `orders` of them at most; `seed` asks for one random order and no other. Tensors hold what the call made of them.
    """
    if seed is not None and seed < 0 or orders is not None and orders < 1:
        raise ValueError("orders are 1 and more, and a seed is 0 or more")
    watch = _library.emulate_begin(_session, 0 if orders is None else orders, -1 if seed is None else seed)
    raised = value = None
    try:
        value = function(*args, **keywords)
    except Exception as error:
        raised = error
    finally:
        _library.watch_end(watch)
    findings, has_errors, tried, text = _library.emulation_result(watch)
    if raised is not None and not has_errors:
        raise raised
    return Emulation(value, findings, tried, str(text))


class Kernel:
    """What a kernel costs, read off its code.

    name, file, line
    cost      Table of two columns: a quantity and its value, the predicted seconds of a launch among them
    accesses  Table: a row for each access to global or shared memory, with what it moves and the ideal
    roofline  Scene
    """

    def __init__(self, name, file, line, cost, roofline, accesses):
        self.name, self.file, self.line = str(name), str(file), line
        self.cost, self.roofline, self.accesses = cost, roofline, accesses

    @property
    def seconds(self):
        """Of a launch, as it is predicted."""
        return next(row[1] for row in self.cost if row[0] == "predicted")

    @property
    def findings(self):
        """The accesses that move more than they need to, or conflict: rows of `accesses`."""
        return [row for row in self.accesses if row["finding"]]

    def __str__(self):
        return f"kernel {self.name}\n{self.cost}\n\n{self.accesses}"

    def __repr__(self):
        return f"<hidet.Kernel {self.name}>"


class Explanation:
    """The kernels that a call launches, in their order."""

    def __init__(self, kernels, page):
        self.kernels = kernels
        self._page = page

    def __getitem__(self, which):
        """By number, or by name: the first of that name."""
        if isinstance(which, str):
            return next((each for each in self.kernels if each.name == which), None) or self._missing(which)
        return self.kernels[which]

    def _missing(self, name):
        raise KeyError(f"'{name}' is none of {', '.join(each.name for each in self.kernels) or 'no kernels'}")

    def __len__(self):
        return len(self.kernels)

    def __str__(self):
        return "\n\n".join(map(str, self.kernels)) or "no kernels"

    def __repr__(self):
        return f"<hidet.Explanation of {', '.join(each.name for each in self.kernels) or 'no kernels'}>"

    def _repr_html_(self):
        return framed(self._page)


def explain(function, *args, **keywords):
    """What the kernels cost that a call with these arguments launches; none is launched, and tensors stay as they are.

    Of a module that was built and without arguments: of all its kernels, as far as that is known without sizes.
    """
    watch = _library.explain_begin(_session)
    try:
        if not args and not keywords and isinstance(function, _value.Value):
            _library.explain_module(watch, function)
        else:
            function(*args, **keywords)
    finally:
        _library.watch_end(watch)
    parts = list(_library.explanation_result(watch))
    kernels = [Kernel(*parts[i : i + 6]) for i in range(0, len(parts), 6)]
    return Explanation(kernels, str(_library.explanation_page(watch)))
