# SPDX-License-Identifier: Apache-2.0
"""The wheel hidet_runtime on a GPU that is memory of the CPU: streams, memory for results, and a PyTorch of a few lines."""

import ctypes
import os
import sys
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["HIDET_FAKE_GPU"] = "1"
os.environ["HIDET_LIBCUDA"] = os.path.join(os.path.abspath(sys.argv[-1]), "bin", "libfake_cuda.so")
from wheel import PACKAGE, Producer, hr, load, numbers, numpy, tensor

GPU = (2, 0)
LEGACY = 1


def host(made):
    """The numbers of a tensor on the GPU, whose memory is the CPU's."""
    made._device = (1, 0)
    return numbers(made)


def make_inputs(device=GPU):
    return Producer(tensor([1, 2, 3], (1, 3), device=device)), Producer(tensor([2], (), "int64", device=device))


class Devices(unittest.TestCase):
    def test_the_gpu_comes_first_and_needs_no_trust(self):
        self.assertEqual(hr.load(PACKAGE).device, "cuda:0")
        self.assertEqual(hr.load(PACKAGE, device="cpu", trust=True).device, "cpu")

    def test_the_cpu_is_taken_where_there_is_no_gpu(self):
        del os.environ["HIDET_FAKE_GPU"]
        try:
            self.assertEqual(hr.load(PACKAGE, trust=True).device, "cpu")
            with self.assertRaises(hr.Error) as raised:
                hr.load(PACKAGE)
            self.assertEqual(raised.exception.status, hr.Status.NOT_TRUSTED)
        finally:
            os.environ["HIDET_FAKE_GPU"] = "1"

    def test_another_failure_of_the_gpu_is_told(self):
        with self.assertRaises(hr.Error) as raised:
            load(words=b"fail create 1\n")
        self.assertEqual(raised.exception.status, hr.Status.OUT_OF_MEMORY)


class Streams(unittest.TestCase):
    def test_without_a_stream_results_are_there_when_the_call_returns(self):
        x, k = make_inputs()
        scaled, _rows = load()(x, k)
        self.assertEqual(x.asked, [{"max_version": (1, 0), "stream": LEGACY}])
        self.assertEqual((scaled.device, scaled._stream, host(scaled)), ("cuda:0", None, [2, 4, 6]))

    def test_arrays_make_their_work_ready_for_the_stream_that_is_named(self):
        for stream, handle in ((77, 77), (0, LEGACY), (types.SimpleNamespace(cuda_stream=5), 5), (types.SimpleNamespace(ptr=6), 6),
                               (types.SimpleNamespace(__cuda_stream__=lambda: (0, 8)), 8)):
            x, k = make_inputs()
            scaled, _rows = load()(x, k, stream=stream)
            self.assertEqual((x.asked[0]["stream"], scaled._stream), (handle, handle))

    def test_what_is_no_stream_is_a_type_error(self):
        with self.assertRaisesRegex(TypeError, "a stream is a handle"):
            load()(*make_inputs(), stream="default")

    def test_inputs_live_until_the_next_call_while_their_stream_works(self):
        x, k = make_inputs()
        model = load()
        model(x, k, stream=7)
        self.assertTrue(any(each is x for each in model._kept))
        model(*make_inputs())
        self.assertEqual(model._kept, [])

    def test_who_takes_a_result_into_another_stream_waits_for_it(self):
        made = ctypes.c_void_p()
        with hr._tensor._cuda._Current(0) as driver:
            driver.cuStreamCreateWithPriority(ctypes.byref(made), 0, 0)
        scaled, _rows = load()(*make_inputs(), stream=made.value)
        scaled.__dlpack__(stream=-1)
        scaled.__dlpack__(stream=made.value)
        self.assertEqual(scaled._stream, made.value)
        scaled.__dlpack__(stream=77)
        self.assertEqual(scaled._stream, None)

    def test_inputs_on_the_cpu_give_results_there(self):
        scaled, _rows = load()(*make_inputs(device=(1, 0)))
        self.assertEqual((scaled.device, numbers(scaled)), ("cpu", [2, 4, 6]))

    def test_a_tensor_on_the_gpu_is_not_read_as_bytes(self):
        scaled, _rows = load()(*make_inputs())
        for use in (scaled.tobytes, scaled.numpy):
            with self.assertRaises(BufferError):
                use()
        self.assertFalse(hasattr(scaled, "__array_interface__"))

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_numpy_arrays_go_to_the_gpu_and_back(self):
        scaled, _rows = load()(numpy.ones((1, 3), "f4"), numpy.array(2))
        self.assertEqual(scaled.tolist(), [[2, 2, 2]])


class TorchTensor:
    """As much of torch.Tensor as the wheel asks for."""

    def __init__(self, source, requires_grad=False, is_contiguous=True):
        self._source, self.requires_grad, self._is_contiguous = source, requires_grad, is_contiguous
        self.asked, self.shape = [], source.shape
        self.is_cuda = source.__dlpack_device__()[0] == 2

    def detach(self):
        return TorchTensor(self._source, False, self._is_contiguous)

    def is_contiguous(self):
        return self._is_contiguous

    def contiguous(self):
        return TorchTensor(self._source, self.requires_grad)

    def data_ptr(self):
        return self._source._view.data

    def __dlpack_device__(self):
        return self._source.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        if self.requires_grad or not self._is_contiguous:
            raise BufferError("this cannot be exported")
        TorchTensor.streams.append(stream)
        return self._source.__dlpack__()

    streams = []


def make_torch():
    torch = types.ModuleType("torch")
    torch.Tensor, torch.float32, torch.int64 = TorchTensor, "float32", "int64"
    torch.empty = lambda shape, dtype, device: TorchTensor(hr.Tensor(tuple(shape), dtype, GPU if device == "cuda:0" else (1, 0)))
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: torch.current)
    torch.current = 0
    return torch


class Torch(unittest.TestCase):
    def setUp(self):
        sys.modules["torch"] = self.torch = make_torch()
        self.addCleanup(sys.modules.pop, "torch")
        TorchTensor.streams.clear()

    def make_inputs(self, device=GPU, **options):
        return (TorchTensor(tensor([1, 2, 3], (1, 3), device=device), **options), TorchTensor(tensor([2], (), "int64", device=device)))

    def test_tensors_give_tensors_on_the_current_stream(self):
        for current, handle in ((0, LEGACY), (9, 9)):
            self.torch.current = current
            scaled, rows = load()(*self.make_inputs())
            self.assertIsInstance(rows, TorchTensor)
            self.assertEqual((scaled.is_cuda, host(scaled._source)), (True, [2, 4, 6]))
            self.assertEqual(TorchTensor.streams, [handle, handle])
            TorchTensor.streams.clear()

    def test_tensors_with_gradients_or_strides_are_taken(self):
        scaled, _rows = load()(*self.make_inputs(requires_grad=True, is_contiguous=False))
        self.assertEqual(host(scaled._source), [2, 4, 6])

    def test_tensors_on_the_cpu_give_tensors_there(self):
        scaled, _rows = load()(*self.make_inputs(device=(1, 0)))
        self.assertEqual((scaled.is_cuda, numbers(scaled._source)), (False, [2, 4, 6]))

    def test_a_model_on_the_cpu_takes_them_too(self):
        scaled, _rows = load(device="cpu")(*self.make_inputs(device=(1, 0)))
        self.assertEqual((scaled.is_cuda, numbers(scaled._source)), (False, [2, 4, 6]))


unittest.main()
