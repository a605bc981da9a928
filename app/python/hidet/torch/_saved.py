# SPDX-License-Identifier: Apache-2.0
"""What aot_compile() of torch.compile makes, as a file.

A file has PyTorch's guards and wrappers, and of each graph its parts as ATen: no weights, which the caller's module has, and no machine
code. At the first call after loading each part is compiled with the weights that it is given, which our cache of kernels makes short."""

import copy
import hashlib
import pickle
import tempfile
from contextlib import contextmanager

import torch
from torch._dynamo.aot_compile_types import BundledAOTAutogradSerializableCallable
from torch._inductor.output_code import OutputCode
from torch._inductor.runtime.cache_dir_utils import temporary_cache_dir
from torch._subclasses import FakeTensorMode
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.compiler._cache import CacheArtifactManager
from torch.fx._graph_pickler import GraphPickler, Options
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from hidet.torch._part import Called, Part

HEADER = b"hidet graphs 1\n"  # the number changes with what is in a file


class Code(OutputCode):
    """A compiled graph, as AOTAutograd saves it: one module or, while it is in a file, its bytes."""

    def __init__(self, module):
        super().__init__()
        self._boxed_call = True
        self._module = module
        self._bytes = None

    def __call__(self, inputs):
        return self._module(*inputs)

    def prepare_for_serialization(self):
        if self._module is None:
            return
        try:
            with unset_fake_temporarily():  # constants have data
                self._bytes, self._module = _bytes_of(self._module), None
        except Exception as error:
            raise RuntimeError(f"hidet cannot save this function: {error}") from error

    def post_compile(self, example_inputs, constants, graph_kwargs):
        if self._module is None:
            self._module = _module_of(self._bytes)

    def set_triton_bundle(self, triton_bundle):
        pass


class SavedFunction(BundledAOTAutogradSerializableCallable):
    """All graphs of one call of aot_compile(), behind a header and a checksum."""

    @classmethod
    def serialize_compile_artifacts(cls, fn):
        content = super().serialize_compile_artifacts(fn)
        return HEADER + hashlib.sha256(content).digest() + content

    @classmethod
    def deserialize_compile_artifacts(cls, data):
        digest, content = data[len(HEADER):][:32], data[len(HEADER) + 32:]
        if not data.startswith(HEADER):
            raise RuntimeError("hidet cannot load this function: another version of hidet has saved it")
        if hashlib.sha256(content).digest() != digest:
            raise RuntimeError("hidet cannot load this function: the file is damaged")
        try:
            return super().deserialize_compile_artifacts(content)
        except Exception as error:
            raise RuntimeError(f"hidet cannot load this function: {error}") from error


@contextmanager
def nothing_shared():
    """AOTAutograd makes what can be saved on its way to a cache of its own, whose keys say nothing of backends: what Inductor made of
    the same graph must not be taken, nor ours by Inductor."""
    with tempfile.TemporaryDirectory() as folder, temporary_cache_dir(folder), CacheArtifactManager.with_fresh_cache():
        yield


def _bytes_of(module):
    parts = {name: each.part for name, each in module.named_children() if isinstance(each, Called)}
    plain = _stripped(module)
    for name, child in module.named_children():
        setattr(plain, name, _stripped(parts[name].module if name in parts else child, keeps_values=True))
    graph = GraphPickler.dumps(plain, Options(ops_filter=None))
    return pickle.dumps((_needs_gpu(plain), graph, {name: part.recipe for name, part in parts.items()}))


def _needs_gpu(module):
    values = [node.meta.get("val") for child in module.children() for node in child.graph.nodes]
    return any(isinstance(each, torch.Tensor) and each.is_cuda for each in values)


def _stripped(module, keeps_values=False):
    """A copy of a graph, with what Hidet reads of its nodes."""
    plain = torch.fx.GraphModule(module, copy.deepcopy(module.graph))
    plain.meta = {}
    for node in plain.graph.nodes:
        node.meta = {"val": node.meta["val"]} if keeps_values and "val" in node.meta else {}
    return plain


def _module_of(data):
    needs_gpu, graph, recipes = pickle.loads(data)
    if needs_gpu and not torch.cuda.is_available():
        raise RuntimeError("it is for a GPU, and there is none")
    module = GraphPickler.loads(graph, FakeTensorMode(shape_env=ShapeEnv()))
    for child in module.children():
        child.recompile()
    for name, recipe in recipes.items():
        setattr(module, name, Called(Part(getattr(module, name), **recipe)))
    module.recompile()
    return module
