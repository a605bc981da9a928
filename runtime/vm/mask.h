// SPDX-License-Identifier: Apache-2.0
// A set of the threads of a block: 16 bits for each chunk of lanes.
#pragma once

#include <cstdint>
#include <cstring>

namespace hidet::vm {

inline constexpr int max_threads = 1024;
inline constexpr int max_chunks = max_threads / 16;

struct alignas(16) Mask {
    std::uint16_t bits[max_chunks] = {};

    bool test(int lane) const { return (bits[lane >> 4] >> (lane & 15)) & 1u; }
    void set(int lane) { bits[lane >> 4] = static_cast<std::uint16_t>(bits[lane >> 4] | 1u << (lane & 15)); }
    static Mask of(int lane) {
        Mask mask;
        mask.set(lane);
        return mask;
    }
    std::uint32_t warp(int w) const { return bits[2 * w] | static_cast<std::uint32_t>(bits[2 * w + 1]) << 16; }
    void set_warp(int w, std::uint32_t lanes) {
        bits[2 * w] = static_cast<std::uint16_t>(lanes);
        bits[2 * w + 1] = static_cast<std::uint16_t>(lanes >> 16);
    }
    bool any(int chunks) const {
        for (int c = 0; c < chunks; ++c)
            if (bits[c])
                return true;
        return false;
    }
    int count(int chunks) const {
        int n = 0;
        for (int c = 0; c < chunks; ++c)
            n += __builtin_popcount(bits[c]);
        return n;
    }
    int first(int chunks) const { // -1: none
        for (int c = 0; c < chunks; ++c)
            if (bits[c])
                return 16 * c + __builtin_ctz(bits[c]);
        return -1;
    }
    bool equals(const Mask& other, int chunks) const {
        return std::memcmp(bits, other.bits, static_cast<std::size_t>(chunks) * sizeof bits[0]) == 0;
    }
    void add(const Mask& other, int chunks) {
        for (int c = 0; c < chunks; ++c)
            bits[c] = static_cast<std::uint16_t>(bits[c] | other.bits[c]);
    }
    void remove(const Mask& other, int chunks) {
        for (int c = 0; c < chunks; ++c)
            bits[c] = static_cast<std::uint16_t>(bits[c] & ~other.bits[c]);
    }
    void keep(const Mask& other, int chunks) {
        for (int c = 0; c < chunks; ++c)
            bits[c] = static_cast<std::uint16_t>(bits[c] & other.bits[c]);
    }
};

// The set bits of a word, ascending.
struct BitRange {
    struct Iterator {
        std::uint32_t rest;
        int operator*() const { return __builtin_ctz(rest); }
        bool operator!=(const Iterator& end) const { return rest != end.rest; }
        Iterator& operator++() {
            rest &= rest - 1;
            return *this;
        }
    };
    Iterator begin() const { return {bits}; }
    Iterator end() const { return {0}; }
    std::uint32_t bits;
};

// The lanes of a mask, ascending.
struct LaneRange {
    struct Iterator {
        const Mask& lanes;
        int warps, w;
        std::uint32_t rest; // of the warp
        int operator*() const { return 32 * w + __builtin_ctz(rest); }
        bool operator!=(const Iterator& end) const { return w != end.w; }
        Iterator& operator++() {
            rest &= rest - 1;
            while (!rest && ++w < warps)
                rest = lanes.warp(w);
            return *this;
        }
    };
    Iterator begin() const { return ++Iterator{lanes, warps, -1, 0}; }
    Iterator end() const { return {lanes, warps, warps, 0}; }
    const Mask& lanes;
    int warps;
};

template <class F>
void for_each_lane(const Mask& lanes, int warps, F&& f) {
    for (int w = 0; w < warps; ++w)
        for (std::uint32_t rest = lanes.warp(w); rest; rest &= rest - 1)
            f(32 * w + __builtin_ctz(rest));
}

} // namespace hidet::vm
