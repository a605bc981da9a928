// SPDX-License-Identifier: Apache-2.0
// What GCC's coverage tells, for libFuzzer. GCC calls a function at every basic block where clang keeps counters of its own,
// and our parser does not compile with clang (ANTLR's headers): the linker sends the calls here (--wrap), and libFuzzer reads
// the counters as extra ones. Two blocks may share a counter, which hides hardly anything at this size.
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t count = std::size_t{1} << 17;
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[count];

} // namespace

extern "C" __attribute__((no_sanitize_coverage, no_sanitize_address)) void __wrap___sanitizer_cov_trace_pc() {
    const auto block = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    std::uint8_t& counter = counters[(block ^ block >> 17) % count];
    counter = static_cast<std::uint8_t>(counter + (counter != 255));
}

// GCC also tells of comparisons of floats, which libFuzzer has no use for.
extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_cmpd(double, double) {}
