// SPDX-License-Identifier: Apache-2.0
// NCCL, loaded at run time: its binary interface, as much of it as is called.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lang/base/result.h"
#include "runtime/cuda/library.h"
#include "runtime/distributed/reduction.h"

namespace hidet::distributed {

struct NcclId {
    char bytes[128];
};

// As of 2.14: whatever is younger takes its own defaults for what came later.
struct NcclConfig {
    std::size_t size = sizeof(NcclConfig);
    unsigned magic = 0xcafebeef;
    unsigned version = 21400;
    int blocking = 1; // else each operation starts a thread, which takes longer than a small operation
};

enum class NcclStatus : int { Success = 0, InProgress = 7 };
enum class NcclType : int { I8, U8, I32, U32, I64, U64, F16, F32, F64, BF16, F8E4M3, F8E5M2 };
enum class NcclOp : int { Sum, Product, Max, Min, Avg };
using NcclComm = void*;
using NcclStream = void*;

class Nccl {
public:
    // Errors: nccl-missing. Multicast of NVLink stays off unless the user's environment says otherwise.
    static Result<std::shared_ptr<const Nccl>> load(const std::string& path);
    std::string version() const; // "2.28.9"
    // Of a call that is done; `comm` may be null.
    Result<void> check(NcclStatus status, NcclComm comm, const std::string& doing) const;

    NcclStatus (*get_version)(int* version) = nullptr;
    NcclStatus (*get_unique_id)(NcclId* id) = nullptr;
    NcclStatus (*init_rank)(NcclComm* comm, int size, NcclId id, int rank, NcclConfig* config) = nullptr;
    NcclStatus (*abort)(NcclComm comm) = nullptr;
    NcclStatus (*async_error)(NcclComm comm, NcclStatus* status) = nullptr;
    const char* (*error_text)(NcclStatus status) = nullptr;
    const char* (*last_error)(NcclComm comm) = nullptr;
    NcclStatus (*group_start)() = nullptr;
    NcclStatus (*group_end)() = nullptr;
    NcclStatus (*all_reduce)(const void* from, void* into, std::size_t count, NcclType type, NcclOp op, NcclComm comm,
                             NcclStream stream) = nullptr;
    NcclStatus (*reduce)(const void* from, void* into, std::size_t count, NcclType type, NcclOp op, int root,
                         NcclComm comm, NcclStream stream) = nullptr;
    NcclStatus (*broadcast)(const void* from, void* into, std::size_t count, NcclType type, int root, NcclComm comm,
                            NcclStream stream) = nullptr;
    NcclStatus (*all_gather)(const void* from, void* into, std::size_t count, NcclType type, NcclComm comm,
                             NcclStream stream) = nullptr;
    NcclStatus (*reduce_scatter)(const void* from, void* into, std::size_t count, NcclType type, NcclOp op,
                                 NcclComm comm, NcclStream stream) = nullptr;
    NcclStatus (*send)(const void* from, std::size_t count, NcclType type, int to, NcclComm comm,
                       NcclStream stream) = nullptr;
    NcclStatus (*receive)(void* into, std::size_t count, NcclType type, int from, NcclComm comm,
                          NcclStream stream) = nullptr;

private:
    explicit Nccl(const std::string& path) : m_library("", {path}) {}
    bool bind();

    cuda::Library m_library;
};

// Nothing: NCCL has no such numbers.
std::optional<NcclType> nccl_type(package::Scalar dtype);
NcclOp nccl_op(Reduction reduction);

} // namespace hidet::distributed
