// SPDX-License-Identifier: Apache-2.0
// Where the machine's launches go: host functions run in the machine, their kernels on the GPU. One backend serves all the
// programs of a machine; each brings the module that its kernels were compiled into.
//
//     cuda::Backend backend(stream);
//     vm::Machine machine({.backend = &backend});
//     backend.add(program, module, source.entries);
//     vm::Pointer a = machine.map(nullptr, bytes, {.name = "a", .device_address = buffer.address()});
//     vm::CallResult called = machine.call(program, "launch", {a});
//     Result<void> ended = backend.wait(); // the launches' own errors
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/artifact/marks.h"
#include "compiler/artifact/peers.h"
#include "compiler/artifact/source.h"
#include "compiler/artifact/tensor_map.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/tensor_map.h"
#include "runtime/vm/backend.h"

namespace hidet::cuda {

struct BackendOptions {
    bool wait_after_launch = false; // an error names one launch, for the price of a round trip each
};

// A launch that a backend noted instead of starting it: what starts it later, as often as one likes, with pointers changed.
struct NotedLaunch {
    NotedLaunch(std::shared_ptr<Kernel> kernel, const vm::DeviceLaunch& launch);

    void set_address(std::size_t arg, std::uint64_t address); // of a pointer, or of what a tensor map is of
    Result<void> start(Stream& stream);                       // asynchronous

    std::shared_ptr<Kernel> kernel;
    LaunchShape shape;
    std::vector<std::uint64_t> args;

private:
    struct Tensor {
        std::string dtype;
        std::vector<std::int64_t> shape;
    };
    struct Map {
        std::size_t arg = 0;
        artifact::TensorMap map;
        EncodedMap encoded;
    };
    std::vector<std::optional<Tensor>> m_tensors; // by argument, for messages
    std::vector<Map> m_maps;
};

class Backend : public vm::DeviceBackend {
public:
    explicit Backend(std::shared_ptr<Stream> stream, BackendOptions options = {});
    ~Backend() override;

    // The kernels of the program are the entries of the module. Until remove() the program stays where it is.
    void add(const artifact::Program& program, std::shared_ptr<Module> module,
             const std::vector<artifact::EntryPoint>& entries);
    // One of them is another module's from now on; nothing was launched yet.
    void replace(const artifact::Program& program, std::shared_ptr<Module> module, const artifact::EntryPoint& entry);
    void remove(const artifact::Program& program);
    Result<std::shared_ptr<Kernel>> kernel(const artifact::Function& function); // loads its module

    // Launches of which the marks of one block are read (artifact/marks.h): `wants` is asked of each. Null: of none.
    using WantsMarks = std::function<bool(const artifact::Function& kernel)>;
    void read_marks(WantsMarks wants, const artifact::BlockIndex& block = {});
    // Whether the kernels of a program write marks from now on, of that block, although nobody reads them.
    Result<void> write_marks(const artifact::Program& program, std::optional<std::int64_t> block);
    std::vector<artifact::MarkedBlock> take_marked();
    // What modules with kernels that reach other GPUs are told, those that are there and those to come.
    Result<void> set_peers(const artifact::Peers& peers);
    // From now on launches of other kernels are left out, to measure one alone. Empty: none is.
    void launch_only(std::string kernel) { m_only = std::move(kernel); }
    // From now on launches are noted there, and not started. Null: they are started.
    void note_launches(std::vector<NotedLaunch>* noted) { m_noted = noted; }

    const std::shared_ptr<Stream>& stream() const { return m_stream; }
    Result<void> wait() { return m_stream->wait(); }
    void free_workspaces(); // those that no call uses

    Result<void> launch(const vm::DeviceLaunch& launch) override;
    Result<std::uint64_t> allocate(std::size_t bytes, bool zeroed) override;
    void free(std::uint64_t address) override;
    Result<void> copy_to_device(std::uint64_t to, const void* from, std::size_t bytes) override;
    Result<void> copy_to_host(void* to, std::uint64_t from, std::size_t bytes) override;
    Result<void> copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes) override;

private:
    struct Slot;
    Result<void> start(Slot& slot, const vm::DeviceLaunch& launch);
    Result<void> start_marked(Slot& slot, const vm::DeviceLaunch& launch, std::int64_t block);
    Result<void> tell_peers(Module& module);
    Result<void> choose_marked(Module& module, std::optional<std::int64_t> block);
    Result<std::vector<std::uint64_t>> with_maps(const vm::DeviceLaunch& launch);
    struct Slot {
        std::shared_ptr<Module> module;
        artifact::EntryPoint entry;
        std::shared_ptr<Kernel> kernel; // null: not launched yet
    };
    struct Workspace {
        DeviceBuffer buffer;
        bool in_use = false;
    };

    std::shared_ptr<Stream> m_stream;
    BackendOptions m_options;
    std::unordered_map<const artifact::Function*, Slot> m_kernels;
    std::vector<Workspace> m_workspaces;
    std::vector<TensorNote> m_notes;
    std::deque<EncodedMap> m_maps; // of the launch on its way
    WantsMarks m_wants_marks;
    artifact::BlockIndex m_marked_block = {};
    std::vector<artifact::MarkedBlock> m_marked;
    std::optional<artifact::Peers> m_peers; // nothing: this GPU is alone
    std::string m_only;                     // the kernel that is launched; empty: all are
    std::vector<NotedLaunch>* m_noted = nullptr;
};

} // namespace hidet::cuda
