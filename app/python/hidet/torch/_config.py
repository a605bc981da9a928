# SPDX-License-Identifier: Apache-2.0
"""How graphs of PyTorch are compiled: by `mode` and `options` of torch.compile, and by dynamo_config for what they leave open."""

import itertools
import os
import warnings

import torch

import hidet
from hidet import HidetWarning

# mode -> search space, whether launches are captured as one graph of CUDA
MODES = {
    "default": (0, False),
    "reduce-overhead": (0, True),
    "max-autotune": (2, True),
    "max-autotune-no-cudagraphs": (2, False),
}


class DynamoConfig:
    """Settings of every graph that is compiled after them. Each setter gives the object, so that they can be chained."""

    def __init__(self):
        self.reset()

    def reset(self):
        """All as at first."""
        self._values = {"search_space": None, "use_cuda_graph": True, "use_tensor_core": None, "use_fp16": False,
                        "use_peer_kernels": True, "print_input_graph": False, "dump_graph_ir": None, "correctness_report": False}
        return self

    def __getitem__(self, name):
        return self._values[name]

    def _set(self, name, value):
        self._values[name] = value
        return self

    def _idle(self, name, why):
        warnings.warn(f"dynamo_config.{name} changes nothing: {why}", HidetWarning, stacklevel=3)
        return self

    def search_space(self, level=2):
        """0: the schedule that is predicted to be the fastest; 1 and 2: few or many of them are measured."""
        if level not in (0, 1, 2):
            raise ValueError(f"a search space is 0, 1 or 2, not {level!r}")
        return self._set("search_space", level)

    def use_tensor_core(self, flag=True):
        """Whether products of f32 may round their factors to tf32, as tensor cores do; at first as torch.backends.cuda.matmul.allow_tf32
        says. Those of f16 and bf16 use tensor cores anyway."""
        return self._set("use_tensor_core", bool(flag))

    def use_fp16(self, flag=True):
        """Whether f32 is computed in f16 where that is safe."""
        return self._set("use_fp16", bool(flag))

    def use_fp16_reduction(self, flag=True):
        """Warns where it is asked for: sums of f16 are taken in f32."""
        return self._idle("use_fp16_reduction", "sums of f16 are always taken in f32") if flag else self

    def use_attention(self, flag=True):
        """Warns where it is switched off: attention is always one operator."""
        return self if flag else self._idle("use_attention", "attention is always one operator")

    def use_cuda_graph(self, flag=True):
        """Whether a compiled graph's launches are captured as one, where torch.compile is given no mode; so it is at first."""
        return self._set("use_cuda_graph", bool(flag))

    def use_peer_kernels(self, flag=True):
        """Whether few elements are summed up over GPUs by kernels that reach the memory of the others; else NCCL does it."""
        return self._set("use_peer_kernels", bool(flag))

    def print_input_graph(self, flag=True):
        """Prints each graph that PyTorch gives."""
        return self._set("print_input_graph", bool(flag))

    def dump_graph_ir(self, output_dir):
        """Writes the graphs before and after optimisation below a folder."""
        return self._set("dump_graph_ir", str(output_dir))

    def correctness_report(self, flag=True):
        """Prints at each call by how much each compiled part differs from PyTorch."""
        return self._set("correctness_report", bool(flag))

    def steal_weights(self, flag=True):
        """Warns where it is asked for: weights are shared with PyTorch, and nothing would be freed."""
        return self._idle("steal_weights", "weights are shared with PyTorch's, not copied") if flag else self


dynamo_config = DynamoConfig()
_numbers = itertools.count()


class Settings:
    """Of one call of torch.compile. Raises ValueError for a mode or an option that there is not.

    Options are those of hidet.option, and `weights`: 'constants' (of a graph without gradients; as at first) or 'inputs';
    `quantize`: 'int8', 'int4' or 'fp8' stores constant matrices of products in so few bits, but for those of which the relative
    error is above `quantize_limit`;
    `mesh`: {'data': 2, 'tensor': 2} shares the model among processes (_mesh.py)."""

    def __init__(self, mode=None, options=None):
        if mode is not None and mode not in MODES:
            raise ValueError(f"there is no mode {mode!r}; there are {', '.join(map(repr, MODES))}")
        space, capture = MODES[mode or "default"]
        config = dynamo_config
        self.options = dict(options or {})
        self.weights = self.options.pop("weights", "constants")
        if self.weights not in ("constants", "inputs"):
            raise ValueError(f"option 'weights' is 'constants' or 'inputs', not {self.weights!r}")
        self.quantize = self.options.pop("quantize", None)
        self.quantize_limit = self.options.pop("quantize_limit", None)
        if self.quantize not in (None, "int8", "int4", "fp8"):
            raise ValueError(f"option 'quantize' is 'int8', 'int4' or 'fp8', not {self.quantize!r}")
        if self.quantize and self.weights == "inputs":
            raise ValueError("option 'quantize' is of weights that are constants, and 'weights' makes them inputs")
        if self.quantize_limit is not None and (not self.quantize or self.quantize_limit <= 0):
            raise ValueError("option 'quantize_limit' is a relative error above 0, and belongs to 'quantize'")
        self.axes = self.options.pop("mesh", None)
        self.mesh = None  # what PassContext.set_mesh() takes, once the processes have met
        for name in self.options:
            try:
                hidet.option.get_option(name)
            except Exception:
                raise ValueError(f"there is no option {name!r}") from None
        self.space = self.options.get("search_space", space if mode else config["search_space"] or 0)
        self.captures = capture if mode else config["use_cuda_graph"]
        tensor_cores = config["use_tensor_core"]
        allows_tf32 = torch.backends.cuda.matmul.allow_tf32 if tensor_cores is None else tensor_cores
        self.precision = "float16" if config["use_fp16"] else "tf32" if allows_tf32 else None
        self.prints = config["print_input_graph"]
        self.folder = config["dump_graph_ir"]
        self.report = config["correctness_report"]

    def compiled(self, graph):
        """What runs a traced graph."""
        number = next(_numbers)
        with hidet.option.context():
            for name, value in self.options.items():
                hidet.option.set_option(name, value)
            with hidet.graph.PassContext() as context:
                if self.precision:
                    context.set_precision(self.precision)
                if self.quantize:
                    context.quantize_weights(self.quantize, limit=self.quantize_limit)
                if self.mesh:
                    context.set_mesh(**self.mesh)
                optimised = hidet.graph.optimize(graph)
            self._dump(graph, number, "traced")
            self._dump(optimised, number, "optimised")
            return optimised.build(space=self.space)

    def _dump(self, graph, number, stage):
        if self.folder:
            os.makedirs(self.folder, exist_ok=True)
            with open(os.path.join(self.folder, f"graph{number}.{stage}.txt"), "w", encoding="utf-8") as file:
                file.write(f"{graph}\n")
