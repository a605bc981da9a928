// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/package_sharing.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <thread>

#include "app/session/execute/gpu_repeat.h"
#include "lang/base/text.h"
#include "lang/host/modules/communication.h"
#include "runtime/capi/dtypes.h"
#include "runtime/capi/hidet_runtime.h"
#include "runtime/cuda/device_tensor.h"
#include "runtime/distributed/shared_entry.h"

namespace hidet::session {

namespace {

using lang::Collective;
using lang::TensorRef;

void report_refusal(hidet_error& error, hidet_status status, const std::string& message) {
    error = {status, {}};
    message.copy(error.message, sizeof error.message - 1);
}

std::size_t bytes_of(const lang::Tensor& tensor) {
    return static_cast<std::size_t>(tensor.count() * ir::bytes_of(tensor.dtype));
}

// Of the package, for as long as an exchange takes.
TensorRef borrowed(const hidet_tensor& from, const std::shared_ptr<cuda::Stream>& stream) {
    TensorRef tensor(new lang::Tensor());
    tensor->dtype = ir::find_dtype(capi::find_dtype(from.dtype)->name).value();
    tensor->shape.assign(from.shape, from.shape + from.ndim);
    const std::size_t bytes = bytes_of(*tensor);
    if (from.device.type == HIDET_CUDA) {
        tensor->device = Device::Cuda;
        tensor->storage = std::make_shared<lang::Storage>(
            cuda::DeviceTensor::borrowed(stream, reinterpret_cast<cuda::DeviceAddress>(from.data), bytes, nullptr),
            bytes);
    } else {
        const std::shared_ptr<std::byte[]> data(static_cast<std::byte*>(from.data), [](std::byte*) {});
        tensor->storage = std::make_shared<lang::Storage>(data, bytes);
    }
    return tensor;
}

// Equal parts of the first dimension, one for each process.
std::vector<TensorRef> parts_of(const TensorRef& whole, int count) {
    std::vector<TensorRef> parts;
    for (int i = 0; i < count; ++i) {
        TensorRef& part = parts.emplace_back(new lang::Tensor(*whole));
        part->shape[0] /= count;
        part->offset = static_cast<std::size_t>(i) * bytes_of(*part);
    }
    return parts;
}

lang::Exchange exchange_of(const hidet_exchange& what, const TensorRef& given, const TensorRef& made) {
    const std::string_view name = what.what;
    const int size = what.size;
    lang::Exchange out{.tensor = made, .reduction = what.reduction};
    if (name == "AllReduce") {
        out.what = Collective::AllReduce;
        out.source = given;
    } else if (name == "BroadcastFrom") {
        out.what = Collective::Broadcast;
        out.other = what.root;
        made->storage->copy(0, *given->storage, 0, bytes_of(*given));
    } else if (name == "AllGather") {
        out.what = Collective::AllGather;
        out.tensor = given;
        out.into = parts_of(made, size);
        out.is_of_one_tensor = true;
    } else if (name == "ReduceScatter") {
        out.what = Collective::ReduceScatter;
        out.from = parts_of(given, size);
        out.is_of_one_tensor = true;
    } else {
        out.what = Collective::AllToAll;
        out.from = parts_of(given, size);
        out.into = parts_of(made, size);
        out.tensor = out.from[0];
    }
    return out;
}

// Where the processes exchange through the host, it has what belongs on the GPU.
Result<void> bring_back(lang::Tensor& made) {
    auto* const copy = static_cast<cuda::DeviceTensor*>(made.storage->device_copy());
    return copy && made.storage->is_device_stale() ? copy->upload(made.read(), bytes_of(made)) : Result<void>();
}

} // namespace

PackageGroup PackageSharing::group_of(Target target, int size) const {
    PackageGroup group;
    group.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / size);
    std::shared_ptr<cuda::Stream> stream;
    if (Gpu* const gpu = target == Target::Cpu ? nullptr : m_gpu()) {
        stream = gpu->backend.stream();
        group.gpu = gpu->device().ordinal;
        group.stream = stream->handle();
    }
    group.exchange = [&engine = m_engine, stream, size](const hidet_exchange& what) -> Result<void> {
        const TensorRef given = borrowed(*what.given, stream), made = borrowed(*what.made, stream);
        lang::Exchange exchange = exchange_of(what, given, made);
        if (what.size < size)
            exchange.ranks = distributed::partners_of(engine.place->rank, what.size, what.step);
        HIDET_TRY_TO(engine.exchange(0, exchange));
        return bring_back(*made);
    };
    return group;
}

// Zeros: this process has none, and the error says why.
bool PackageSharing::agree(const package::Checksum& own, hidet_error& error) const {
    const auto tensor = [](std::size_t count) {
        TensorRef out(new lang::Tensor());
        out->dtype = ir::DType::U64;
        out->shape = {static_cast<std::int64_t>(2 * count)};
        out->storage = std::make_shared<lang::Storage>(count * sizeof(package::Checksum));
        return out;
    };
    const int size = m_engine.place->size;
    const TensorRef mine = tensor(1), all = tensor(static_cast<std::size_t>(size));
    std::memcpy(mine->data(), &own, sizeof own);
    const Result<void> done = m_engine.exchange(
        0, {.what = Collective::AllGather, .tensor = mine, .into = parts_of(all, size), .is_of_one_tensor = true});
    if (own == package::Checksum())
        return false;
    if (!done) {
        report_refusal(error, done.error().code == "cancelled" ? HIDET_CANCELLED : HIDET_FAILED, done.error().message);
        return false;
    }
    std::vector<package::Checksum> sums(static_cast<std::size_t>(size));
    std::memcpy(sums.data(), all->read(), sums.size() * sizeof(package::Checksum));
    for (int rank = 0; rank < size; ++rank)
        if (const package::Checksum& other = sums[static_cast<std::size_t>(rank)]; other != own) {
            const bool has_none = other == package::Checksum();
            report_refusal(error, HIDET_FAILED,
                           cat("rank ", rank,
                               has_none ? " could not load its part of the package, and says why"
                                        : " has loaded another package than this one"));
            return false;
        }
    return true;
}

std::unique_ptr<PackageRun> PackageSharing::open(PackageOptions options, hidet_error& error) {
    const std::optional<PackageContent> content = PackageRun::content(options.path, error);
    if (!content)
        return nullptr;
    const auto shared = distributed::shared_entry(content->entries, options.entry);
    if (!shared)
        return PackageRun::open(std::move(options), error);
    if (!m_engine.place || !m_engine.exchange) {
        report_refusal(
            error, HIDET_REFUSED,
            cat("the package is of ", shared->size,
                " processes, and this one is in no group: call hidet.distributed.init_process_group() in each"));
        return nullptr;
    }
    std::unique_ptr<PackageRun> package;
    if (shared->size != m_engine.place->size) {
        report_refusal(
            error, HIDET_REFUSED,
            cat("the package is of ", shared->size, " processes, and this is one of ", m_engine.place->size));
    } else {
        options.entry = shared->of(m_engine.place->rank);
        options.group = group_of(options.target, shared->size);
        package = PackageRun::open(std::move(options), error);
    }
    return agree(package ? content->checksum : package::Checksum(), error) ? std::move(package) : nullptr;
}

} // namespace hidet::session
