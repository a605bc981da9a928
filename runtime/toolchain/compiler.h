// SPDX-License-Identifier: Apache-2.0
// Text in, machine code out: the interface of a compile worker. One implementation calls NVRTC and the system compiler in
// this process (in_process.h), one puts the cache in front of another (cached.h); a worker process is a third.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/source.h"
#include "lang/base/result.h"

namespace hidet::toolchain {

// Object: C++ that is linked later.
enum class Product : std::uint8_t { Ptx, Cubin, SharedObject, Object };

struct CompileRequest {
    artifact::Language language = artifact::Language::CudaCxx;
    std::string text;
    Product product = Product::Cubin;
    std::string arch;                             // "sm_90a"; C++: "native", or a level such as "x86-64-v3"
    std::vector<std::string> options = {};        // besides those that every compilation gets
    std::vector<std::string> objects = {};        // of a SharedObject: what is linked into it, the bytes of Object
    const std::atomic<bool>* cancelled = nullptr; // polled where the compiler lets us
};

// What ptxas says of a kernel.
struct KernelFigures {
    std::string symbol;
    int registers = 0;           // a thread
    int stack_bytes = 0;         // a thread
    int spill_store_bytes = 0;   // a thread
    int spill_load_bytes = 0;    // a thread
    int static_shared_bytes = 0; // a block
    int constant_bytes = 0;
    int barriers = 0; // a block: the named ones that it waits at
    friend bool operator==(const KernelFigures&, const KernelFigures&) = default;
};

struct CompileResult {
    std::string bytes;                  // PTX text, a cubin, or an ELF object
    std::string log;                    // warnings
    std::vector<KernelFigures> figures; // Product::Cubin
    std::string compiler;               // "NVRTC 13.0", "g++ 12.2.0"
    std::string key;                    // of the cache; the same for the same text, options and compiler
    bool from_cache = false;
    std::optional<Error> not_stored; // why the cache could not keep it
    double ms = 0;                   // of this call
};

// Error codes: "nvrtc-missing", "ptxas-missing", "compiler-missing", "compiler-broken", "arch-unknown" (to this compiler),
// "compile-failed" (message: the log), "cancelled", "disk-full", "file-not-written".
class Compiler {
public:
    virtual ~Compiler() = default;
    virtual Result<CompileResult> compile(const CompileRequest& request) = 0; // from any thread
    // What decides the result besides the text and the product: this build of the compiler, all options, the processor.
    // Part of keys of the cache; loads no library and starts no program.
    virtual Result<std::string> recipe(const CompileRequest& request) = 0;
};

} // namespace hidet::toolchain
