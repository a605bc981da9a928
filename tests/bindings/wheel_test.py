# SPDX-License-Identifier: Apache-2.0
"""The wheel hidet_runtime on the CPU: calls, results, errors, lifetimes. Parts that want NumPy are skipped without it."""

import base64
import gc
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wheel import BUILD, CPU, PACKAGE, WHEEL, Producer, hr, load, numbers, numpy, tensor

needs_numpy = unittest.skipIf(numpy is None, "NumPy is not installed")
SAME = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "float64"]


class Calls(unittest.TestCase):
    def test_arrays_of_dlpack_give_tensors(self):
        scaled, rows = load()(tensor([1, 2, 3], (1, 3)), tensor([5], (), "int64"))
        self.assertEqual((scaled.shape, scaled.dtype, scaled.device), ((1, 3), "float32", "cpu"))
        self.assertEqual((numbers(scaled), numbers(rows, "q")), ([5, 10, 15], [1]))

    def test_old_arrays_of_dlpack_are_taken(self):
        x = Producer(tensor([1, 2, 3], (1, 3)), is_old=True)
        model = load()
        for _ in range(2):
            scaled, _rows = model(x, tensor([2], (), "int64"))
        self.assertEqual((numbers(scaled), x.asked), ([2, 4, 6], [{}, {}]))

    def test_inputs_go_by_name_and_by_order(self):
        x, k, model = tensor([1, 2, 3], (1, 3)), tensor([2], (), "int64"), load()
        for call in (lambda: model(x, k=k), lambda: model(k=k, x=x), lambda: tuple(model.run({"k": k, "x": x}).values())):
            self.assertEqual(numbers(call()[0]), [2, 4, 6])
        self.assertEqual(list(model.run({"k": k, "x": x})), ["scaled", "rows"])

    def test_wrong_calls_are_type_errors_that_name_the_input(self):
        x, k, model = tensor([1, 2, 3], (1, 3)), tensor([2], (), "int64"), load()
        for call, message in ((lambda: model(x), "input 'k' is missing"),
                              (lambda: model(x, k, k), "the model takes 2 inputs, and 3 were given"),
                              (lambda: model(x, y=k), "the model has no input 'y'; it has x, k"),
                              (lambda: model(x, k, x=x), "input 'x' was given twice"),
                              (lambda: model([1.0], k), "input 'x' is of type list, which is no NumPy array and has no __dlpack__()"),
                              (lambda: model(x, k, out=[x]), "the model has 2 outputs, and 1 arrays were given for them")):
            with self.assertRaises(TypeError) as raised:
                call()
            self.assertEqual(str(raised.exception), message)

    def test_an_input_that_does_not_fit_is_refused_and_the_next_call_works(self):
        k, model = tensor([2], (), "int64"), load()
        with self.assertRaises(hr.Error) as raised:
            model(tensor([1, 2], (1, 2)), k)
        self.assertEqual((raised.exception.status, str(raised.exception)), (hr.Status.BAD_INPUT, "input 'x' has another shape"))
        self.assertEqual(numbers(model(tensor([1, 2, 3], (1, 3)), k)[0]), [2, 4, 6])

    def test_an_input_that_is_not_row_after_row_is_refused(self):
        x = tensor([1, 2, 3, 4, 5, 6], (2, 3))
        x._view.strides[0], x._view.strides[1] = 1, 2
        with self.assertRaisesRegex(hr.Error, "does not lie row after row"):
            load()(x, tensor([2], (), "int64"))

    def test_results_stay_as_they_are(self):
        k, model = tensor([2], (), "int64"), load()
        first = model(tensor([1, 2, 3], (1, 3)), k)[0]
        model(tensor([7, 8, 9], (1, 3)), k)
        model.close()
        self.assertEqual(numbers(first), [2, 4, 6])

    def test_results_go_into_memory_of_the_caller(self):
        out = (tensor([0, 0, 0], (1, 3)), tensor([0], (), "int64"))
        returned = load()(tensor([1, 2, 3], (1, 3)), tensor([2], (), "int64"), out=out)
        self.assertIs(returned[0], out[0])
        self.assertEqual((numbers(out[0]), numbers(out[1], "q")), ([2, 4, 6], [1]))
        with self.assertRaisesRegex(hr.Error, "another dtype or shape"):
            load()(tensor([1, 2, 3], (1, 3)), tensor([2], (), "int64"), out=(out[1], out[1]))

    def test_calls_of_one_model_take_turns_and_forks_do_not_wait(self):
        model, wrong = load(), []

        def work(mine, first):
            for i in range(200):
                scaled, _rows = mine(tensor([first, i, 1], (1, 3)), tensor([2], (), "int64"))
                if numbers(scaled) != [2 * first, 2 * i, 2]:
                    wrong.append((first, i))

        threads = [threading.Thread(target=work, args=(model if n % 2 else model.fork(), n)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Packages(unittest.TestCase):
    def test_a_model_says_what_it_takes_and_gives(self):
        model = load(threads=3)
        self.assertEqual(model.inputs, [("x", "float32", ("n", 3)), ("k", "int64", ())])
        self.assertEqual([output.name for output in model.outputs], ["scaled", "rows"])
        self.assertEqual((model.device, model.runs_on, model.memory.weights), ("cpu", "fake CPU, 3 threads", 4096))
        self.assertEqual(repr(model), "Model(x, k -> scaled, rows, cpu)")
        self.assertEqual(model.describe()["writer"], "a test")

    def test_steps_have_times(self):
        steps = load().profile(tensor([1, 2, 3], (1, 3)), tensor([2], (), "int64"))
        self.assertEqual(steps, [hr.Step("scale", 12.5)])

    def test_what_is_refused_is_an_error_with_its_status(self):
        for call, status in ((lambda: hr.load(PACKAGE), hr.Status.NOT_TRUSTED),
                             (lambda: hr.load("nowhere.hidet"), hr.Status.NO_FILE),
                             (lambda: hr.load(b"something that is no package"), hr.Status.DAMAGED),
                             (lambda: load("none"), hr.Status.BAD_ARGUMENT),
                             (lambda: load(device="cuda"), hr.Status.NO_DEVICE),
                             (lambda: load(words=b"fail open 3\n"), hr.Status.OTHER_VERSION),
                             (lambda: load(words=b"fail open 99\n"), 99),
                             (lambda: hr.Package(PACKAGE + b"fail verify 2\n").verify(), hr.Status.DAMAGED)):
            with self.assertRaises(hr.Error) as raised:
                call()
            self.assertEqual(raised.exception.status, status)

    def test_a_device_that_is_none_is_a_value_error(self):
        for device in ("gpu", "cuda:x", "cpu:0"):
            with self.assertRaises(ValueError):
                load(device=device)

    def test_a_package_is_read_from_a_file_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.hidet")
            with open(path, "wb") as file:
                file.write(PACKAGE)
            self.assertEqual(hr.load(path, trust=True).device, "cpu")

    def test_a_closed_model_says_so(self):
        with load() as model:
            pass
        for use in (lambda: model(tensor([1, 2, 3], (1, 3)), tensor([2], (), "int64")), lambda: model.memory, lambda: model.runs_on):
            with self.assertRaisesRegex(ValueError, "the model is closed"):
                use()

    def test_who_asks_for_a_signature_decides(self):
        signed, seen = PACKAGE + b"signature 0102ff\n", []
        hr.Package(signed, verify=lambda manifest, signature: seen.append((manifest, signature)) or True)
        self.assertEqual(seen, [(PACKAGE, b"\x01\x02\xff")])
        for package, verify in ((signed, lambda manifest, signature: False), (signed, lambda manifest: True), (PACKAGE, lambda *_: True)):
            with self.assertLogs("hidet_runtime", "DEBUG") as logs, self.assertRaises(hr.Error) as raised:
                hr._model._logger.debug("something")
                hr.Package(package, verify=verify)
            self.assertEqual(raised.exception.status, hr.Status.NOT_TRUSTED)
        self.assertEqual(len(logs.output), 1)

    def test_what_the_library_says_goes_to_the_log(self):
        with self.assertLogs("hidet_runtime", "INFO") as logs:
            hr.Package(PACKAGE)
        self.assertEqual(logs.output, ["INFO:hidet_runtime:opened a fake package"])


class Exchange(unittest.TestCase):
    def test_a_capsule_that_nobody_takes_frees_nothing_else(self):
        given = hr._tensor._dlpack._given
        made = tensor([1, 2], (2,))
        for version in (None, (1, 0), (1, 2), (0, 8)):
            capsule = made.__dlpack__(max_version=version)
            self.assertIn("dltensor_versioned" if version and version[0] else '"dltensor"', repr(capsule))
            self.assertEqual(len(given), 1)
            del capsule
            self.assertEqual(len(given), 0)
        self.assertEqual(numbers(made), [1, 2])

    def test_what_cannot_be_given_is_a_buffer_error(self):
        made = tensor([1, 2], (2,))
        for request in ({"stream": 1}, {"dl_device": (2, 0)}, {"copy": True}):
            with self.assertRaises(BufferError):
                made.__dlpack__(**request)
        made.__dlpack__(stream=None, dl_device=CPU, copy=False)

    def test_inputs_are_given_back_after_the_call(self):
        x, k = tensor([1, 2, 3], (1, 3)), tensor([2], (), "int64")
        load()(x, k)
        self.assertEqual(hr._tensor._dlpack._given, {})

    @needs_numpy
    def test_numpy_takes_tensors_without_a_copy_and_frees_them(self):
        given = hr._tensor._dlpack._given
        made = tensor([1, 2], (2,))
        array = numpy.from_dlpack(made)
        address = made._view.data
        del made
        gc.collect()
        self.assertEqual((array.tolist(), array.__array_interface__["data"][0]), ([1, 2], address))
        self.assertEqual(len(given), 1)
        del array
        self.assertEqual(len(given), 0)

    @needs_numpy
    def test_a_tensor_becomes_an_array_by_other_ways_too(self):
        made = tensor([1, 2], (2,))
        self.assertEqual((numpy.asarray(made).tolist(), made.numpy().tolist()), ([1, 2], [1, 2]))
        self.assertIn(tensor([16256], (1,), "bfloat16").numpy().dtype.name, ("bfloat16", "uint16"))


@needs_numpy
class Arrays(unittest.TestCase):
    def test_numpy_arrays_give_numpy_arrays(self):
        scaled, rows = load()(numpy.arange(6, dtype="f4").reshape(2, 3), numpy.array(3))
        self.assertEqual((scaled.tolist(), scaled.dtype, rows.shape, int(rows)), ([[0, 3, 6], [9, 12, 15]], "f4", (), 2))

    def test_arrays_of_any_order_are_taken(self):
        k, model = numpy.array(2), load()
        x = numpy.arange(6, dtype="f4").reshape(3, 2).T
        self.assertEqual(model(x, k)[0].tolist(), (2 * x).tolist())
        x = numpy.arange(12, dtype="f4").reshape(2, 6)[:, ::2]
        self.assertEqual(model(x, k)[0].tolist(), (2 * x).tolist())
        x = numpy.ones((2, 3), "f4")
        x.flags.writeable = False
        self.assertEqual(model(x, k)[0].tolist(), [[2, 2, 2], [2, 2, 2]])
        self.assertEqual(model(numpy.empty((0, 3), "f4"), k)[0].shape, (0, 3))

    def test_the_same_array_with_other_elements_is_read_again(self):
        x, model = numpy.ones((1, 3), "f4"), load()
        model(x, numpy.array(2))
        x[:] = 5
        self.assertEqual(model(x, numpy.array(2))[0].tolist(), [[10, 10, 10]])

    def test_other_dtypes_are_refused_by_name(self):
        for dtype in ("f8", ">f4", "U3"):
            with self.assertRaisesRegex(hr.Error, "input 'x' is float32, and the array is"):
                load()(numpy.zeros((1, 3), dtype), numpy.array(2))

    def test_every_dtype_comes_through(self):
        arrays = [numpy.array([0, 1, 1], "uint16" if name == "bfloat16" else name) for name in SAME]
        for name, given, got in zip(SAME, arrays, load("same")(*arrays)):
            self.assertEqual(got.tobytes(), given.tobytes(), name)
            self.assertEqual(got.dtype.name, name if name != "bfloat16" or importlib.util.find_spec("ml_dtypes") else "uint16")

    def test_bfloat16_is_two_bytes_of_any_kind(self):
        arrays = {name: numpy.ones(2, "uint16" if name == "bfloat16" else name) for name in SAME}
        arrays["bfloat16"] = numpy.array([0x3F80, 0x4000], "uint16").view("V2")
        self.assertEqual(load("same")(**arrays)[9].tobytes(), b"\x80\x3f\x00\x40")
        with self.assertRaises(hr.Error):
            load("same")(**{**arrays, "bfloat16": numpy.ones(2, "float16")})
        with self.assertRaises(hr.Error):
            load("same")(**{**arrays, "float16": numpy.ones(2, "uint16")})

    @unittest.skipUnless(importlib.util.find_spec("ml_dtypes"), "ml_dtypes is not installed")
    def test_bfloat16_of_ml_dtypes(self):
        import ml_dtypes

        arrays = {name: numpy.ones(2, "uint16" if name == "bfloat16" else name) for name in SAME}
        arrays["bfloat16"] = numpy.array([1, 2], ml_dtypes.bfloat16)
        got = load("same")(**arrays)[9]
        self.assertEqual((got.dtype, got.astype("f4").tolist()), (ml_dtypes.bfloat16, [1, 2]))

    def test_results_go_into_arrays_of_the_caller(self):
        out = [numpy.zeros((1, 3), "f4"), numpy.zeros((), "i8")]
        load()(numpy.ones((1, 3), "f4"), numpy.array(2), out=out)
        self.assertEqual((out[0].tolist(), int(out[1])), ([[2, 2, 2]], 1))
        for wrong in (numpy.zeros((1, 3), "f8"), numpy.zeros((3, 1), "f4"), numpy.zeros((1, 3), "f4")[:, ::-1]):
            with self.assertRaisesRegex(hr.Error, "the array for output 'scaled' has to be"):
                load()(numpy.ones((1, 3), "f4"), numpy.array(2), out=[wrong, out[1]])


class TheWheel(unittest.TestCase):
    def test_its_record_is_what_it_holds(self):
        with zipfile.ZipFile(WHEEL) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith("/RECORD"))
            rows = dict(line.split(",")[:2] for line in archive.read(record).decode().splitlines())
            self.assertEqual(sorted(rows), sorted(names))
            for name, digest in rows.items():
                own = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
                self.assertEqual(digest, "" if name == record else f"sha256={own}")
        self.assertIn("hidet_runtime/py.typed", names)
        self.assertEqual([name for name in names if name.endswith(".pyc")], [])

    def test_it_is_the_same_bytes_each_time(self):
        make = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "runtime", "python", "make_wheel.py")
        library = os.path.join(BUILD, "fake_runtime", "libhidet_runtime.so.1")
        version = os.path.basename(WHEEL).split("-")[1]
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, "-I", "-S", "-B", make, "--library", library, "--version", version, "--out", folder],
                                  check=True, capture_output=True, text=True).stdout.strip()
            with open(made, "rb") as one, open(WHEEL, "rb") as other:
                self.assertEqual(one.read(), other.read())

    def test_pip_installs_it_without_an_index(self):
        if importlib.util.find_spec("pip") is None:
            self.skipTest("pip is not installed")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-I", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder, WHEEL],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(os.path.exists(os.path.join(folder, "hidet_runtime", "libhidet_runtime.so.1")))


unittest.main()
