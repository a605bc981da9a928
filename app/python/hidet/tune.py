# SPDX-License-Identifier: Apache-2.0
"""hidet.tune for functions of Python: a function with a space runs with its first candidate that passes tune.check().

Names that are not here are the compiler's own."""

import functools
import inspect
import itertools
import math

from . import _modules, _value

_modules.overlay(__name__)

MOST_CANDIDATES = 1_200_000


class ScheduleError(RuntimeError):
    """A kernel cannot be made with these parameters."""


def check(condition, message=""):
    """Raises ScheduleError where the condition does not hold: the candidate is left out."""
    if not condition:
        raise ScheduleError(message or "the condition does not hold")


class _Axis:
    """Parameters that are chosen together, and their choices: each as long as there are parameters."""

    def __init__(self, key, choices, level):
        self.names = [name.strip() for name in key.split(",")]
        self.choices = [self._choice(each) for each in (choices(level) if callable(choices) else choices)]
        if not self.choices:
            raise ValueError(f"'{key}' has no candidates")

    def _choice(self, choice):
        if len(self.names) == 1:
            return (choice,)
        if not isinstance(choice, (tuple, list)) or len(choice) != len(self.names):
            raise ValueError(f"a candidate of '{', '.join(self.names)}' is a tuple of {len(self.names)}, not {choice!r}")
        return tuple(choice)

    def without(self, given):
        """The same where some of the parameters are given."""
        kept = [i for i, name in enumerate(self.names) if name not in given]
        out = object.__new__(_Axis)
        out.names = [self.names[i] for i in kept]
        out.choices = list(dict.fromkeys(tuple(choice[i] for i in kept) for choice in self.choices))
        return out


def space(level, combinations=None, **candidates):
    """Decorates a function that returns a module: its parameters of these names are chosen among candidates.

    level         1, 2, ...: the larger, the more of them; 0 is the defaults of the parameters
    candidates    name=[...], or a function of the level that gives the list
    combinations  {"name, other": [(1, 2), ...]}: parameters that are chosen together
    """
    if not isinstance(level, int) or level < 1:
        raise ValueError("a space is of level 1 or more; level 0 is the defaults of the parameters")
    axes = [_Axis(key, choices, level) for key, choices in {**(combinations or {}), **candidates}.items()]
    if math.prod(len(axis.choices) for axis in axes) > MOST_CANDIDATES:
        raise ValueError(f"the space has more than {MOST_CANDIDATES} candidates")

    def decorate(function):
        if isinstance(function, _value.Value):
            together = {} if combinations is None else {"combinations": combinations}
            return _value.import_module("hidet.tune").space(level, **together, **candidates)(function)
        tuned = function if hasattr(function, "__hidet_spaces__") else _tuned(function)
        spaces = tuned.__hidet_spaces__
        if level in spaces:
            raise ValueError(f"'{function.__name__}' has a space of level {level} already")
        _check_names(axes, inspect.signature(function).parameters, function.__name__)
        spaces[level] = axes
        return tuned

    return decorate


def extract_ir_modules(template_func, **keywords):
    """The modules that the function makes, as a list: of its first candidate that passes check()."""
    if isinstance(template_func, _value.Value):
        return _value.import_module("hidet.tune").extract_ir_modules(template_func, **keywords)
    made = template_func(**keywords)
    return list(made) if isinstance(made, (list, tuple)) else [made]


def _check_names(axes, parameters, function):
    seen = set()
    for name in (name for axis in axes for name in axis.names):
        if name not in parameters:
            raise ValueError(f"'{function}' has no parameter '{name}' to tune")
        if name in seen:
            raise ValueError(f"parameter '{name}' is given twice")
        seen.add(name)


def _tuned(function):
    signature = inspect.signature(function)
    spaces = {}  # level -> axes

    @functools.wraps(function)
    def with_first(*args, **keywords):
        wanted = _value.import_module("hidet.option").get_search_space()
        if wanted > 0:
            raise NotImplementedError(
                f"hidet.option.search_space({wanted}) is for graphs: '{function.__name__}' is a function of Python, which runs "
                "with its first candidate; call it at search_space(0)"
            )
        given = set(signature.bind_partial(*args, **keywords).arguments)
        refused = None
        for chosen in _candidates(spaces[min(spaces)], given, signature.parameters):
            try:
                return function(*args, **keywords, **chosen)
            except ScheduleError as error:
                refused = refused or error
        raise ScheduleError(f"'{function.__name__}' refuses all of its candidates, the first of them because: {refused}")

    with_first.__hidet_spaces__ = spaces
    return with_first


def _candidates(axes, given, parameters):
    """The defaults, where each parameter has one, and then the space in the order that it was written in."""
    left = [axis for axis in (axis.without(given) for axis in axes) if axis.names]
    names = [name for axis in left for name in axis.names]
    if all(parameters[name].default is not inspect.Parameter.empty for name in names):
        yield {}
    for choice in itertools.product(*(axis.choices for axis in left)):
        if left:
            yield dict(zip(names, itertools.chain(*choice)))
