# SPDX-License-Identifier: Apache-2.0
"""Calls of built modules on a GPU: over a driver that hands each launch to this file."""

import ctypes
import json
import os
import tempfile
import unittest

import hidet
import tvm_ffi
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


class Launch(ctypes.Structure):  # FakeCudaLaunch
    _fields_ = [("kernel", ctypes.c_char_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("cluster", ctypes.c_uint * 3),
                ("dynamic_shared", ctypes.c_uint), ("is_cooperative", ctypes.c_bool), ("is_programmatic", ctypes.c_bool),
                ("count", ctypes.c_size_t), ("parameters", ctypes.POINTER(ctypes.c_void_p)), ("bytes", ctypes.POINTER(ctypes.c_size_t))]

    def number(self, index, kind):
        return ctypes.cast(self.parameters[index], ctypes.POINTER(kind))[0]

    def floats(self, index):
        return ctypes.cast(self.number(index, ctypes.c_uint64), ctypes.POINTER(ctypes.c_float))


driver = ctypes.CDLL(os.environ["HIDET_LIBCUDA"])
BODY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Launch), ctypes.c_void_p)


def scale():
    n = hidet.symbol_var("n")
    with hidet.script_module() as module:

        @hidet.script
        def scale(x: f32[n], y: f32[n], factor: f32):
            attrs.cuda.block_dim = 64
            attrs.cuda.grid_dim = (n + 63) // 64
            at = blockIdx.x * 64 + threadIdx.x
            if at < n:
                y[at] = factor * x[at]

    return module.build()


class Launches(unittest.TestCase):
    def setUp(self):
        self.launches = []

        def scaled(launch, _):
            launch = launch.contents
            names = [int(launch.number(i, ctypes.c_int32)) for i in range(3, launch.count)]
            self.launches.append((launch.grid[0], names[-1:]))
            x, y, factor = launch.floats(0), launch.floats(1), launch.number(2, ctypes.c_float)
            for i in range(names[0]):
                y[i] = x[i] * factor

        self.body = BODY(scaled)
        driver.fake_cuda_on_launch(self.body, None)

    def tearDown(self):
        driver.fake_cuda_on_launch(None, None)

    def check(self, module, n, factor, as_dlpack):
        x, y = hidet.randn([n]).cuda(), hidet.zeros([n]).cuda()
        given = [tvm_ffi.from_dlpack(each) if as_dlpack else each for each in (x, y)]
        module(*given, factor)
        want = [a * factor for a in x.cpu().tolist()]
        for a, b in zip(y.cpu().tolist(), want, strict=True):
            self.assertAlmostEqual(a, b, places=5)
        self.assertEqual(self.launches.pop()[0], (n + 63) // 64)

    def test_calls_that_come_again_have_the_shapes_and_numbers_and_memory_of_their_own(self):
        module = scale()
        for as_dlpack in False, True:
            for n, factor in [(5, 2.0), (300, 0.5), (5, 2.0), (5, 3.0), (5, 2.0), (300, 0.5), (300, 0.5), (5, 3.0), (5, 2), (5, 2)]:
                self.check(module, n, factor, as_dlpack)

    def test_a_capture_has_what_was_launched_and_in_which_stream(self):
        module, x, y = scale(), hidet.ones([4]).cuda(), hidet.zeros([4]).cuda()
        first, second = hidet.cuda.Stream(), hidet.cuda.Stream()
        with tempfile.TemporaryDirectory() as home:
            with hidet.capture(os.path.join(home, "kept")):
                for stream in (hidet.cuda.default_stream(), second, first, second):
                    with hidet.cuda.stream(stream):
                        module(x, y, 2.0)
            with open(os.path.join(home, "kept", "capture.json"), encoding="utf-8") as file:
                calls = json.load(file)["calls"]
            with open(os.path.join(home, "kept", "versions.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["gpu"], "Fake GPU")
        self.assertEqual([each["stream"] for each in calls], ["default", 1, 2, 1])
        self.assertEqual(len(self.launches), 4)

    def test_what_the_host_writes_to_a_tensor_is_seen_by_the_next_call(self):
        module = scale()
        x, y = hidet.zeros([4]).cuda(), hidet.zeros([4]).cuda()
        for round in range(6):
            x[1] = float(round)
            module(x, y, 2.0)
            self.assertEqual(y.cpu().tolist(), [0.0, 2.0 * round, 0.0, 0.0])

    def test_what_others_write_to_an_empty_tensor_is_seen(self):
        module = scale()
        x = hidet.empty([4])
        ctypes.memmove(ctypes.c_void_p(tvm_ffi.from_dlpack(x).data_ptr()), (ctypes.c_float * 4)(1, 2, 3, 4), 16)
        y = hidet.zeros([4]).cuda()
        module(x.cuda(), y, 2.0)
        self.assertEqual(y.cpu().tolist(), [2.0, 4.0, 6.0, 8.0])

    def test_a_number_in_a_tensor_is_read_at_each_call(self):
        module = scale()
        x, y = hidet.ones([4]).cuda(), hidet.zeros([4]).cuda()
        for round in range(6):
            module(x, y, hidet.full([], float(round), dtype="float32").cuda())
            self.assertEqual(y.cpu().tolist(), [float(round)] * 4)

    def test_wrong_arguments_are_refused_at_any_call(self):
        module = scale()
        x, y = hidet.ones([4]).cuda(), hidet.zeros([4]).cuda()
        for _ in range(4):
            module(x, y, 2.0)
        with self.assertRaisesRegex(TypeError, "3"):
            module(x, y)
        with self.assertRaisesRegex(Exception, "float32"):
            module(x, hidet.zeros([4], dtype="int32").cuda(), 2.0)
        with self.assertRaisesRegex(Exception, "'n'"):
            module(x, hidet.zeros([5]).cuda(), 2.0)

    def test_what_the_driver_refuses_is_raised_as_at_the_first_call(self):
        module = scale()
        x, y = hidet.ones([4]).cuda(), hidet.zeros([4]).cuda()
        said = []
        for calls in 0, 4:
            for _ in range(calls):
                module(x, y, 2.0)
            driver.fake_cuda_set(b"fail=cuLaunchKernelEx:1:701")
            with self.assertRaises(RuntimeError) as raised:
                module(x, y, 2.0)
            said.append(str(raised.exception))
        self.assertIn("scale", said[0])
        self.assertIn(said[1], said[0])


class Graphs(unittest.TestCase):
    def setUp(self):
        def doubled(launch, _):
            x, y = launch.contents.floats(0), launch.contents.floats(2)
            for i in range(8):
                y[i] = 2 * x[i]

        self.body = BODY(doubled)
        driver.fake_cuda_on_launch(self.body, None)

    def tearDown(self):
        driver.fake_cuda_on_launch(None, None)

    def test_a_graph_runs_on_tensors_where_they_lie_in_a_few_places(self):
        symbol = hidet.symbol([2, 4], device="cuda")
        graph = hidet.trace_from(symbol * 2.0, symbol).build().cuda_graph()
        inputs = [hidet.full([2, 4], float(i + 1), device="cuda") for i in range(3)]
        results = [hidet.zeros([2, 4], device="cuda") for _ in range(3)]
        for scale in 1.0, 3.0:
            for i in range(3):
                self.assertEqual(graph.run_into(2, inputs[i], results[i]) != 0, i < 2)
                self.assertEqual(results[i].cpu().tolist(), [[scale * 2.0 * (i + 1) if i < 2 else 0.0] * 4] * 2)
                inputs[i][:] = inputs[i].cpu().tolist()[0][0] * 3.0  # the host's, which is uploaded
        self.assertFalse(graph.run_into(4, inputs[0], hidet.zeros([4, 2], device="cuda")))
        self.assertTrue(graph.run_into(4, inputs[2], results[0]))
        self.assertEqual(results[0].cpu().tolist(), [[54.0] * 4] * 2)
        self.assertEqual(graph.run(inputs[0])[0].cpu().tolist(), [[18.0] * 4] * 2)
        with self.assertRaisesRegex(Exception, "1 inputs and 1 results"):
            graph.run_into(4, inputs[0])

    def test_a_graph_that_nobody_used_for_long_makes_room_for_another(self):
        symbol = hidet.symbol([2, 4], device="cuda")
        graph = hidet.trace_from(symbol * 2.0, symbol).build().cuda_graph()
        inputs = [hidet.full([2, 4], float(i + 1), device="cuda") for i in range(3)]
        results = [hidet.zeros([2, 4], device="cuda") for _ in range(3)]
        old, kept = [graph.run_into(2, inputs[i], results[i]) for i in range(2)]
        self.assertEqual(graph.run_into(2, inputs[2], results[2]), 0)
        for _ in range(20):
            self.assertTrue(graph.run_at(kept))
        self.assertNotIn(graph.run_into(2, inputs[2], results[2]), (0, old, kept))
        self.assertEqual(results[2].cpu().tolist(), [[6.0] * 4] * 2)
        self.assertFalse(graph.run_at(old))
        self.assertTrue(graph.run_at(kept))

    def test_a_result_in_the_place_of_an_input_is_there_after_each_run(self):
        symbol = hidet.symbol([2, 4], device="cuda")
        for results in ([symbol * 2.0], [symbol * 2.0, symbol.reshape([8])]):  # which reads it: that takes a copy
            compiled = hidet.trace_from(results, symbol, in_place={0: 0}).build()
            is_there = len(results) == 1
            given = hidet.full([2, 4], 1.0, device="cuda")
            compiled(given)
            self.assertEqual(given.cpu().tolist(), [[2.0] * 4] * 2)
            graph = compiled.cuda_graph()
            self.assertEqual(dict(graph.in_place), {0: 0} if is_there else {})
            if is_there:
                number = graph.run_into(4, given, given)
                self.assertEqual(given.cpu().tolist(), [[4.0] * 4] * 2)
                self.assertTrue(graph.run_at(number))
                self.assertEqual(given.cpu().tolist(), [[8.0] * 4] * 2)
                given[:] = 1.0
                self.assertFalse(graph.run_at(number))  # the host's, which run_into() uploads
                self.assertEqual(graph.run_into(4, given, given), number)
                self.assertEqual(given.cpu().tolist(), [[2.0] * 4] * 2)

    def test_results_that_are_inputs_or_one_another_are_filled_at_every_run(self):
        symbol = hidet.symbol([2, 4], device="cuda")
        doubled = symbol * 2.0
        traced = [doubled, symbol.reshape([8]), doubled, doubled.reshape([4, 2])]
        graph = hidet.trace_from(traced, symbol).build().cuda_graph()
        for value in 1.0, 2.0, 5.0:
            given = hidet.full([2, 4], value, device="cuda")
            results = [hidet.zeros(each.shape, device="cuda") for each in traced]
            self.assertTrue(graph.run_into(8, given, *results))
            for index, factor in enumerate([2, 1, 2, 2]):
                self.assertEqual(results[index].cpu().reshape([8]).tolist(), [factor * value] * 8, index)


class Tensor(ctypes.Structure):  # DLManagedTensor
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Nothing:
    """A tensor of another library without elements, which is at no address."""

    def __init__(self, *shape):
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.tensor = Tensor(None, (2, 0), len(shape), 2, 32, 1, self.shape, None, 0, None, None)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return capsule(ctypes.addressof(self.tensor), b"dltensor", None)


class Borrowed(unittest.TestCase):
    def test_a_kernel_takes_a_tensor_without_elements_that_is_nowhere(self):
        nothing, symbol = Nothing(0, 4), hidet.symbol([0, 4], device="cuda")
        total = hidet.trace_from(hidet.ops.sum(symbol, [0, 1]), symbol).build()
        self.assertEqual(total(hidet.from_dlpack(nothing)).shape, ())


class Devices(unittest.TestCase):
    def test_the_device_is_what_its_driver_says(self):
        self.assertTrue(hidet.cuda.available())
        self.assertEqual(hidet.cuda.device_count(), 1)
        free, total = hidet.cuda.memory_info()
        self.assertTrue(0 < free <= total)
        self.assertEqual(hidet.cuda.properties().name, "Fake GPU")
        self.assertEqual(hidet.cuda.capability().maxThreadsPerBlock, 1024)
        with self.assertRaisesRegex(ValueError, "device 0, not on 1"):
            hidet.cuda.set_device(1)
        with self.assertRaisesRegex(ValueError, "device 0, not on 2"):
            hidet.cuda.Stream(device=2)

    def test_what_is_computed_in_a_stream_goes_there(self):
        stream, before = hidet.cuda.Stream(priority=-1), hidet.cuda.current_stream()
        with hidet.cuda.stream(stream) as entered:
            self.assertIs(entered, stream)
            self.assertIs(hidet.cuda.current_stream(), stream)
            with hidet.cuda.stream(hidet.cuda.default_stream()):
                self.assertEqual(hidet.cuda.current_stream().handle(), 0)
            self.assertIs(hidet.cuda.current_stream(), stream)
        self.assertEqual(hidet.cuda.current_stream(), before)
        self.assertNotEqual(stream, before)

    def test_events_measure_what_is_between_them(self):
        scaled = scale()
        x, y = hidet.ones([64], device="cuda"), hidet.empty([64], device="cuda")
        start, end = hidet.cuda.Event(enable_timing=True), hidet.cuda.Event(enable_timing=True)
        body = BODY(lambda launch, _: None)
        driver.fake_cuda_on_launch(body, None)
        start.record()
        scaled(x, y, 2.0)
        end.record()
        end.synchronize()
        driver.fake_cuda_on_launch(None, None)
        self.assertGreater(end.elapsed_time(start), 0)
        hidet.cuda.current_stream().wait_event(end)
        with self.assertRaisesRegex(RuntimeError, "enable_timing=True"):
            hidet.cuda.Event().elapsed_time(start)

    def test_memory_is_filled_copied_and_given_back(self):
        there, here = hidet.cuda.malloc(64), hidet.cuda.malloc_host(64)
        used = hidet.cuda.memory_info()[0]
        hidet.cuda.memset(there, 7, 64)
        hidet.cuda.memcpy(here, there, 64)
        self.assertEqual(ctypes.string_at(here, 64), b"\7" * 64)
        hidet.cuda.free(there)
        hidet.cuda.free_host(here)
        self.assertGreater(hidet.cuda.memory_info()[0], used)
        with self.assertRaisesRegex(RuntimeError, "free"):
            hidet.cuda.free(there)
        hidet.runtime.storage.current_memory_pool("cuda").clear()
        with self.assertRaisesRegex(ValueError, "no device 'tpu'"):
            hidet.runtime.storage.current_memory_pool("tpu")


if __name__ == "__main__":
    unittest.main()
