# SPDX-License-Identifier: Apache-2.0
"""Takes the memory of the first GPU but for some GiB, says "full", and holds it until standard input ends.

    fill_memory.py GIB DRIVER      through the driver itself: DRIVER is libcuda.so.1, or its path
"""

import ctypes
import sys

GIB = 1 << 30
driver = ctypes.CDLL(sys.argv[2])


def checked(name, *words):
    result = getattr(driver, name)(*words)
    if result != 0:
        sys.exit(f"{name} gives {result}")


def free_bytes():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    checked("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return free.value


def main():
    left = int(float(sys.argv[1]) * GIB)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    checked("cuInit", 0)
    checked("cuDeviceGet", ctypes.byref(device), 0)
    checked("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    checked("cuCtxSetCurrent", context)
    piece = 4 * GIB
    while piece >= 64 << 20:
        address = ctypes.c_uint64()
        if free_bytes() - piece < left or driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(piece)) != 0:
            piece //= 2
    print("full", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
