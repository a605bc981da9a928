// SPDX-License-Identifier: Apache-2.0
// Memory of a device that other processes open: files in memory, which they reach by the descriptor of the process that has made
// them.
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fake/cuda/entry.h"

namespace {

constexpr Status invalid_handle = static_cast<Status>(400);

struct Name { // what a handle holds
    int process, file;
    std::size_t bytes;
};

void* map(int file, std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

void keep(std::uint64_t address, std::size_t bytes, int file) {
    state().sizes[address] = bytes;
    state().shared[address] = file;
}

} // namespace

bool fake::is_shared(std::uint64_t address) {
    return state().shared.count(address) != 0;
}

Status fake::allocate_shared(std::uint64_t* address, std::size_t bytes) {
    if (state().used + bytes > state().settings.memory)
        return Status::OutOfMemory;
    const int file = memfd_create("fake-device", MFD_CLOEXEC);
    void* const memory = file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0 ? map(file, bytes) : nullptr;
    if (!memory)
        return Status::OutOfMemory;
    *address = reinterpret_cast<std::uint64_t>(memory);
    state().used += bytes;
    keep(*address, bytes, file);
    return Status::Success;
}

Status fake::release_shared(std::uint64_t address) {
    const auto found = state().shared.find(address);
    if (found == state().shared.end())
        return Status::InvalidValue;
    const std::size_t bytes = state().sizes[address];
    munmap(reinterpret_cast<void*>(address), bytes);
    if (found->second >= 0) {
        close(found->second);
        state().used -= bytes;
    }
    state().sizes.erase(address);
    state().shared.erase(found);
    return Status::Success;
}

ENTRY cuDeviceCanAccessPeer(int* can, DeviceHandle, DeviceHandle) {
    ENTER("cuDeviceCanAccessPeer");
    *can = state().settings.peers != "0";
    return Status::Success;
}

ENTRY cuIpcGetMemHandle(IpcHandle* handle, DeviceAddress address) {
    ENTER("cuIpcGetMemHandle");
    const auto found = state().shared.find(address);
    if (found == state().shared.end() || found->second < 0)
        return Status::InvalidValue;
    const Name name{getpid(), found->second, state().sizes[address]};
    static_assert(sizeof name <= sizeof *handle);
    std::memcpy(handle->bytes, &name, sizeof name);
    return Status::Success;
}

ENTRY cuIpcOpenMemHandle_v2(DeviceAddress* address, IpcHandle handle, unsigned) {
    ENTER("cuIpcOpenMemHandle_v2");
    Name name{};
    std::memcpy(&name, handle.bytes, sizeof name);
    const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
    const bool is_wrong = state().settings.peers == "wrong";
    const int file = is_wrong ? memfd_create("other", MFD_CLOEXEC) : open(path.c_str(), O_RDWR | O_CLOEXEC);
    const bool is_there = file >= 0 && (!is_wrong || ftruncate(file, static_cast<off_t>(name.bytes)) == 0);
    void* const memory = is_there ? map(file, name.bytes) : nullptr;
    if (file >= 0)
        close(file);
    if (!memory)
        return invalid_handle;
    *address = reinterpret_cast<std::uint64_t>(memory);
    keep(*address, name.bytes, -1);
    return Status::Success;
}

ENTRY cuIpcCloseMemHandle(DeviceAddress address) {
    ENTER("cuIpcCloseMemHandle");
    const auto found = state().shared.find(address);
    return found == state().shared.end() || found->second >= 0 ? Status::InvalidValue : fake::release_shared(address);
}
