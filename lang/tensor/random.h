// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine for the same seed (xoshiro256**, Box and Muller).
#pragma once

#include <cstdint>

namespace hidet::lang {

class Random {
public:
    explicit Random(std::uint64_t seed = 0) { reseed(seed); }
    void reseed(std::uint64_t seed);
    std::uint64_t next();
    double uniform(); // [0, 1)
    double normal();

private:
    std::uint64_t m_state[4];
    double m_spare = 0;
    bool m_has_spare = false;
};

} // namespace hidet::lang
