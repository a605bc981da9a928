// SPDX-License-Identifier: Apache-2.0
// What the warps of a block ask memory for in one place of a kernel, for all numbers of the variables that are open there:
// where in a sector or a bank an access begins matters, and nothing else of them.
#pragma once

#include "compiler/analysis/access/access_map.h"
#include "compiler/analysis/access/domain.h"

namespace hidet::compiler::access {

struct Mask { // of the threads of a block
    std::array<std::uint32_t, 32> warps{};

    bool any() const;
    bool has(std::size_t thread) const { return (warps[thread / 32] >> thread % 32 & 1) != 0; }
    bool holds(const Mask& other) const; // all of its threads
    Mask without(const Mask& other) const;
    Mask both(const Mask& other) const;
    void add(const Mask& other);
};

// How often an access begins so many bytes behind the beginning of a unit, a sector or the word of a bank.
struct Places {
    std::int64_t unit = 1;
    std::array<double, 32> times{};
    bool guesses = false; // where it begins depends on a number that is not known
};
inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) { // from 0 up to b
    return (a % b + b) % b;
}
// `open`: the variables that are entered; each of their numbers is a time that the place runs.
Places places_of(const Domain& domain, const std::vector<int>& open, const Value& address, bool is_shared);

// Where an asynchronous copy reads in global memory, and how much: the size of each thread.
struct CopySource {
    Value address;
    std::array<int, 1024> bytes{};
};

// Of addresses that differ between threads in the same way; kept, because loops come by again and again.
class Requests {
public:
    // `bytes`: of each thread; 0: it takes no part. `from`: of a copy to shared memory, else null.
    Requests(const Value& address, const std::array<int, 1024>& bytes, std::size_t threads, bool is_shared,
             bool updates, const CopySource* from);
    bool is_of(const Value& address, const std::array<int, 1024>& bytes, const CopySource* from) const;
    // Of one time that the place runs.
    const Sums& at(std::int64_t place);

private:
    Sums computed_at(std::int64_t place) const;

    std::shared_ptr<const Lanes> m_lanes;
    std::vector<int> m_bytes;
    std::shared_ptr<const Lanes> m_from;
    std::vector<int> m_from_bytes; // empty: it is no copy
    bool m_is_shared, m_updates;
    std::int64_t m_unit;
    std::array<std::optional<Sums>, 32> m_known;
};

artifact::Traffic traffic_of(const Picture& picture, bool is_shared, bool updates);

// Bytes from one thread to the next in x, y and z; nothing where the address is no such sum.
std::optional<std::array<std::int64_t, 3>> strides_of(const Value& address, const std::array<std::int64_t, 3>& block,
                                                      std::size_t threads, const Mask& mask);

} // namespace hidet::compiler::access
