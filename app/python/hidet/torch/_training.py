# SPDX-License-Identifier: Apache-2.0
"""What the forward pass of a graph with gradients keeps for the backward pass.

Many call a model with gradients switched on and never go back. Until somebody does, the forward graph is that of inference, which
fuses across all operators and keeps nothing but its inputs; the first backward pass computes everything again from these. From then
on the graph is one of training, in which the forward pass keeps what the backward pass reads."""

import torch
from torch._functorch._aot_autograd.descriptors import InputMutationAOTOutput, MetadataMutationAOTOutput
from torch._functorch.partitioners import _extract_fwd_bwd_modules, _is_primal, default_partition
from torch._guards import TracingContext


class Passes:
    """Of one graph of Dynamo. `goes_back`: whether there has been a backward pass, or may be one at once."""

    def __init__(self):
        self.goes_back = False

    def parted(self, joint, inputs, *, num_fwd_outputs, **options):
        """As AOTAutograd asks for it: the forward and the backward graph of a joint one."""
        self.goes_back = self.goes_back or _trains(joint)
        if self.goes_back:
            return default_partition(joint, inputs, num_fwd_outputs=num_fwd_outputs, **options)
        given = [node for node in joint.graph.nodes if node.op == "placeholder" and _is_primal(node)]
        kept = [node for node in given if isinstance(node.meta.get("val"), torch.Tensor)]
        numbers = [node for node in given if isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat))]
        return _extract_fwd_bwd_modules(joint, kept, numbers, num_fwd_outputs=num_fwd_outputs)


def keep_for_other_passes():
    """While a forward graph is compiled. Backward passes of Inductor overwrite what the forward pass kept, and PyTorch refuses to repeat
    one; ours overwrite nothing."""
    context = TracingContext.try_get()
    if context is not None and context.fw_metadata is not None:
        context.fw_metadata.bw_donated_idxs = []


def _trains(joint):
    """Whether the forward pass is one that cannot be repeated: it has drawn random numbers, or written to its inputs, as batch
    normalisation in training does."""
    output = next(node for node in joint.graph.nodes if node.op == "output")
    results = output.meta.get("desc")  # None: nobody says
    written = results is None or any(isinstance(each, (InputMutationAOTOutput, MetadataMutationAOTOutput)) for each in
                                     torch.utils._pytree.tree_leaves(results))
    return written or any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) for node in joint.graph.nodes)


class Trained:
    """A function of the graph that becomes another one after its first backward pass. `made()` gives the one that `passes` asks for."""

    def __init__(self, made, passes):
        self._made = made
        self._passes = passes
        self._function = made()
        self._is_of_training = passes.goes_back

    def __call__(self, *args):
        if self._passes.goes_back and not self._is_of_training:
            self._is_of_training = True
            self._function = self._made()
        return self._function(*args)
