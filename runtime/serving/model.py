# SPDX-License-Identifier: Apache-2.0
"""Serves the package beside this file in NVIDIA Triton Inference Server, by the wheel hidet_runtime."""

import json
import os

import hidet_runtime as hr
import numpy as np
import triton_python_backend_utils as pb_utils

PACKAGE = "model.hidet"
MOST_REQUESTS = 32  # that one run computes
TYPES = {"bool": "TYPE_BOOL", "int8": "TYPE_INT8", "int16": "TYPE_INT16", "int32": "TYPE_INT32", "int64": "TYPE_INT64",
         "uint8": "TYPE_UINT8", "uint16": "TYPE_UINT16", "uint32": "TYPE_UINT32", "uint64": "TYPE_UINT64", "float16": "TYPE_FP16",
         "bfloat16": "TYPE_BF16", "float32": "TYPE_FP32", "float64": "TYPE_FP64"}
WITHOUT_NUMPY = ("bfloat16",)  # the server has no NumPy arrays of it


def parameter(config, name, otherwise=""):
    return config.get("parameters", {}).get(name, {}).get("string_value", otherwise)


def entry_of(config, path):
    """What the package says of the entry that is served."""
    name = parameter(config, "entry")
    return next(entry for entry in hr.Package(path).describe()["entries"] if name in ("", entry["name"]))


def is_batched(entry):
    """Whether the first of several dimensions of everything is one and the same, and open."""
    values = entry["inputs"] + entry["outputs"]
    firsts = {value["dimensions"][0] if len(value["shape"]) > 1 and value["shape"][0] == -1 else None for value in values}
    return len(firsts) == 1 and None not in firsts


def dims_of(value, batched):
    """The server has no arrays without dimensions, so those have one element; it adds the dimension of a batch itself."""
    return value["shape"][1:] if batched else value["shape"] or [1]


class Borrowed:
    """A tensor of the server, for who knows DLPack."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, **_):
        return self._tensor.to_dlpack()


class TritonPythonModel:
    @staticmethod
    def auto_complete_config(auto_complete_model_config):
        """Fills in what config.pbtxt does not say."""
        config = auto_complete_model_config.as_dict()
        entry = entry_of(config, os.path.join(os.path.dirname(os.path.abspath(__file__)), PACKAGE))
        batched = is_batched(entry)
        has_none = not config.get("input") and not config.get("output")
        if has_none:
            auto_complete_model_config.set_max_batch_size(MOST_REQUESTS if batched else 0)
            if batched:
                auto_complete_model_config.set_dynamic_batching()
        else:
            batched = config.get("max_batch_size", 0) > 0
        for value in entry["inputs"]:
            auto_complete_model_config.add_input({"name": value["name"], "data_type": TYPES[value["dtype"]], "dims": dims_of(value, batched)})
        for value in entry["outputs"]:
            auto_complete_model_config.add_output({"name": value["name"], "data_type": TYPES[value["dtype"]], "dims": dims_of(value, batched)})
        return auto_complete_model_config

    def initialize(self, args):
        config = json.loads(args["model_config"])
        path = os.path.join(args["model_repository"], args["model_version"], PACKAGE)
        on_gpu = args["model_instance_kind"] == "GPU"
        device = f"cuda:{args['model_instance_device_id']}" if on_gpu else "cpu"
        trust = parameter(config, "trust") == "yes"
        try:
            self.model = hr.load(path, trust=trust, device=device, entry=parameter(config, "entry") or None,
                                 threads=int(parameter(config, "threads", "0")))
        except hr.Error as error:
            hint = "; parameter 'trust' of config.pbtxt allows it: \"yes\"" if error.status == hr.Status.NOT_TRUSTED and not trust else ""
            raise pb_utils.TritonModelException(f"{error}{hint}") from error
        self.batched = config.get("max_batch_size", 0) > 0
        values = self.model.inputs + self.model.outputs
        self.uses_numpy = all(value.dtype not in WITHOUT_NUMPY for value in values)

    def execute(self, requests):
        responses = [None] * len(requests)
        for group in self.groups(requests):
            results = self.run_together([requests[i] for i in group]) if len(group) > 1 else None
            for place, i in enumerate(group):
                responses[i] = results[place] if results else self.respond(requests[i])
        return responses

    def finalize(self):
        self.model.close()

    # ---- several requests in one run ----

    def groups(self, requests):
        """Indices of requests that one run can compute: of equal shapes but for their batches, on the CPU."""
        groups = {}
        for i, request in enumerate(requests):
            groups.setdefault(self.key_of(request) if self.batched and self.uses_numpy else i, []).append(i)
        for key, group in groups.items():
            if key is None:
                yield from ([i] for i in group)
            else:
                yield from (group[at : at + MOST_REQUESTS] for at in range(0, len(group), MOST_REQUESTS))

    def key_of(self, request):
        tensors = [pb_utils.get_input_tensor_by_name(request, value.name) for value in self.model.inputs]
        if any(tensor is None or not tensor.is_cpu() for tensor in tensors):
            return None
        arrays = [tensor.as_numpy() for tensor in tensors]
        batches = {array.shape[:1] for array in arrays}
        return tuple((array.dtype, array.shape[1:]) for array in arrays) if len(batches) == 1 else None

    def run_together(self, requests):
        """None: the run failed, and each is to be tried alone, so that only those that are wrong have errors."""
        inputs = [[pb_utils.get_input_tensor_by_name(request, value.name).as_numpy() for request in requests] for value in self.model.inputs]
        ends = np.cumsum([array.shape[0] for array in inputs[0]])
        try:
            results = self.compute([np.concatenate(arrays) for arrays in inputs])
        except Exception:
            return None
        pieces = [np.split(result, ends[:-1]) for result in results]
        return [self.response(request, [piece[i] for piece in pieces]) for i, request in enumerate(requests)]

    # ---- one request ----

    def respond(self, request):
        try:
            arrays = [self.array(request, value) for value in self.model.inputs]
            return self.response(request, self.compute(arrays))
        except Exception as error:
            return pb_utils.InferenceResponse(output_tensors=[], error=pb_utils.TritonError(str(error)))

    def array(self, request, value):
        tensor = pb_utils.get_input_tensor_by_name(request, value.name)
        if tensor is None:
            raise ValueError(f"input '{value.name}' is missing")
        if not value.shape:
            return tensor.as_numpy().reshape(())
        return tensor.as_numpy() if self.uses_numpy and tensor.is_cpu() else Borrowed(tensor)

    def compute(self, arrays):
        results = self.model(*arrays)
        return results if isinstance(results, tuple) else (results,)

    def response(self, request, results):
        wanted = set(request.requested_output_names())
        tensors = [self.tensor(value.name, result) for value, result in zip(self.model.outputs, results) if value.name in wanted]
        return pb_utils.InferenceResponse(output_tensors=tensors)

    @staticmethod
    def tensor(name, result):
        result = result if result.shape else result.reshape((1,))
        if isinstance(result, hr.Tensor):
            return pb_utils.Tensor.from_dlpack(name, result)
        return pb_utils.Tensor(name, np.ascontiguousarray(result))
