# SPDX-License-Identifier: Apache-2.0
"""torch.compile(backend='hidet') between collectives of PyTorch: two and four processes on the CPU, by gloo.

    distributed_test.py     with the Python that has PyTorch; PYTHONPATH leads to the package"""

import pathlib
import re
import tempfile
import unittest

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional

import hidet.torch
from hidet.torch import _backend
from hidet.torch._partition import exchanges

SIZE = 2
WIDTH, INNER, HEAD = 32, 64, 8


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x):
        q, k, v = (each(x).unflatten(-1, (-1, HEAD)).transpose(1, 2) for each in (self.q, self.k, self.v))
        return self.o(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x):
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """As those of Llama."""

    def __init__(self):
        super().__init__()
        self.attention, self.mlp, self.before, self.between = Attention(), Mlp(), nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.mlp(self.between(x))


BY_COLUMNS = "attention.q attention.k attention.v mlp.gate mlp.up".split()
BY_ROWS = "attention.o mlp.down".split()


def blocks():
    """One whole, and the same with its weights divided."""
    torch.manual_seed(3)
    whole, divided = Block(), Block()
    divided.load_state_dict(whole.state_dict())
    plan = {name: ColwiseParallel() for name in BY_COLUMNS} | {name: RowwiseParallel() for name in BY_ROWS}
    return whole, parallelize_module(divided, init_device_mesh("cpu", (SIZE,)), plan)


class Compiled:
    """A function, and the graphs that it was cut into."""

    def __init__(self, function):
        self.graphs = []
        self.parts = []
        self._run = torch.compile(function, backend=self._backend, fullgraph=True)

    def _backend(self, module, inputs):
        own = _backend._parts

        def cut(*args):
            fused, counted, parts = own(*args)
            self.graphs.append(fused)
            return fused, counted, parts

        self._module, _backend._parts = None, cut
        try:
            return _backend.backend(module, inputs)
        finally:
            _backend._parts = own

    def __call__(self, *args):
        return self._run(*args)

    def steps(self):
        """What runs in order: "part", and the names of what PyTorch runs."""
        return ["part" if node.op == "call_module" else node.target._opname for graph in self.graphs for node in graph.graph.nodes
                if node.op == "call_module" or exchanges(node)]

    def compiled_parts(self):
        return [graph.get_submodule(node.target).part for graph in self.graphs for node in graph.graph.nodes if node.op == "call_module"]


def same(got, wanted):
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


def every_collective(group):
    def function(x, w):
        reduced = collectives.all_reduce(torch.relu(x @ w), "sum", group)
        gathered = collectives.all_gather_tensor(reduced * 2, 0, group)
        scattered = collectives.reduce_scatter_tensor(gathered + x.sum(), "sum", 0, group)
        turned = collectives.all_to_all_single(scattered * 3, None, None, group)
        told = collectives.broadcast(torch.tanh(turned), dist.get_world_size(group) - 1, group)
        return told * 2 + reduced, scattered

    return function


def steps_of_every_collective(group):
    torch.manual_seed(dist.get_rank())
    x, w = torch.randn(8, 16), torch.randn(16, 16)
    function = every_collective(group)
    with torch.no_grad():
        compiled = Compiled(function)
        for _ in range(2):
            same(compiled(x, w), function(x, w))
    return compiled.steps()


def own_group():
    return [dist.new_group([each]) for each in range(SIZE)][dist.get_rank()]


def collectives_of_all_processes_are_in_one_part(rank):
    steps = steps_of_every_collective(dist.group.WORLD)
    assert steps == ["part"], steps


def those_of_some_processes_are_too(rank):
    steps = steps_of_every_collective(own_group())
    assert steps == ["part"], steps


def those_that_hidet_lacks_are_steps_between_parts(rank):
    function = uneven_exchange(rank)
    with torch.no_grad():
        compiled = Compiled(function)
        x = torch.randn(4)
        same(compiled(x), function(x))
    assert compiled.steps() == ["part", "all_to_all_single", "wait_tensor", "part"], compiled.steps()


def uneven_exchange(rank):
    """Of one element for the first process, and three for the second one."""
    of_each = [1, 3]
    return lambda x: collectives.all_to_all_single(torch.relu(x), [of_each[rank]] * SIZE, of_each, dist.group.WORLD) * 2


def collectives_keep_the_order_of_the_program(rank):
    """A part that made what the first reads and read what the second makes would turn them round."""
    def function(x, group):
        first = collectives.all_reduce(torch.relu(x), "sum", group)
        return first, torch.tanh(collectives.all_reduce(x, "max", group))

    x = torch.randn(8) + rank
    with torch.no_grad():
        for group in (dist.group.WORLD, own_group()):
            compiled = Compiled(lambda x: function(x, group))
            same(compiled(x), function(x, group))
            part, = compiled.compiled_parts()
            reductions = [node.args[1] for node in part.module.graph.nodes if exchanges(node) and node.target._opname == "all_reduce"]
            assert reductions == ["sum", "max"], reductions


def halves_reduce_among_themselves_in_compiled_parts(rank):
    """Of four processes; a weight is divided among the first and the third, and the others."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "tensor"))
    x = torch.arange(8.0).reshape(2, 4) + 10 * rank
    with torch.no_grad():
        for name in ("data", "tensor"):
            group = mesh[name].get_group()

            def function(x):
                y = collectives.all_reduce(x * 2, "sum", group)
                z = collectives.broadcast(y + rank, 1, group)
                return collectives.all_reduce(x, "avg", dist.group.WORLD) + z, collectives.all_reduce(x, "product", group)

            compiled = Compiled(function)
            for _ in range(2):
                same(compiled(x), function(x))
            assert compiled.steps() == ["part"], compiled.steps()


def a_block_with_divided_weights_is_one_part_with_weights_of_its_own(rank):
    whole, divided = blocks()
    x = torch.randn(2, 8, WIDTH, generator=torch.Generator().manual_seed(5))
    with torch.no_grad():
        compiled = Compiled(divided)
        same(compiled(x), whole(x))
        assert compiled.steps() == ["part"], compiled.steps()
        parts = compiled.compiled_parts()
        assert not any(part._left for part in parts)
        assert sum(len(part._constant_places) for part in parts) == 10 + 2, [part._constant_places for part in parts]
        for change in (lambda: divided.mlp.down.bias.add_(1), lambda: divided.mlp.down.bias.data.add_(1),
                       lambda: divided.mlp.down.bias.to_local().add_(1)):
            before = compiled(x)
            change()
            same(compiled(x), before + 1)


def changes_of_a_divided_model_are_seen(rank):
    """Which Dynamo checks in few words: a weight of other placements, another piece, another hook and the one before it."""
    _, divided = blocks()
    down, up = divided.mlp.down, divided.mlp.up
    x = torch.randn(2, 8, WIDTH, generator=torch.Generator().manual_seed(7))
    (key, hook), = down._forward_hooks.items()

    def give_down_another_weight(placements):
        down.weight = nn.Parameter(distribute_tensor(down.weight.full_tensor() * 2, down.weight.device_mesh, placements))

    def hook_down(function):
        down._forward_hooks[key] = function

    with torch.no_grad():
        compiled = Compiled(divided)
        same(compiled(x), divided(x))
        for change in (lambda: give_down_another_weight([Shard(1)]), lambda: setattr(up.weight, "_local_tensor", up.weight.to_local() * 3),
                       lambda: hook_down(lambda *args: -hook(*args)), lambda: hook_down(hook), lambda: give_down_another_weight([Replicate()])):
            before = divided(x)
            change()
            wanted = divided(x)
            assert not torch.allclose(before, wanted)
            same(compiled(x), wanted)
        assert len(compiled.graphs) == 3, len(compiled.graphs)  # another hook, and another placement


def divided_layers_of_one_kind_share_a_graph(rank):
    layers = [blocks()[1] for _ in range(3)]
    x = torch.randn(2, 8, WIDTH, generator=torch.Generator().manual_seed(8))
    with torch.no_grad():
        layers[1].mlp.down.bias.add_(1)
        compiled = Compiled(lambda layer, x: layer(x))
        for layer in layers:
            same(compiled(layer, x), layer(x))
        assert len(compiled.graphs) == 1, len(compiled.graphs)


def nothing_is_checked_below_a_divided_model_that_nobody_has_changed(rank):
    _, divided = blocks()
    with torch.no_grad():
        torch.compile(divided, backend="hidet")(torch.randn(2, 8, WIDTH))
    tree = str(torch._dynamo.eval_frame._debug_get_cache_entry_list(Block.forward)[0].guard_manager)
    checked = [line for line in tree.splitlines() if "source=L['self']" in line and "tag_safe=(False" in line]
    assert "tag_safe=(True, True)" in tree and not checked, checked


def what_runs_in_pytorch_is_told(rank):
    with torch.no_grad():
        told = hidet.torch.explain(uneven_exchange(rank), torch.randn(4))
    assert {reason for _, reason, _ in told.rows} == {"is of parts that are not alike"}, told


def training_is_that_of_one_process(rank):
    whole, divided = blocks()
    x = torch.randn(2, 8, WIDTH, generator=torch.Generator().manual_seed(6))
    for model, function in ((whole, whole), (divided, torch.compile(divided, backend="hidet"))):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            function(x).square().mean().backward()
            optimizer.step()
    for (name, wanted), (_, got) in zip(whole.named_parameters(), divided.named_parameters()):
        for each, other in ((got, wanted), (got.grad, wanted.grad)):
            each = each.full_tensor() if hasattr(each, "full_tensor") else each
            torch.testing.assert_close(each, other, rtol=1e-3, atol=1e-5, msg=lambda said: f"{name}: {said}")


def wide_model():
    torch.manual_seed(3)
    return nn.Sequential(nn.LayerNorm(512), nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512))


def images_model():
    torch.manual_seed(3)
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 8, 3), nn.Flatten(), nn.Linear(8 * 14 * 14, 10))


def exchanges_of(model, x, mesh):
    """The operators by which processes of a mesh exchange what they compute of a model, and the number of groups that do."""
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        torch._dynamo.reset()
        hidet.torch.dynamo_config.dump_graph_ir(folder)
        compiled = torch.compile(model, backend="hidet", options={"mesh": mesh})
        same(compiled(x), model(x))
        same(compiled(x + 1), model(x + 1))
        hidet.torch.dynamo_config.dump_graph_ir("")
        text = "".join(path.read_text() for path in pathlib.Path(folder).glob("*.optimised.txt"))
    found = re.findall(r"= (\w+)\(.*?group=(\d+), size=", text)
    return [op for op, _ in found], len({group for _, group in found})


def meshes_compute_what_one_process_does(rank):
    """To read weights takes longest where there are few rows: they are divided, and sums are reduced. Where there are many it is the
    arithmetic, and to divide the rows takes half the bytes of an exchange."""
    few, many, images = (torch.randn(*shape, generator=torch.Generator().manual_seed(5)) for shape in ((2, 4, 512), (8, 16, 512), (4, 3, 32, 32)))
    wide, convolutions = wide_model(), images_model()
    for model, x, mesh, wanted in ((wide, few, {"tensor": 4}, ["AllReduce"]), (wide, many, {"tensor": 4}, ["AllGather"]),
                                   (wide, many, {"data": 4}, ["AllGather"]), (convolutions, images, {"data": 4}, ["AllGather"]),
                                   (wide, many, {"data": 2, "tensor": 2}, ["AllReduce", "AllGather"])):
        operators, groups = exchanges_of(model, x, mesh)
        assert operators == wanted and groups == len(mesh), (mesh, operators, groups)


def stages_of_a_pipeline_compute_what_one_process_does(rank):
    x = torch.randn(8, 16, 512, generator=torch.Generator().manual_seed(5))
    operators, _ = exchanges_of(wide_model(), x, {"pipe": 4})
    assert set(operators) == {"BroadcastFrom"}, operators
    more, _ = exchanges_of(wide_model(), x, {"pipe": 4, "parts": 8})
    assert set(more) == {"BroadcastFrom"} and len(more) > len(operators), (operators, more)


def a_mesh_of_other_processes_is_refused(rank):
    for mesh, said in (({"pipe": 2}, "of 2 processes, and there are 4"), ({"pipe": 2, "data": 2}, "'pipe' goes without 'data' and 'tensor'"),
                       ({"data": 3}, "of 3 x 1 processes, and there are 4"), ({"rows": 4}, "option 'mesh' is numbers of processes"),
                       ({"data": 4, "parts": 2}, "'parts' of the batch are what stages of 'pipe' work on"), (4, "not 4")):
        torch._dynamo.reset()
        try:
            torch.compile(torch.relu, backend="hidet", options={"mesh": mesh})(torch.ones(4))
        except Exception as error:
            assert said in str(error), error
        else:
            raise AssertionError(mesh)


CASES = [collectives_of_all_processes_are_in_one_part, those_of_some_processes_are_too, those_that_hidet_lacks_are_steps_between_parts,
         collectives_keep_the_order_of_the_program, a_block_with_divided_weights_is_one_part_with_weights_of_its_own,
         changes_of_a_divided_model_are_seen, divided_layers_of_one_kind_share_a_graph,
         nothing_is_checked_below_a_divided_model_that_nobody_has_changed, what_runs_in_pytorch_is_told, training_is_that_of_one_process]
OF_FOUR = [halves_reduce_among_themselves_in_compiled_parts, meshes_compute_what_one_process_does,
           stages_of_a_pipeline_compute_what_one_process_does, a_mesh_of_other_processes_is_refused]


def one_of_them(rank, store, size, cases):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.FileStore(store, size), rank=rank, world_size=size)
    for case in cases:
        torch._dynamo.reset()
        case(rank)
        dist.barrier()
        if rank == 0:
            print("ok", case.__name__, flush=True)
    dist.destroy_process_group()


class Distributed(unittest.TestCase):
    def run_all(self, size, cases):
        with tempfile.TemporaryDirectory() as folder:  # the last process may remove the file
            torch.multiprocessing.spawn(one_of_them, args=(f"{folder}/store", size, cases), nprocs=size)

    def test_two_processes(self):
        self.run_all(SIZE, CASES)

    def test_four_processes(self):
        self.run_all(4, OF_FOUR)


if __name__ == "__main__":
    unittest.main()
