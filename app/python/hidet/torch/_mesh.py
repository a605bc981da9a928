# SPDX-License-Identifier: Apache-2.0
"""Processes that share a model as torch.compile(options={"mesh": ...}) says: replicas compute parts of the batch, and the processes of
each, whose ranks follow each other, parts of the operators; or each process is a stage of a pipeline and has some of the operators, and
`parts` says how many of the batch follow each other. All call the model with the same tensors, and all get the whole result."""

import functools

import torch.distributed as torch_dist

import hidet.distributed as dist
from hidet.torch import _groups
from hidet.torch._aten.rows import Refused

AXES = ("data", "tensor", "pipe")


def axes_of(mesh):
    """{"data": 2, "tensor": 2, "pipe": 1}, of what the option says; None: it is not given."""
    if mesh is None:
        return None
    is_good = isinstance(mesh, dict) and mesh and all(name in (*AXES, "parts") and type(count) is int and count > 0 for name, count in mesh.items())
    if not is_good:
        raise ValueError(f"option 'mesh' is numbers of processes, such as {{'data': 2, 'tensor': 2}}, not {mesh!r}")
    axes = {name: mesh.get(name, 1) for name in AXES}
    if axes["pipe"] > 1 and axes["data"] * axes["tensor"] > 1:
        raise ValueError(f"option 'mesh': stages of a pipeline are one process each, so 'pipe' goes without 'data' and 'tensor': {mesh!r}")
    if "parts" in mesh:
        if axes["pipe"] == 1:
            raise ValueError(f"option 'mesh': 'parts' of the batch are what stages of 'pipe' work on: {mesh!r}")
        axes["parts"] = mesh["parts"]
    return axes


def joined(axes):
    """What PassContext.set_mesh() takes. Joins the other processes, all of which ask for the same."""
    if not dist.is_initialized():
        if not torch_dist.is_initialized():
            raise RuntimeError("option 'mesh' is between processes: call torch.distributed.init_process_group() first")
        try:
            _groups.meet()
        except Refused as refused:
            raise RuntimeError(f"option 'mesh' {refused}") from None
    size, rank, tensor = dist.get_world_size(), dist.get_rank(), axes["tensor"]
    if axes["pipe"] > 1:
        if axes["pipe"] != size:
            raise ValueError(f"option 'mesh' is of {axes['pipe']} processes, and there are {size}")
        before = _part(range(rank - 1, rank + 1)) if rank > 0 else None
        return {**axes, "group_before": before, "group_behind": _part(range(rank, rank + 2)) if rank + 1 < size else None}
    if axes["data"] * tensor != size:
        raise ValueError(f"option 'mesh' is of {axes['data']} x {tensor} processes, and there are {size}")
    if axes["data"] == 1 or tensor == 1:
        return axes
    place = rank % tensor
    return {**axes, "replica_group": _part(range(rank - place, rank - place + tensor)), "batch_group": _part(range(place, size, tensor))}


@functools.cache
def _part(ranks):
    return dist.new_group(list(ranks), _groups.TIMEOUT, use_local_synchronization=True)
