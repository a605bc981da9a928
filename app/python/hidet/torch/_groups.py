# SPDX-License-Identifier: Apache-2.0
"""The group of Hidet's processes that stands for PyTorch's: of all processes, on one machine."""

import atexit
import os
import socket
import tempfile

import torch
import torch.distributed as torch_dist

import hidet.distributed as dist
from hidet.torch._aten.rows import Refused

TIMEOUT = 600  # seconds, for the process that compiles slowest


def join(name, device):
    """The process is in Hidet's group of the processes that PyTorch's group of this name has. Raises Refused where it cannot be."""
    if not torch_dist.is_initialized():
        raise Refused("is between processes, and this one is in no group")
    group = torch_dist.distributed_c10d._resolve_process_group(name)
    if torch_dist.get_process_group_ranks(group) != list(range(torch_dist.get_world_size())):
        raise Refused("is between some of the processes")
    if not dist.is_initialized():
        _meet()
    if (dist.get_rank(), dist.get_world_size()) != (torch_dist.get_rank(), torch_dist.get_world_size()):
        raise Refused("is between other processes than those of hidet.distributed")
    if device == "cuda" and dist.get_backend() != "nccl":
        raise Refused("is between processes, and Hidet has no NCCL")


def _meet():
    """All processes or none: they see the same of each other."""
    rank, size = torch_dist.get_rank(), torch_dist.get_world_size()
    store = torch_dist.PrefixStore("hidet", torch_dist.distributed_c10d._get_default_store())
    store.set(f"host {rank}", _host())
    if len({store.get(f"host {each}") for each in range(size)}) > 1:
        raise Refused("is between machines")
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
