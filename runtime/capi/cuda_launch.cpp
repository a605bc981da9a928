// SPDX-License-Identifier: Apache-2.0
// Launches of kernels on a GPU.
#include "runtime/capi/cuda_device.h"
#include "runtime/capi/cuda_scalar.h"
#include "runtime/package/shared_memory.h"

namespace hidet::capi {

using package::ArgumentKind;
using package::Code;
using package::KernelLaunch;
using package::refuse;

namespace {

constexpr std::int64_t most_extent = INT32_MAX, portable_cluster = 8, usual_threads = 1024;
constexpr int first_with_clusters = 9; // compute capability 9.0

// As many as can be counted.
std::int64_t product_of(const std::int64_t (&extents)[3]) {
    std::int64_t product = 1;
    for (const std::int64_t extent : extents)
        if (__builtin_mul_overflow(product, extent, &product))
            return INT64_MAX;
    return product;
}

void put_extents(const std::int64_t (&extents)[3], unsigned (&out)[3]) {
    for (std::size_t d = 0; d < 3; ++d)
        out[d] = static_cast<unsigned>(extents[d]);
}

bool has_no_blocks(const KernelLaunch& launch) {
    return launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
}

// Of what the plan computes; the driver says itself which of the rest it does not take.
bool is_possible(const KernelLaunch& launch, package::Text name, const Kernel& kernel, const Gpu& gpu,
                 Problem& problem) {
    for (const std::int64_t(*extents)[3] : {&launch.grid, &launch.block, &launch.cluster})
        for (const std::int64_t extent : *extents)
            if (extent < 1 || extent > most_extent)
                return refuse(problem, Code::Refused, "'", name, "' cannot be launched: an extent of it is ", extent);
    const std::int64_t threads = product_of(launch.block), most_threads = kernel.most_threads;
    if (threads > (most_threads > 0 ? most_threads : usual_threads))
        return refuse(problem, Code::Refused, "'", name, "' cannot be launched: its blocks have ", threads,
                      " threads, and ", most_threads, " are possible");
    const std::int64_t most = gpu.shared_most - kernel.static_shared;
    if (launch.dynamic_shared < 0 || launch.dynamic_shared > (most > 0 ? most : 0))
        return refuse(problem, Code::Refused, "'", name, "' cannot be launched: its blocks need ",
                      launch.dynamic_shared, " bytes of shared memory beside ", kernel.static_shared, ", and ",
                      gpu.name, " has ", gpu.shared_most, " for a block");
    const bool has_clusters = product_of(launch.cluster) == 1 || gpu.capability.major >= first_with_clusters;
    return has_clusters || refuse(problem, Code::Unsupported, "'", name, "' cannot be launched: ", gpu.name, " (",
                                  architecture_words(gpu.capability), ") has no clusters; they begin with sm_90");
}

} // namespace

bool CudaDevice::launch(const KernelLaunch& launch, Problem& problem) {
    if (has_no_blocks(launch))
        return true;
    const Kernel& kernel = *m_kernels[launch.function];
    if (!is_possible(launch, m_plan.functions[launch.function].name, kernel, m_gpu, problem) ||
        !m_arguments.place(launch, m_gpu, problem) || !allow(launch, problem))
        return false;
    cuda::LaunchAttribute attributes[2];
    cuda::LaunchConfig config;
    put_extents(launch.grid, config.grid);
    put_extents(launch.block, config.block);
    config.dynamic_shared = static_cast<unsigned>(launch.dynamic_shared);
    config.stream = m_streams.current;
    config.attributes = attributes;
    if (product_of(launch.cluster) != 1) {
        cuda::LaunchAttribute& attribute = attributes[config.attribute_count++];
        attribute.id = cuda::LaunchAttributeId::ClusterDimension;
        put_extents(launch.cluster, attribute.value.dims);
    }
    // Beside a kernel alone: what else the step before may have been has to end first.
    if (launch.overlaps && m_follows_kernel) {
        cuda::LaunchAttribute& attribute = attributes[config.attribute_count++];
        attribute.id = cuda::LaunchAttributeId::ProgrammaticStreamSerialization;
        attribute.value.flag = 1;
    }
    const Status status = m_gpu.api->launch(&config, kernel.handle, m_arguments.places.items, nullptr);
    if (status != Status::Success)
        return refuse_launch(launch, status, problem);
    m_launched = {launch.execution->body_row(), launch.step, launch.function, false};
    m_follows_kernel = true;
    m_has_worked = true;
    return true;
}

// The driver reads as many bytes at each place as the parameter has.
bool CudaArguments::place(const KernelLaunch& launch, const Gpu& gpu, Problem& problem) {
    maps.make_room();
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const package::ArgumentValue& argument = launch.arguments[i];
        places[i] = &values[i];
        switch (argument.kind) {
        case ArgumentKind::Address: values[i] = device_address(argument.address); break;
        case ArgumentKind::Scalar: values[i] = argument_bits(argument.type, argument.scalar); break;
        case ArgumentKind::TensorMap:
            places[i] = maps.encode(gpu, argument.map, device_address(argument.address), problem);
            if (!places[i])
                return false;
        }
    }
    return true;
}

// What a kernel was allowed once it keeps.
bool CudaDevice::allow(const KernelLaunch& launch, Problem& problem) {
    CudaAllowed& allowed = m_allowed[launch.function];
    const bool has_large_clusters = product_of(launch.cluster) > portable_cluster;
    if (launch.dynamic_shared <= allowed.dynamic_shared && (allowed.overlaps || !launch.overlaps) &&
        (allowed.has_large_clusters || !has_large_clusters))
        return true;
    Kernel& kernel = *m_kernels[launch.function];
    Share::Wishes wishes{launch.dynamic_shared, launch.overlaps, has_large_clusters, 0};
    wishes.shared_percent = package::shared_percent_of_overlapping(
        {m_gpu.multiprocessors, m_gpu.shared_bytes, m_gpu.registers},
        {product_of(launch.grid), launch.dynamic_shared + kernel.static_shared + m_gpu.shared_reserved,
         kernel.registers * product_of(launch.block)});
    const Status status = m_share->allow(kernel, wishes);
    if (status != Status::Success)
        return refuse_launch(launch, status, problem);
    allowed.dynamic_shared =
        launch.dynamic_shared > allowed.dynamic_shared ? launch.dynamic_shared : allowed.dynamic_shared;
    allowed.overlaps = allowed.overlaps || launch.overlaps;
    allowed.has_large_clusters = allowed.has_large_clusters || has_large_clusters;
    return true;
}

bool CudaDevice::refuse_launch(const KernelLaunch& launch, Status status, Problem& problem) const {
    if (words_of(status).is_sticky) // an earlier one is to blame
        return has_ended(status, "launching a kernel", problem);
    package::Words<300> words;
    words.add("launching '", m_plan.functions[launch.function].name, "' with ", package::extents_words(launch.grid, 3),
              " blocks of ", package::extents_words(launch.block, 3), " threads");
    if (product_of(launch.cluster) != 1)
        words.add(" in clusters of ", package::extents_words(launch.cluster, 3));
    if (launch.dynamic_shared > 0)
        words.add(" and ", launch.dynamic_shared, " bytes of shared memory");
    return succeeds(status, problem, words);
}

} // namespace hidet::capi
