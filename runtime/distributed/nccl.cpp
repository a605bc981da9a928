// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/nccl.h"

#include <cstdlib>

#include "lang/base/text.h"

namespace hidet::distributed {

bool Nccl::bind() {
    m_library.bind(last_error, "ncclGetLastError"); // since 2.13
    return m_library.bind(get_version, "ncclGetVersion") && m_library.bind(get_unique_id, "ncclGetUniqueId") &&
           m_library.bind(init_rank, "ncclCommInitRankConfig") && m_library.bind(abort, "ncclCommAbort") &&
           m_library.bind(async_error, "ncclCommGetAsyncError") && m_library.bind(error_text, "ncclGetErrorString") &&
           m_library.bind(group_start, "ncclGroupStart") && m_library.bind(group_end, "ncclGroupEnd") &&
           m_library.bind(all_reduce, "ncclAllReduce") && m_library.bind(reduce, "ncclReduce") &&
           m_library.bind(broadcast, "ncclBroadcast") && m_library.bind(all_gather, "ncclAllGather") &&
           m_library.bind(reduce_scatter, "ncclReduceScatter") && m_library.bind(send, "ncclSend") &&
           m_library.bind(receive, "ncclRecv");
}

Result<std::shared_ptr<const Nccl>> Nccl::load(const std::string& path) {
    constexpr int keep = 0;
    setenv("NCCL_NVLS_ENABLE", "0", keep);
    setenv("NCCL_GRAPH_REGISTER", "0", keep); // where a graph is recorded, the other processes need not record one
    std::shared_ptr<Nccl> nccl(new Nccl(path));
    if (!nccl->m_library)
        return Error{"nccl-missing", cat("NCCL cannot be loaded from ", path)};
    if (!nccl->bind())
        return Error{"nccl-missing", cat(path, " is older than NCCL 2.14")};
    return std::shared_ptr<const Nccl>(std::move(nccl));
}

std::string Nccl::version() const {
    int number = 0; // 22809
    if (get_version(&number) != NcclStatus::Success)
        return "";
    return cat(number / 10000, ".", number / 100 % 100, ".", number % 100);
}

Result<void> Nccl::check(NcclStatus status, NcclComm comm, const std::string& doing) const {
    if (status == NcclStatus::Success || status == NcclStatus::InProgress)
        return {};
    const std::string more = last_error ? last_error(comm) : "";
    return Error{"nccl",
                 cat(doing, " failed in NCCL ", version(), ": ", error_text(status), more.empty() ? "" : ": ", more)};
}

std::optional<NcclType> nccl_type(package::Scalar dtype) {
    switch (dtype) {
    case package::Scalar::I8: return NcclType::I8;
    case package::Scalar::Bool:
    case package::Scalar::U8: return NcclType::U8;
    case package::Scalar::I32: return NcclType::I32;
    case package::Scalar::U32: return NcclType::U32;
    case package::Scalar::I64: return NcclType::I64;
    case package::Scalar::U64: return NcclType::U64;
    case package::Scalar::F16: return NcclType::F16;
    case package::Scalar::TF32:
    case package::Scalar::F32: return NcclType::F32;
    case package::Scalar::F64: return NcclType::F64;
    case package::Scalar::BF16: return NcclType::BF16;
    case package::Scalar::F8E4M3: return NcclType::F8E4M3;
    case package::Scalar::F8E5M2: return NcclType::F8E5M2;
    case package::Scalar::I16:
    case package::Scalar::U16: return std::nullopt;
    }
    return std::nullopt;
}

NcclOp nccl_op(Reduction reduction) {
    switch (reduction) {
    case Reduction::Sum: return NcclOp::Sum;
    case Reduction::Product: return NcclOp::Product;
    case Reduction::Min: return NcclOp::Min;
    case Reduction::Max: return NcclOp::Max;
    case Reduction::Avg: return NcclOp::Avg;
    }
    return NcclOp::Sum;
}

} // namespace hidet::distributed
