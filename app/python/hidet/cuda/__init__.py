# SPDX-License-Identifier: Apache-2.0
"""The GPU that is computed on: streams, events and memory, by the names of the published package. Without one, tensors on 'cuda' are
emulated, in order, and what is here says that there is none.

Handles and addresses are numbers. Sizes are in bytes, times in milliseconds."""

import sys
import types

from hidet import _modules, _value

_NON_BLOCKING, _BLOCKING_SYNC, _NO_TIMING = 1, 1, 2  # flags of the driver
_current = None  # the Stream of the innermost `with stream(...)`


def _call(function, *numbers):
    return list(_value._library.device_call(_value._session, function, *numbers))


def device_count():
    """How many GPUs the driver knows; hidet computes on the first."""
    return _call("device_count")[0]


def available():
    return device_count() > 0


is_available = available


def _checked(device):
    index = 0 if device is None else getattr(device, "id", device)
    if index != 0:
        raise ValueError(f"hidet computes on one GPU, which is device 0, not on {device}")
    return 0


def capability(arch=None):
    """maxThreadsPerBlock, sharedMemPerBlock (of a kernel that opts in), regsPerBlock and regsPerMultiprocessor of the GPU, or of the one
    that is emulated."""
    found = _value.import_module("hidet.cuda").properties()
    if arch not in (None, f"sm_{found.major}{found.minor}", f"sm_{found.major}{found.minor}a"):
        raise ValueError(f"the GPU is of sm_{found.major}{found.minor}, not of {arch}")
    return types.SimpleNamespace(maxThreadsPerBlock=found.maxThreadsPerBlock, sharedMemPerBlock=found.sharedMemPerBlockOptin,
                                 regsPerBlock=found.regsPerMultiprocessor, regsPerMultiprocessor=found.regsPerMultiprocessor)


def set_device(device_id):
    _checked(device_id)


def current_device():
    return 0


class device:
    """with hidet.cuda.device(0): ..."""

    def __init__(self, device_id):
        _checked(device_id)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        pass


def synchronize():
    """Waits for all that was started on the GPU by hidet, in its own stream and in the current one."""
    if available():
        _call("stream_synchronize", _call("current_stream")[0])


class Event:
    """A place in a stream."""

    _handle = None

    def __init__(self, enable_timing=False, blocking=False):
        self._timed = enable_timing
        self._handle = _call("event_create", (_BLOCKING_SYNC if blocking else 0) | (0 if enable_timing else _NO_TIMING))[0]

    def __del__(self):
        if self._handle and not sys.is_finalizing():
            _call("event_destroy", self._handle)

    def handle(self):
        return self._handle

    def record(self, stream=None):
        """Behind what the stream (the current one) was given so far."""
        _call("event_record", self._handle, _handle_of(stream))

    def synchronize(self):
        """Waits until it has happened."""
        _call("event_synchronize", self._handle)

    def elapsed_time(self, start_event):
        """Milliseconds since another event; both have happened and were made with enable_timing=True."""
        if not (self._timed and start_event._timed):
            raise RuntimeError("an event measures times when it is made with enable_timing=True")
        return _call("event_elapsed", start_event._handle, self._handle)[0] / 1e6


class Stream:
    """A queue of work of the GPU. `blocking`: it also comes behind what the default stream was given before. A priority of -1 is above 0."""

    _own = False  # it is destroyed with this

    def __init__(self, device=None, blocking=False, priority=0):
        _checked(device)
        self._handle = _call("stream_create", 0 if blocking else _NON_BLOCKING, priority)[0]
        self._own = True

    def __del__(self):
        if self._own and not sys.is_finalizing():
            _call("stream_destroy", self._handle)

    def __int__(self):
        return self._handle

    def __eq__(self, other):
        return isinstance(other, Stream) and self._handle == other._handle

    def __hash__(self):
        return hash(self._handle)

    def __cuda_stream__(self):
        return 0, self._handle

    def device_id(self):
        return 0

    def handle(self):
        return self._handle

    def synchronize(self):
        """Waits until it has done all."""
        _call("stream_synchronize", self._handle)

    def wait_event(self, event):
        """What it is given later comes behind the event; the host does not wait."""
        _call("stream_wait_event", self._handle, event.handle())


class ExternalStream(Stream):
    """A stream of somebody else, by its handle."""

    def __init__(self, handle, device_id=None):
        _checked(device_id)
        self._handle, self._own = int(handle), False


class stream:
    """with hidet.cuda.stream(s): what hidet computes with tensors of its own goes to that stream. (What it computes with tensors of
    PyTorch goes to PyTorch's current stream.)"""

    def __init__(self, stream):
        self._stream = stream

    def __enter__(self):
        global _current
        self._before, self._handle = _current, _call("current_stream")[0]
        _value.follow(self._stream.handle())
        _current = self._stream
        return self._stream

    def __exit__(self, *why):
        global _current
        _value.follow(self._handle)
        _current = self._before


def current_stream(device=None):
    _checked(device)
    handle = _call("current_stream")[0]
    return _current if _current is not None and _current.handle() == handle else ExternalStream(handle)


def default_stream(device=None):
    return ExternalStream(0, device)


def _handle_of(stream):
    return _call("current_stream")[0] if stream is None else int(stream)


def memory_info():
    """(free, total)"""
    return tuple(_call("memory_info"))


def malloc(num_bytes):
    return _call("malloc", num_bytes)[0]


def free(addr):
    _call("free", addr)


def malloc_async(num_bytes, stream=None):
    return _call("malloc_async", num_bytes, _handle_of(stream))[0]


def free_async(addr, stream=None):
    _call("free_async", addr, _handle_of(stream))


def malloc_host(num_bytes):
    """Memory of the host that the GPU reaches directly."""
    return _call("malloc_host", num_bytes)[0]


def free_host(addr):
    _call("free_host", addr)


def memset_async(addr, value, num_bytes, stream=None):
    """The byte `value`, num_bytes times."""
    _call("memset_async", addr, value, num_bytes, _handle_of(stream))


def memset(addr, value, num_bytes):
    memset_async(addr, value, num_bytes)
    synchronize()


def memcpy_async(dst, src, num_bytes, stream=None):
    """Between memories of the GPU and of the host, in any direction."""
    _call("memcpy_async", dst, src, num_bytes, _handle_of(stream))


def memcpy(dst, src, num_bytes):
    memcpy_async(dst, src, num_bytes)
    synchronize()


_modules.overlay(__name__)
