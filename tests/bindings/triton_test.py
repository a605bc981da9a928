# SPDX-License-Identifier: Apache-2.0
"""A package in NVIDIA Triton Inference Server: the repository that is written, and its model as the server drives it."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("numpy") is None:  # which the server brings
    print("NumPy is not installed")
    sys.exit(77)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["HIDET_FAKE_GPU"] = "1"
os.environ["HIDET_LIBCUDA"] = os.path.join(os.path.abspath(sys.argv[-1]), "bin", "libfake_cuda.so")
import numpy
from wheel import BUILD, PACKAGE, hr, numbers, tensor

from triton import Server, Tensor

ON_CPU = b"hidet fake package\ntargets cpu\n"


def array(name, numbers, dtype="f4"):
    return Tensor(name, numpy.array(numbers, dtype))


class Served(unittest.TestCase):
    def write(self, entry="", package=PACKAGE, name="served", description=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        inside = [os.path.join(folder.name, each) for each in ("description.json", "x.hidet")]
        with open(inside[0], "w", encoding="utf-8") as file:
            json.dump(description or hr.Package(package).describe(), file)
        with open(inside[1], "wb") as file:
            file.write(package)
        done = subprocess.run([os.path.join(BUILD, "bin", "make_repository"), name, entry, *inside, folder.name], capture_output=True, text=True)
        self.refusal = done.stdout
        return os.path.join(folder.name, name)

    def serve(self, entry="", package=PACKAGE, config=None, kind=None, **parameters):
        server = Server(self.write(entry, package), config, kind, **{"trust": "yes", **parameters})
        self.addCleanup(server.model.finalize)
        return server

    def numbers_of(self, response):
        self.assertFalse(response.has_error(), response.has_error() and response.error().message())
        return [each.as_numpy().tolist() for each in response.output_tensors()]


class Repository(Served):
    def test_it_has_what_the_server_wants(self):
        folder = self.write()
        files = {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}
        self.assertEqual(files, {"config.pbtxt", "1/model.py", "1/model.hidet"})
        with open(os.path.join(folder, "1/model.hidet"), "rb") as file:
            self.assertEqual(file.read(), PACKAGE)
        with open(os.path.join(folder, "..", "Containerfile"), encoding="utf-8") as file:
            self.assertIn("COPY served /models/served\n", file.read())

    def test_the_configuration_says_names_types_and_dimensions(self):
        config = self.serve().config
        self.assertEqual((config["name"], config["backend"], config["max_batch_size"]), ("served", "python", 0))
        self.assertEqual(config["input"], [{"name": "x", "data_type": "TYPE_FP32", "dims": [-1, 3]}, {"name": "k", "data_type": "TYPE_INT64", "dims": [1]}])
        self.assertEqual(config["instance_group"], [{"kind": "KIND_GPU", "count": 1}])
        self.assertEqual(self.serve(package=ON_CPU).config["instance_group"][0]["kind"], "KIND_CPU")

    def test_a_batch_is_no_part_of_the_dimensions(self):
        config = self.serve("rows").config
        self.assertEqual((config["max_batch_size"], config["dynamic_batching"]), (32, {}))
        self.assertEqual((config["input"][0]["dims"], config["output"][0]["dims"]), ([3], [3]))

    def test_every_type_has_its_name(self):
        types = [each["data_type"] for each in self.serve("same").config["input"]]
        self.assertEqual(types, ["TYPE_BOOL", "TYPE_INT8", "TYPE_INT16", "TYPE_INT32", "TYPE_INT64", "TYPE_UINT8", "TYPE_UINT16",
                                 "TYPE_UINT32", "TYPE_FP16", "TYPE_BF16", "TYPE_FP32", "TYPE_FP64"])

    def test_without_a_configuration_the_package_completes_it(self):
        for entry in ("", "same", "rows"):
            written = self.serve(entry).config
            parameters = {"entry": {"string_value": entry}}
            completed = self.serve(entry, config={"parameters": parameters}, kind="GPU").config
            for key in ("input", "output", "max_batch_size", "dynamic_batching"):
                self.assertEqual(completed.get(key), written.get(key), key)

    def test_what_cannot_be_served_is_refused(self):
        for name in ("", "a/b", "..", "a b", "-a"):
            self.write(name=name or "")
            self.assertTrue(self.refusal.startswith("serving-name: "), self.refusal)
        self.write("none")
        self.assertEqual(self.refusal, "serving-entry: the package has no entry 'none'\n")
        description = hr.Package(PACKAGE).describe()
        description["entries"][0]["inputs"][0]["dtype"] = "complex64"
        self.write(description=description)
        self.assertEqual(self.refusal, "serving-type: 'x' is complex64, which Triton Inference Server does not know\n")


class Requests(Served):
    def test_a_request_is_answered(self):
        for kind in ("CPU", "GPU"):
            server = self.serve(kind=kind)
            response, = server.execute([array("x", [[1, 2, 3]]), array("k", [2], "i8")])
            self.assertEqual(self.numbers_of(response), [[[2, 4, 6]], [1]])

    def test_only_the_outputs_that_are_asked_for_are_given(self):
        response, = self.serve().execute([array("x", [[1, 2, 3]]), array("k", [2], "i8")], outputs=["rows"])
        self.assertEqual([each.name() for each in response.output_tensors()], ["rows"])

    def test_inputs_come_in_any_order(self):
        response, = self.serve().execute([array("k", [2], "i8"), array("x", [[1, 2, 3]])])
        self.assertEqual(self.numbers_of(response)[0], [[2, 4, 6]])

    def test_errors_belong_to_their_request(self):
        good = [array("x", [[1, 2, 3]]), array("k", [2], "i8")]
        responses = self.serve().execute(good, [array("x", [[1, 2, 3]])], good)
        self.assertEqual([each.has_error() for each in responses], [False, True, False])
        self.assertEqual(responses[1].error().message(), "input 'k' is missing")

    def test_requests_are_computed_together(self):
        server, sizes = self.serve("rows"), []
        model = server.model.model

        class Counting:
            inputs, outputs, close = model.inputs, model.outputs, model.close

            def __call__(self, *arrays):
                sizes.append(arrays[0].shape[0])
                return model(*arrays)

        server.model.model = Counting()
        requests = [[array("a", [[i, 0, 0]] * (1 + i % 2))] for i in range(5)]
        for i, response in enumerate(server.execute(*requests)):
            self.assertEqual(self.numbers_of(response), [[[i, 0, 0]] * (1 + i % 2)])
        self.assertEqual(sizes, [7])

    def test_one_wrong_request_spoils_no_other(self):
        requests = [[array("a", [[first, 0, 0]])] for first in (1, -1, 3)]
        responses = self.serve("rows").execute(*requests)
        self.assertEqual([each.has_error() for each in responses], [False, True, False])
        self.assertEqual(responses[1].error().message(), "a row begins with a negative number")
        self.assertEqual(self.numbers_of(responses[2]), [[[3, 0, 0]]])

    def test_tensors_on_the_gpu_stay_there(self):
        inputs = [Tensor.from_dlpack("a", tensor([1, 2, 3], (1, 3), device=(2, 0)))]
        responses = self.serve("rows").execute(inputs, inputs)
        for response in responses:
            result = response.output_tensors()[0].source()
            self.assertEqual(result.device, "cuda:0")
            result._device = (1, 0)
            self.assertEqual(numbers(result), [1, 2, 3])

    def test_a_scalar_on_the_gpu_has_a_dimension_for_the_server(self):
        x = Tensor.from_dlpack("x", tensor([1, 2, 3], (1, 3), device=(2, 0)))
        response, = self.serve().execute([x, array("k", [2], "i8")])
        self.assertEqual([each.source().shape for each in response.output_tensors()], [(1, 3), (1,)])

    def test_bfloat16_goes_by_dlpack(self):
        dtypes = {"bool": "?", "bfloat16": None}
        inputs = []
        for value in hr.load(PACKAGE, device="cpu", trust=True, entry="same").inputs:
            if value.name == "bfloat16":
                inputs.append(Tensor.from_dlpack("bfloat16", tensor([0x3F80, 0x4000], (2,), "bfloat16")))
            else:
                inputs.append(array(value.name, [1, 0], dtypes.get(value.name, value.dtype)))
        for kind in ("CPU", "GPU"):
            response, = self.serve("same", kind=kind).execute(inputs)
            self.assertFalse(response.has_error(), response.has_error() and response.error().message())
            results = {each.name(): each.source() for each in response.output_tensors()}
            self.assertEqual((results["bfloat16"].dtype, results["bfloat16"].tobytes()), ("bfloat16", b"\x80\x3f\x00\x40"))
            self.assertEqual(numbers(results["float32"]), [1, 0])


class Instances(Served):
    def test_code_for_cpus_is_not_run_unless_that_is_allowed(self):
        with self.assertRaisesRegex(Exception, "parameter 'trust' of config.pbtxt allows it"):
            self.serve(package=ON_CPU, trust="no")
        self.assertEqual(self.serve(package=PACKAGE, trust="no").model.model.device, "cuda:0")

    def test_a_gpu_that_is_not_there_is_told(self):
        with self.assertRaisesRegex(Exception, "the package has no code for GPUs"):
            self.serve(package=ON_CPU, kind="GPU")

    def test_threads_and_entry_are_parameters(self):
        model = self.serve("rows", kind="CPU", threads="3").model.model
        self.assertEqual((model.runs_on, model.inputs[0].name), ("fake CPU, 3 threads", "a"))


unittest.main()
