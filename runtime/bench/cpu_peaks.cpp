// SPDX-License-Identifier: Apache-2.0
#include "runtime/bench/cpu_peaks.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <immintrin.h>
#include <unistd.h>

#include "runtime/bench/statistics.h"

namespace hidet::bench {

namespace {

constexpr int chains = 16; // independent sums: more than latency times throughput of the multiply-add
constexpr int rounds = 20'000;

// Each returns a value that depends on all of the work, so that none of it can be dropped.
__attribute__((target("avx512f"))) float chains_512() {
    __m512 sums[chains];
    for (int i = 0; i < chains; ++i)
        sums[i] = _mm512_set1_ps(static_cast<float>(i));
    __m512 factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(0.001f);
    for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 16
        for (int i = 0; i < chains; ++i)
            sums[i] = _mm512_fmadd_ps(sums[i], factor, term);
    float lanes[16], total = 0;
    for (int i = 0; i < chains; ++i) {
        _mm512_storeu_ps(lanes, sums[i]);
        total += lanes[0];
    }
    return total;
}

__attribute__((target("avx2,fma"))) float chains_256() {
    __m256 sums[chains];
    for (int i = 0; i < chains; ++i)
        sums[i] = _mm256_set1_ps(static_cast<float>(i));
    __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(0.001f);
    for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 16
        for (int i = 0; i < chains; ++i)
            sums[i] = _mm256_fmadd_ps(sums[i], factor, term);
    float lanes[8], total = 0;
    for (int i = 0; i < chains; ++i) {
        _mm256_storeu_ps(lanes, sums[i]);
        total += lanes[0];
    }
    return total;
}

float chains_128() {
    __m128 sums[chains];
    for (int i = 0; i < chains; ++i)
        sums[i] = _mm_set1_ps(static_cast<float>(i));
    __m128 factor = _mm_set1_ps(0.999f), term = _mm_set1_ps(0.001f);
    for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 16
        for (int i = 0; i < chains; ++i)
            sums[i] = _mm_add_ps(_mm_mul_ps(sums[i], factor), term);
    float total = 0;
    for (int i = 0; i < chains; ++i)
        total += _mm_cvtss_f32(sums[i]);
    return total;
}

struct Vectors {
    float (*chains)();
    int lanes;
};
Vectors widest() {
    if (__builtin_cpu_supports("avx512f"))
        return {chains_512, 16};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return {chains_256, 8};
    return {chains_128, 4};
}

std::int64_t asked(int name) {
    return std::max<std::int64_t>(sysconf(name), 0); // where it is not known: -1, or 0
}

std::string model_name() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (const std::size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    return "this CPU";
}

double peak_flops(package::ThreadPool& pool) {
    struct Work {
        Vectors vectors;
        std::vector<float> results;
    } work{widest(), std::vector<float>(static_cast<std::size_t>(pool.threads()))};
    auto part = [](void* context, long long begin, long long end) {
        auto& work = *static_cast<Work*>(context);
        for (long long i = begin; i < end; ++i)
            work.results[static_cast<std::size_t>(i)] = work.vectors.chains();
    };
    Times times =
        measure([&] { pool.parallel_for(pool.threads(), 0, part, &work); }, {.seconds = 0.1}, [] { return false; });
    return 2.0 * chains * rounds * work.vectors.lanes * pool.threads() / times.fastest;
}

double peak_bandwidth(package::ThreadPool& pool) {
    constexpr std::size_t bytes = std::size_t{256} << 20; // more than any cache holds
    struct Work {
        std::vector<char> from = std::vector<char>(bytes, 1);
        std::vector<char> to = std::vector<char>(bytes, 2);
    } work;
    auto part = [](void* context, long long begin, long long end) {
        auto& work = *static_cast<Work*>(context);
        auto offset = static_cast<std::size_t>(begin) << 16;
        std::memcpy(work.to.data() + offset, work.from.data() + offset, static_cast<std::size_t>(end - begin) << 16);
    };
    Times times =
        measure([&] { pool.parallel_for(bytes >> 16, 0, part, &work); }, {.seconds = 0.1}, [] { return false; });
    return 2.0 * static_cast<double>(bytes) / times.fastest;
}

} // namespace

artifact::TargetSpec this_cpu() {
    artifact::TargetSpec target = artifact::default_cpu();
    target.id.clear();
    target.name = model_name();
    target.cores = package::usable_processors();
    target.vector_bytes = widest().lanes * static_cast<int>(sizeof(float));
    target.l1_bytes = asked(_SC_LEVEL1_DCACHE_SIZE);
    target.l2_bytes = asked(_SC_LEVEL2_CACHE_SIZE);
    target.l3_bytes = asked(_SC_LEVEL3_CACHE_SIZE);
    target.memory_bytes = asked(_SC_PHYS_PAGES) * asked(_SC_PAGESIZE);
    target.bytes_per_second = 0;
    target.peaks = {};
    return target;
}

artifact::TargetSpec measured_cpu(package::ThreadPool& pool) {
    artifact::TargetSpec target = this_cpu();
    target.cores = pool.threads();
    target.peaks[static_cast<std::size_t>(artifact::Arithmetic::F32)] = peak_flops(pool);
    target.bytes_per_second = peak_bandwidth(pool);
    target.is_measured = true;
    return target;
}

} // namespace hidet::bench
