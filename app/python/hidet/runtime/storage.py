# SPDX-License-Identifier: Apache-2.0
"""What is kept of a device's memory for allocations to come."""

from hidet import cuda


class MemoryPool:
    def __init__(self, device):
        self.device = device

    def clear(self):
        """Gives back what no tensor is in. On the CPU nothing is kept."""
        if self.device.startswith("cuda") and cuda.available():
            cuda._call("trim_memory_pool")


def current_memory_pool(device):
    """Of 'cpu', 'cuda', or a device of hidet's."""
    name = str(device)
    if name.split(":")[0] not in ("cpu", "cuda"):
        raise ValueError(f"hidet computes on no device '{name}'")
    return MemoryPool(name)
