# SPDX-License-Identifier: Apache-2.0
"""The groups of Hidet's processes that stand for PyTorch's: of all processes of one machine, or of some of them."""

import atexit
import datetime
import functools
import os
import socket
import tempfile
import warnings

import torch
import torch.distributed as torch_dist

import hidet
import hidet.distributed as dist
from hidet.torch import _peer_sum
from hidet.torch._aten.rows import Refused
from hidet.torch._config import dynamo_config

TIMEOUT = 600  # seconds, for the process that compiles slowest
TO_MEET = 60  # seconds, for all processes to compile something with a collective

_parts = {}  # of PyTorch's groups of some processes: name -> Hidet's group


def join(name, device):
    """Hidet's group of the processes that PyTorch's group of this name has, this one among them; None: it is that of all. Raises Refused
    where there cannot be one."""
    if not torch_dist.is_initialized():
        raise Refused("is between processes, and this one is in no group")
    group = torch_dist.distributed_c10d._resolve_process_group(name)
    ranks = torch_dist.get_process_group_ranks(group)
    if not dist.is_initialized():
        meet()
    if (dist.get_rank(), dist.get_world_size()) != (torch_dist.get_rank(), torch_dist.get_world_size()):
        raise Refused("is between other processes than those of hidet.distributed")
    if device == "cuda" and dist.get_backend() != "nccl":
        raise Refused("is between processes, and Hidet has no NCCL")
    if len(ranks) == torch_dist.get_world_size():
        return None
    if ranks != sorted(ranks):
        raise Refused("is between processes in an order of their own")
    if name not in _parts:
        _parts[name] = dist.new_group(ranks, TIMEOUT, use_local_synchronization=True)
    return _parts[name]


def rank_among_all(name, rank):
    """Of the one that has this rank in PyTorch's group."""
    return torch_dist.get_process_group_ranks(torch_dist.distributed_c10d._resolve_process_group(name))[rank]


def peer_sum(x, meta):
    """The sum over all processes of few elements on GPUs that reach each other's memory; None: it is NCCL's to make."""
    size = dist.get_world_size()
    is_fitting = meta.device.type == "cuda" and meta.dtype in _SUMMED and all(isinstance(each, int) for each in meta.shape)
    if not is_fitting or not dynamo_config["use_peer_kernels"] or not 0 < meta.nbytes * (size - 1) <= _FEW or meta.nbytes % _peer_sum.VECTOR:
        return None
    memory = _peer_memory(meta.nbytes, size)
    if memory is None:
        return None
    flat = hidet.ops.reshape(x, [meta.numel()])
    return hidet.ops.reshape(_peer_sum.PeerSum(flat, *memory).outputs[0], list(meta.shape))


_SUMMED = (torch.float16, torch.bfloat16, torch.float32)
_FEW = 1 << 18  # bytes that a rank sends: with more of them NCCL is the faster one


@functools.cache
def _peer_memory(size, ranks):
    """One for all sums of that size, which come one behind the other."""
    try:
        return _peer_sum.memory_for(size, ranks)
    except RuntimeError as error:  # of all ranks alike
        warnings.warn(f"sums over processes go through NCCL: {error}", RuntimeWarning)
        return None


def meet():
    """All processes or none: the first one that knows whether all are here says so to the others."""
    rank, size = torch_dist.get_rank(), torch_dist.get_world_size()
    store = torch_dist.PrefixStore("hidet", torch_dist.distributed_c10d._get_default_store())
    store.set(f"host {rank}", _host())
    hosts = [f"host {each}" for each in range(size)]
    try:
        store.wait(hosts, datetime.timedelta(seconds=TO_MEET))
        verdict = "" if len(set(map(store.get, hosts))) == 1 else "is between machines"
    except torch_dist.DistStoreError:
        verdict = "is between processes of which some compile nothing that exchanges"
    verdict = store.compare_set("verdict", "", f"{verdict}.").decode()[:-1]  # no store tells an empty value from none
    if verdict:
        raise Refused(verdict)
    if rank == 0:
        path = os.path.join(tempfile.gettempdir(), f"hidet-torch-{os.getpid()}-{id(store):x}")
        atexit.register(_forget, path)
        store.set("meeting", path)
    is_on_gpus = torch.cuda.is_available() and "nccl" in torch_dist.distributed_c10d._world.pg_backend_config.get(torch_dist.group.WORLD, "")
    dist.init_process_group("nccl" if is_on_gpus else "gloo", init_method="file://" + store.get("meeting").decode(), timeout=TIMEOUT,
                            world_size=size, rank=rank)


def _host():
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{socket.gethostname()} {file.read().strip()}"
    except OSError:
        return socket.gethostname()


def _forget(path):
    try:
        os.remove(path)
    except OSError:
        pass
