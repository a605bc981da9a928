// SPDX-License-Identifier: Apache-2.0
// Compiled modules on the device, and launches of their kernels.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "runtime/cuda/stream.h"

namespace hidet::cuda {

struct ModuleImage {
    std::string bytes;    // a cubin, or PTX text
    std::string arch;     // what it was compiled for: "sm_90a"
    std::string compiler; // by what, for messages: "NVRTC 13.0"
    bool is_ours = true;  // made by this process; else what does not fit in it is no bug of ours
};

struct KernelAttributes {
    int registers = 0; // a thread
    int local_bytes = 0;
    int static_shared = 0;
    int constant_bytes = 0;
    int max_threads = 0; // a block
};

std::size_t bytes_of(const artifact::Parameter& parameter); // as a kernel takes it

class Kernel;

// Loaded when the first of its kernels is wanted, and kept until the last of them is gone.
class Module : public std::enable_shared_from_this<Module> {
public:
    static std::shared_ptr<Module> create(std::shared_ptr<Context> context, ModuleImage image);
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    Context& context() const { return *m_context; }
    const ModuleImage& image() const { return m_image; }
    bool prints() const { return m_prints; } // a kernel of it may call printf
    bool is_loaded() const { return m_handle != nullptr; }
    bool names(std::string_view symbol) const { return m_image.bytes.find(symbol) != std::string::npos; }

    // Errors: wrong-arch, driver-too-old, kernel-missing, kernel-differs, out-of-device-memory.
    Result<std::shared_ptr<Kernel>> kernel(KernelSignature signature);
    struct Global {
        DeviceAddress address = 0;
        std::size_t bytes = 0;
    };
    Result<Global> global(const std::string& symbol);

private:
    Module(std::shared_ptr<Context> context, ModuleImage image);
    Result<void> load();
    Error load_error(Status status, const std::string& log) const;

    std::shared_ptr<Context> m_context;
    ModuleImage m_image;
    bool m_prints = false;
    std::mutex m_mutex;
    ModuleHandle m_handle = nullptr;
};

class Kernel {
public:
    ~Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    const KernelSignature& signature() const { return *m_signature; }
    const KernelAttributes& attributes() const { return m_attributes; }

    // `args` as u registers of the machine hold them: pointers are addresses of the device, smaller scalars lie in the low
    // bytes; for a tensor map, where the driver's 128 bytes lie. `tensors` says what the pointers point to, for messages;
    // it may be shorter. Asynchronous.
    Result<void> launch(Stream& stream, const LaunchShape& shape, std::span<const std::uint64_t> args,
                        std::span<const TensorNote> tensors);

private:
    friend class Module;
    Kernel(std::shared_ptr<Module> module, KernelSignature signature, FunctionHandle handle);
    Result<void> ask_attributes();
    std::string wrong_parameters() const; // empty: they are those of the signature
    Result<void> allow_shared(Stream& stream, const LaunchShape& shape);
    Error launch_error(Status status, const LaunchShape& shape, std::span<const std::uint64_t> args,
                       std::span<const TensorNote> tensors) const;
    std::string refusal(const LaunchShape& shape) const; // which limit of the device a shape breaks, or nothing

    std::shared_ptr<Module> m_module;
    std::shared_ptr<const KernelSignature> m_signature;
    FunctionHandle m_handle = nullptr;
    KernelAttributes m_attributes;
    std::int64_t m_dynamic_shared_allowed = 0;
    bool m_large_clusters_allowed = false;
    bool m_shared_preferred = false;
};

// Modules by the key of their compilation: the same code is loaded once, however many scripts and functions ask for it.
class ModuleCache {
public:
    explicit ModuleCache(std::shared_ptr<Context> context) : m_context(std::move(context)) {}
    // The image is looked at only if the key is new.
    std::shared_ptr<Module> find_or_add(const std::string& key, const ModuleImage& image);
    void clear() { m_modules.clear(); } // those in use live on

private:
    std::shared_ptr<Context> m_context;
    std::map<std::string, std::shared_ptr<Module>> m_modules;
};

} // namespace hidet::cuda
