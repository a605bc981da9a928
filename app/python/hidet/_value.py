# SPDX-License-Identifier: Apache-2.0
"""Values of the compiler as Python objects: one proxy, which asks the library for everything."""

import atexit
import linecache
import os
import sys
import threading
import time
import warnings


def _import_tvm_ffi():
    """tvm-ffi imports torch and the bindings of CUDA's driver where these are installed, the one in seconds, the other in 40 ms: who does
    not use them need not wait."""
    left_out = [name for name in ("torch", "cuda.bindings") if name not in sys.modules and "tvm_ffi" not in sys.modules]
    sys.modules.update(dict.fromkeys(left_out))  # None: an ImportError
    try:
        import tvm_ffi
    finally:
        for name in left_out:
            del sys.modules[name]
    return tvm_ffi


tvm_ffi = _import_tvm_ffi()

for _error in (ArithmeticError, BufferError, EOFError, FileNotFoundError, FloatingPointError, ImportError, LookupError, ModuleNotFoundError,
               NameError, NotImplementedError, OSError, OverflowError, PermissionError, RecursionError, ReferenceError, StopIteration,
               SyntaxError, UnboundLocalError, UnicodeError, ZeroDivisionError):
    tvm_ffi.register_error(_error.__name__, _error)  # it knows the commonest; others would arrive as RuntimeError


class _Library:
    """The functions of libhidet.so, by name."""

    def __init__(self, path):
        self._module = tvm_ffi.load_module(path)

    def __getattr__(self, name):
        function = self._module.get_function(name)

        def called(*args):
            try:
                return function(*args) if threading.get_ident() == _main else elsewhere(args)
            except BaseException:
                raised = _raised.__dict__.pop("exception", None)
                if raised is None:
                    raise
            raise raised  # a callback's own, with its traceback

        def elsewhere(args):
            """On another thread, which must be out of the library before the interpreter ends."""
            thread = threading.get_ident()
            if thread in _inside:  # below a callback
                return function(*args)
            _inside.add(thread)  # before it looks: either it sees the end, or the end sees it
            if _ending:
                _inside.discard(thread)
                threading.Event().wait()  # and this thread ends with the interpreter
            try:
                return function(*args)
            finally:
                _inside.discard(thread)

        setattr(self, name, called)
        return called


_ending = False
_inside = set()  # threads but the main one that are in the library
_main = threading.main_thread().ident
_raised = threading.local()  # what a callback raised, while it is on its way through the library

_library = _Library(os.path.join(os.path.dirname(__file__), "libhidet.so"))


@tvm_ffi.register_object("hidet.Session")
class _Session(tvm_ffi.Object):
    """The compiler in this process."""

    __slots__ = ()


_call = _library._module.get_function("call")
_ident = threading.get_ident
_session = _library.open(os.environ.get("HIDET_TARGET", "auto"), tvm_ffi.convert(lambda text: print(text, end="")))


def _signature(listed):
    """Of parameters as the library lists them: "x", "axis=" that may be left out, "*" and "*rest", "**"."""
    import inspect
    import keyword

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    out = []
    for name in listed:
        plain = name.strip("*=")
        if name.startswith("**"):
            out.append(inspect.Parameter(plain or "keywords", inspect.Parameter.VAR_KEYWORD))
        elif name.startswith("*"):
            kind = inspect.Parameter.KEYWORD_ONLY
            if plain:
                out.append(inspect.Parameter(plain, inspect.Parameter.VAR_POSITIONAL))
        else:
            here = kind
            if keyword.iskeyword(plain):  # uniform_(from, to): Python passes it by position only
                plain, here = plain + "_", inspect.Parameter.POSITIONAL_ONLY
            has_default = name.endswith("=") or any(each.default is ... for each in out if each.kind == kind)
            out.append(inspect.Parameter(plain, here, default=... if has_default else inspect.Parameter.empty))
    return inspect.Signature(out)


UNARY = {"__pos__": 0, "__neg__": 1, "__invert__": 2}
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and", "or", "xor"]
COMPARE = ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"]
NOT_OURS = {"__bases__", "__mro__", "__signature__", "__wrapped__", "__array_interface__", "__array_struct__"}  # what protocols of Python ask
PLAIN = (type(None), bool, int, float, str)
_crossing = {*PLAIN, tvm_ffi.Tensor}  # classes of what the library takes as it is


@tvm_ffi.register_object("hidet.Value")
class Value(tvm_ffi.Object):
    """A value of hidet: a tensor, an expression, a module, a function, ..."""

    __slots__ = ()

    def __getattr__(self, name):
        if name in NOT_OURS:
            raise AttributeError(name)
        found = _library.attribute(self, name)
        if not found[0]:
            raise AttributeError(f"'{_library.type_name_of(self)}' object has no attribute '{name}'")
        return to_python(found[1])

    def __setattr__(self, name, value):
        _library.set_attribute(self, name, from_python(value))

    def __dir__(self):
        return sorted(_library.attribute_names(self))

    def __call__(self, *args, **keywords):
        if not keywords and _crossing.issuperset(map(type, args)):
            if _ident() != _main:
                return to_python(_library.call(self, len(args), *args))
            try:  # as _library.call() does it, without a frame of its own: launches come this way
                result = _call(self, len(args), *args)
                return None if result is None else to_python(result)
            except BaseException:
                raised = _raised.__dict__.pop("exception", None)
                if raised is None:
                    raise
            raise raised
        given = [from_python(each) for each in args]
        for name, value in keywords.items():
            given += (name, from_python(value))
        return to_python(_library.call(self, len(args), *given))

    @property
    def __signature__(self):
        """For help() and inspect: what a function of ours takes. A default that it has is shown as `...`."""
        listed = _library.parameters(self)
        if listed is None:
            raise AttributeError("__signature__")
        return _signature([str(each) for each in listed])

    def __getitem__(self, index):
        return to_python(_library.item(self, from_python(index)))

    def __setitem__(self, index, value):
        _library.set_item(self, from_python(index), from_python(value))

    def __delitem__(self, index):
        _library.delete_item(self, from_python(index))

    def __iter__(self):
        return iter([to_python(each) for each in _library.items(self)])

    def __len__(self):
        return builtin("len")(self)

    def __bool__(self):
        truth = builtin("bool")(self)
        if not isinstance(truth, bool):
            raise TypeError(f"whether {self} is known at run time only")
        return truth

    def __int__(self):
        return builtin("int")(self)

    def __float__(self):
        return builtin("float")(self)

    def __index__(self):
        return builtin("int")(self)

    def __repr__(self):
        return builtin("repr")(self)

    def __str__(self):
        text = builtin("str")(self)
        is_dtype = text.isidentifier() and _library.type_name_of(self) == "type of the IR"
        return f"hidet.{text}" if is_dtype else text  # as the published package has it

    def __hash__(self):
        return _library.hash(self)

    def __contains__(self, item):
        return any(each is item or each == item for each in self)

    def __instancecheck__(self, instance):
        """isinstance(x, hidet.Tensor)"""
        instance = getattr(instance, "__hidet_value__", instance)
        return isinstance(instance, Value) and builtin("isinstance")(instance, self)

    def __mro_entries__(self, bases):
        """class Scale(Operator): ..."""
        from . import _classes

        return (_classes.mirror(self),)

    def __enter__(self):
        return to_python(_library.enter(self))

    def __exit__(self, *why):
        _library.leave(self, why[0] is not None)

    def _repr_html_(self):
        """Of a kernel and of modules: the verdict, what kernels cost, their IR and their CUDA C++."""
        if _library.type_name_of(self) not in ("script function", "script module", "CompiledModule"):
            return None
        from . import _report, _text

        module = _text.module_of(self)
        return _report.framed(str(_library.module_page(module if module is self else module.build())))

    def __dlpack__(self, *, stream=None, **options):
        if stream != -1:  # which asks for no order
            follow(stream or 0)
        return _library.tensor_to(self).__dlpack__(**options)

    def __dlpack_device__(self):
        return _library.tensor_to(self).__dlpack_device__()

    def numpy(self):
        """The tensor as NumPy's, of the same memory; a copy in float32 of dtypes that NumPy lacks."""
        import numpy

        if self.dtype.name in ("bfloat16", "tfloat32", "float8_e4m3", "float8_e5m2"):
            return self.to(dtype="float32").numpy()
        return numpy.from_dlpack(_library.tensor_to(self))

    def torch(self):
        """The tensor as PyTorch's, of the same memory."""
        import torch

        return torch.from_dlpack(self)

    @classmethod
    def __torch_function__(cls, function, types, args=(), keywords=None):
        """A function of PyTorch takes tensors of ours as its own, of the same memory."""
        import torch

        of_torch = lambda value: value.torch() if isinstance(value, Value) else value
        given = torch.utils._pytree.tree_map(of_torch, (args, keywords or {}))
        return function(*given[0], **given[1])

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array


_crossing.add(Value)


def _operators():
    def unary(op):
        return lambda self: to_python(_library.unary(self, op))

    def binary(op):
        return lambda self, other: to_python(_library.binary(_session, op, self, from_python(other)))

    def reflected(op):
        return lambda self, other: to_python(_library.binary(_session, op, from_python(other), self))

    def compare(op):
        return lambda self, other: to_python(_library.compare(_session, op, self, from_python(other)))

    for name, op in UNARY.items():
        setattr(Value, name, unary(op))
    for op, name in enumerate(BINARY):
        setattr(Value, f"__{name}__", binary(op))
        setattr(Value, f"__r{name}__", reflected(op))
    for op, name in enumerate(COMPARE):
        setattr(Value, name, compare(op))


_operators()


def to_python(value):
    """What is a list, a tuple or a dict becomes Python's own; everything else is what it is."""
    if not isinstance(value, Value):
        return value
    kind = _library.kind_of(value)
    if kind == "list":
        return [to_python(each) for each in _library.items(value)]
    if kind == "tuple":
        return tuple(to_python(each) for each in _library.items(value))
    if kind == "dict":
        parts = [to_python(each) for each in _library.entries(value)]
        return dict(zip(parts[::2], parts[1::2]))
    if kind == "ellipsis":
        return ...
    if kind.startswith("derived"):
        from . import _classes

        return _classes.class_of(value) if kind == "derived class" else _classes.object_of(value)
    return value


def _names_of_parameters(function):
    import inspect

    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # of C
        return []


def _function(function):
    """Takes what the library calls it with: how many positional arguments, these, and name, value for the others. -1 asks for the
    names of its parameters."""

    def called(positional, *args):
        if positional < 0:
            return _names_of_parameters(function)
        rest = args[positional:]
        try:
            keywords = {str(name): to_python(value) for name, value in zip(rest[::2], rest[1::2])}
            return from_python(function(*(to_python(each) for each in args[:positional]), **keywords))
        except BaseException as error:
            _raised.exception = error
            raise

    return tvm_ffi.convert(called)


def from_python(value):
    """What the library takes: plain values, ours, and others as ours. Raises TypeError for what it cannot be."""
    if isinstance(value, (*PLAIN, Value)):
        return value
    if isinstance(value, (list, tuple)):
        return _library.make("tuple" if isinstance(value, tuple) else "list", _session, *(from_python(each) for each in value))
    if isinstance(value, dict):
        parts = [from_python(each) for pair in value.items() for each in pair]
        return _library.make("dict", _session, *parts)
    if isinstance(value, slice):
        return _library.make("slice", _session, from_python(value.start), from_python(value.stop), from_python(value.step))
    if value is NotImplemented:
        return builtin("NotImplemented")
    if value is ...:
        return _library.make("ellipsis", _session)
    if hasattr(value, "__hidet_value__"):
        return value.__hidet_value__
    if hasattr(value, "__dlpack__"):
        return tensor(value)
    if isinstance(value, type) and value in CLASSES:
        return builtin(value.__name__)
    if hasattr(value, "__index__"):  # NumPy's numbers
        return int(value)
    if hasattr(value, "__float__"):
        return float(value)
    if hasattr(value, "total_seconds"):  # timedelta
        return value.total_seconds()
    if callable(value):
        return _function(value)
    raise TypeError(f"hidet cannot compute with a value of type '{type(value).__name__}'")


CLASSES = (int, float, bool, str, list, tuple, dict)
_builtins = {}


def run(function, *tensors):
    """What a function of tensors gives, as a list; tensors as they came, PyTorch's for PyTorch's."""
    return _library.run(function, *tensors)


def follow(stream):
    """What is launched from now on comes behind the work of a stream of CUDA (its handle), and that stream's later work behind it."""
    _library.follow(_session, stream)


def stand_at(place):
    """What is called from now on stands at (file, line) of the user's program; None: at no place that is known."""
    file, line = place or ("", 0)
    _library.stand_at(_session, file, "".join(linecache.getlines(file)) if place else "", line)


def builtin(name):
    if name not in _builtins:
        _builtins[name] = _library.builtin(_session, name)
    return _builtins[name]


def import_module(name):
    return _library.import_module(_session, name)


def tensor(given):
    """A tensor of hidet of the same memory as a tensor of NumPy, PyTorch or whatever speaks DLPack."""
    if not hasattr(given, "__dlpack__"):
        raise TypeError(f"a '{type(given).__name__}' has no __dlpack__()")
    return _library.tensor_from(_session, _shareable(given))


def _shareable(given):
    """tvm-ffi takes PyTorch's tensors as they are, and with them the stream that they are computed in."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(given, torch.Tensor):
        if type(given) in (torch.Tensor, torch.nn.Parameter):
            _crossing.add(type(given))
        return given.detach() if given.requires_grad else given
    return tvm_ffi.from_dlpack(given)


class HidetWarning(UserWarning):
    """Of the compiler, at a line of a kernel."""


def _warn():
    said = list(_library.take_warnings(_session))
    for text, file, line in zip(said[::3], said[1::3], said[2::3]):
        warnings.warn_explicit(str(text).rstrip("\n"), HidetWarning, str(file), line)


def script_of(file, text, line, name, resolve):
    function = _library.script(_session, file, text, line, name, tvm_ffi.convert(resolve))
    _warn()
    return function


def _end():
    """What a daemon thread is doing is done before the interpreter goes; values die with it."""
    global _ending
    _ending = True
    while _inside:
        time.sleep(0.001)
    _builtins.clear()


atexit.register(_end)
