# SPDX-License-Identifier: Apache-2.0
"""As much of NVIDIA Triton Inference Server as a model in Python meets: the module triton_python_backend_utils, the configuration,
requests, and the order in which the server calls. Tensors on the "GPU" are the wheel's own."""

import importlib.util
import json
import os
import re
import sys
import types

import numpy

from wheel import hr

NUMPY_TYPES = {"TYPE_FP32": "f4", "TYPE_FP64": "f8", "TYPE_FP16": "f2", "TYPE_BOOL": "?", "TYPE_UINT8": "u1", "TYPE_UINT16": "u2",
               "TYPE_UINT32": "u4", "TYPE_UINT64": "u8", "TYPE_INT8": "i1", "TYPE_INT16": "i2", "TYPE_INT32": "i4", "TYPE_INT64": "i8"}


class Tensor:
    def __init__(self, name, array):
        assert isinstance(array, numpy.ndarray) and array.flags.c_contiguous and array.dtype.name != "bfloat16"
        self._name, self._array, self._dlpack = name, array, None

    @staticmethod
    def from_dlpack(name, source):
        device = source.__dlpack_device__()
        capsule = source.__dlpack__() if device[0] == 1 else source.__dlpack__(1)
        assert '"dltensor"' in repr(capsule), "the server knows the old capsule only"
        made = Tensor.__new__(Tensor)
        made._name, made._array, made._dlpack = name, None, source
        return made

    def name(self):
        return self._name

    def is_cpu(self):
        return self._dlpack is None or self._dlpack.__dlpack_device__()[0] == 1

    def as_numpy(self):
        if self._array is None:
            if not self.is_cpu() or self._dlpack.dtype == "bfloat16":
                raise TritonModelException("this tensor has no NumPy array")
            return self._dlpack.numpy()
        return self._array

    def to_dlpack(self):
        return self._array.__dlpack__() if self._dlpack is None else self._dlpack.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0) if self._dlpack is None else self._dlpack.__dlpack_device__()

    def source(self):
        return self._dlpack


class TritonError:
    def __init__(self, message, code=None):
        self._message = message

    def message(self):
        return self._message


class TritonModelException(Exception):
    pass


class InferenceResponse:
    def __init__(self, output_tensors=(), error=None):
        self._tensors, self._error = list(output_tensors), error

    def output_tensors(self):
        return self._tensors

    def has_error(self):
        return self._error is not None

    def error(self):
        return self._error


class Request:
    def __init__(self, inputs, outputs):
        self._inputs, self._outputs = inputs, outputs

    def inputs(self):
        return self._inputs

    def requested_output_names(self):
        return self._outputs


class ModelConfig:
    """What auto_complete_config gets: it refuses what contradicts what is there."""

    def __init__(self, config):
        self._config = {"max_batch_size": 0, "input": [], "output": [], **config}

    def as_dict(self):
        return self._config

    def _add(self, role, value):
        for each in self._config[role]:
            if each["name"] == value["name"]:
                if (each["data_type"], each["dims"]) != (value["data_type"], value["dims"]):
                    raise ValueError(f"{role} '{value['name']}' is {each}, not {value}")
                return
        self._config[role].append(value)

    def add_input(self, value):
        self._add("input", value)

    def add_output(self, value):
        self._add("output", value)

    def set_max_batch_size(self, size):
        self._config["max_batch_size"] = size

    def set_dynamic_batching(self):
        self._config["dynamic_batching"] = {}


def install():
    module = types.ModuleType("triton_python_backend_utils")
    module.Tensor, module.InferenceResponse = Tensor, InferenceResponse
    module.TritonError, module.TritonModelException = TritonError, TritonModelException
    module.get_input_tensor_by_name = lambda request, name: next((each for each in request.inputs() if each.name() == name), None)
    sys.modules["triton_python_backend_utils"] = module


def read_config(path):
    """protobuf's text format, as far as config.pbtxt goes, as the server hands it on."""
    with open(path, encoding="utf-8") as file:
        words = re.findall(r'"(?:[^"\\]|\\.)*"|[\w.-]+|[{}\[\]:,]', re.sub(r"#[^\n]*", "", file.read()))
    at = 0

    def take():
        nonlocal at
        at += 1
        return words[at - 1]

    def message(end):
        made = {}
        while at < len(words) and words[at] != end:
            key = take()
            if words[at] == ":":
                take()
            made[key] = value()
            if at < len(words) and words[at] == ",":
                take()
        return made

    def value():
        word = take()
        if word == "{":
            made = message("}")
            take()
            return made
        if word == "[":
            made = []
            while words[at] != "]":
                made.append(value())
                if words[at] == ",":
                    take()
            take()
            return made
        if word.startswith('"'):
            return re.sub(r"\\(.)", r"\1", word[1:-1])
        return int(word) if re.fullmatch(r"-?\d+", word) else word

    config = message(None)
    config["parameters"] = {each["key"]: each["value"] for each in config.get("parameters", [])}
    return config


class Server:
    """One model of a repository, with one instance."""

    def __init__(self, folder, config=None, kind=None, **parameters):
        install()
        self.folder = folder
        self.config = read_config(os.path.join(folder, "config.pbtxt")) if config is None else config
        for name, text in parameters.items():
            self.config.setdefault("parameters", {})[name] = {"string_value": text}
        spec = importlib.util.spec_from_file_location("model", os.path.join(folder, "1", "model.py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        completed = module.TritonPythonModel.auto_complete_config(ModelConfig(self.config))
        self.config = completed.as_dict()
        self.model = module.TritonPythonModel()
        kind = kind or self.config["instance_group"][0]["kind"].removeprefix("KIND_")
        self.model.initialize({"model_config": json.dumps(self.config), "model_repository": folder, "model_version": "1",
                               "model_instance_kind": kind, "model_instance_device_id": "0", "model_instance_name": "served_0",
                               "model_name": os.path.basename(folder)})

    def check(self, inputs):
        """What the server itself refuses: other types and shapes than the configuration has."""
        for given in inputs:
            entry = next(each for each in self.config["input"] if each["name"] == given.name())
            if given._array is not None:
                shape = given._array.shape[1:] if self.config["max_batch_size"] else given._array.shape
                assert given._array.dtype == NUMPY_TYPES.get(entry["data_type"], "u2"), given.name()
                assert len(shape) == len(entry["dims"]) and all(d in (-1, s) for d, s in zip(entry["dims"], shape)), given.name()

    def execute(self, *requests, outputs=None):
        names = [each["name"] for each in self.config["output"]] if outputs is None else outputs
        for inputs in requests:
            self.check(inputs)
        responses = self.model.execute([Request(inputs, names) for inputs in requests])
        assert len(responses) == len(requests)
        return responses


__all__ = ["Server", "Tensor", "hr"]
