// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/cuda_share.h"

#include <cstdlib>

namespace hidet::capi {

using package::Code;
using package::refuse;

namespace {

constexpr char share_kind = 0; // its address tells it from what else packages share

} // namespace

Share* Share::use(Package& package, Gpu& gpu, Problem& problem) {
    const auto key = reinterpret_cast<std::uint64_t>(gpu.context);
    package.lock();
    auto* share = static_cast<Share*>(package.find(&share_kind, key));
    const bool is_new = !share;
    if (is_new) {
        if (void* place = std::malloc(sizeof(Share))) {
            share = new (place) Share;
            share->kind = &share_kind;
            share->key = key;
            share->free = free_all;
            share->m_gpu = gpu;
            package.add(*share);
        }
    }
    if (share)
        ++share->users;
    package.unlock();
    if (!share)
        refuse(problem, Code::Memory, "memory for what contexts share");
    if (!share || !is_new)
        close_gpu(gpu); // the share holds the context already
    gpu.is_retained = false;
    return share;
}

void Share::drop(Package& package, cuda::StreamHandle stream) {
    package.lock();
    if (--users == 0) {
        m_last_stream = stream;
        package.forget(this);
    }
    package.unlock();
}

void Share::free_all(Shared* shared) {
    auto* const share = static_cast<Share*>(shared);
    {
        const Entered entered(share->m_gpu);
        share->free_modules(nullptr);
        share->free_weights(nullptr, share->m_last_stream);
    }
    close_gpu(share->m_gpu);
    pthread_mutex_destroy(&share->m_mutex);
    share->~Share();
    std::free(share);
}

bool Share::load(Package& package, const package::Plan& plan, const Allocator& allocator, cuda::StreamHandle stream,
                 const package::List<Kernel*>& kernels, const package::List<package::Address>& weights,
                 Problem& problem) {
    pthread_mutex_lock(&m_mutex);
    const Module* const modules = m_modules;
    const Weights* const earlier = m_weights;
    const bool is_ok = load_all(package, plan, allocator, stream, kernels, weights, problem);
    if (!is_ok) {
        free_modules(modules);
        free_weights(earlier, stream);
    }
    pthread_mutex_unlock(&m_mutex);
    return is_ok;
}

bool Share::load_all(Package& package, const package::Plan& plan, const Allocator& allocator, cuda::StreamHandle stream,
                     const package::List<Kernel*>& kernels, const package::List<package::Address>& weights,
                     Problem& problem) {
    if (!load_kernels(package, plan, kernels, problem) || !upload(package, plan, allocator, stream, problem))
        return false;
    for (std::size_t i = 0; i < plan.weights.size(); ++i)
        weights[i] = find(plan.weights[i]);
    return true;
}

std::uint64_t Share::weight_bytes() {
    pthread_mutex_lock(&m_mutex);
    const std::uint64_t bytes = m_weight_bytes;
    pthread_mutex_unlock(&m_mutex);
    return bytes;
}

Status Share::allow(Kernel& kernel, const Wishes& wishes) {
    namespace attribute = cuda::function_attribute;
    const Api& api = *m_gpu.api;
    Status status = Status::Success;
    pthread_mutex_lock(&m_mutex);
    if (wishes.dynamic_shared > kernel.dynamic_shared) {
        status = api.function_set_attribute(kernel.handle, attribute::max_dynamic_shared,
                                            static_cast<int>(wishes.dynamic_shared));
        if (status == Status::Success)
            kernel.dynamic_shared = wishes.dynamic_shared;
    }
    // A multiprocessor divides its memory anew only when it is idle, so kernels that shall begin beside others want the same
    // part of it. A wish: what is refused changes nothing.
    if (wishes.is_overlapping && !kernel.prefers_shared) {
        api.function_set_attribute(kernel.handle, attribute::preferred_shared_percent, wishes.shared_percent);
        kernel.prefers_shared = true;
    }
    if (status == Status::Success && wishes.has_large_clusters && !kernel.has_large_clusters) {
        status = api.function_set_attribute(kernel.handle, attribute::non_portable_cluster, 1);
        kernel.has_large_clusters = status == Status::Success;
    }
    pthread_mutex_unlock(&m_mutex);
    return status;
}

package::Address Share::find(const package::PlanWeight<package::Flat>& weight) const {
    for (Weights* each = m_weights; each; each = each->next)
        for (std::uint32_t i = 0; i < each->count; ++i) {
            const Piece& piece = each->pieces[i];
            if (piece.offset == weight.offset && piece.bytes == weight.bytes && piece.member == weight.member)
                return {buffer_of(&each->block), piece.at, piece.bytes};
        }
    return {};
}

bool Share::upload(Package& package, const package::Plan& plan, const Allocator& allocator, cuda::StreamHandle stream,
                   Problem& problem) {
    auto* const made = static_cast<Weights*>(std::malloc(sizeof(Weights)));
    auto* const pieces = static_cast<Piece*>(std::malloc((plan.weights.size() + 1) * sizeof(Piece)));
    if (!made || !pieces) {
        std::free(made);
        std::free(pieces);
        return refuse(problem, Code::Memory, "memory for the table of weights");
    }
    // It stands in the list before it has memory, so that what a plan names twice is found.
    m_weights = new (made) Weights{m_weights, {}, allocator, pieces, 0};
    std::uint64_t bytes = 0;
    for (package::Row row = 0; row < plan.weights.size(); ++row) {
        const package::PlanWeight<package::Flat>& weight = plan.weights[row];
        if (find(weight).buffer)
            continue;
        if (weight.bytes > static_cast<std::uint64_t>(package::most_addressable) ||
            bytes > static_cast<std::uint64_t>(package::most_addressable))
            return refuse(problem, Code::Refused, "weight ", row, " of ", weight.bytes, " bytes is too large");
        pieces[made->count++] = {row, weight.member, weight.offset, weight.bytes, bytes};
        bytes += (weight.bytes + block_alignment - 1) / block_alignment * block_alignment;
    }
    if (made->count == 0)
        return true;
    if (!allocator.allocate(m_gpu, bytes, stream, made->block, problem)) {
        made->block = {};
        return false;
    }
    m_weight_bytes += made->block.bytes;
    return fill(package, plan, *made, stream, problem);
}

bool Share::fill(Package& package, const package::Plan& plan, const Weights& made, cuda::StreamHandle stream,
                 Problem& problem) {
    const Api& api = *m_gpu.api;
    bool is_ok = true;
    for (std::uint32_t i = 0; i < made.count && is_ok; ++i) {
        const Piece& piece = made.pieces[i];
        Bytes bytes;
        is_ok = package.weight(plan.weights[piece.weight], bytes, problem);
        if (is_ok && bytes.count != piece.bytes)
            is_ok = refuse(problem, Code::Damaged, "weight ", piece.weight, " has ", bytes.count, " bytes, not ",
                           piece.bytes);
        if (is_ok && piece.bytes > 0)
            is_ok = succeeds(api.copy_to_device_async(made.block.address + piece.at, bytes.data, piece.bytes, stream),
                             problem, "uploading weights");
    }
    // Other contexts use them in other streams; and what was begun ends before the memory goes.
    const Status ended = api.stream_synchronize(stream);
    return is_ok && succeeds(ended, problem, "uploading weights");
}

void Share::free_weights(const Weights* until, cuda::StreamHandle stream) {
    while (m_weights != until) {
        Weights* const gone = m_weights;
        m_weights = gone->next;
        if (gone->block.address) {
            m_weight_bytes -= gone->block.bytes;
            gone->allocator.release(m_gpu, gone->block, stream);
        }
        std::free(gone->pieces);
        std::free(gone);
    }
}

} // namespace hidet::capi
