// SPDX-License-Identifier: Apache-2.0
// Between memory and registers. A chunk of 16 lanes is a run of neighbours, one address for all, or scattered; the first
// two, which is nearly everything that fast kernels do, move as a block.
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

void blend(void* dst, const void* src, const std::uint32_t* mask, int lanes, int bytes) {
    int n = lanes / chunk_lanes * chunk_lanes;
    if (bytes == 8) {
        auto* d = lanes_of<std::uint64_t>(dst);
        const auto* s = lanes_of<std::uint64_t>(src);
#pragma GCC ivdep
        for (int i = 0; i < n; ++i)
            d[i] = mask[i] ? s[i] : d[i];
        return;
    }
    auto* d = lanes_of<std::uint32_t>(dst);
    const auto* s = lanes_of<std::uint32_t>(src);
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
        d[i] = mask[i] ? s[i] : d[i];
}

// Lanes that do not run hold anything, so the arithmetic wraps.
static std::int64_t scaled(std::int64_t value, std::int64_t stride) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(stride));
}

template <class T>
static void add_scaled_lanes(std::int64_t* __restrict sum, const T* v, std::int64_t stride, int n, bool first) {
    if (first) {
#pragma GCC ivdep
        for (int i = 0; i < n; ++i)
            sum[i] = scaled(v[i], stride);
        return;
    }
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
        sum[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[i]) +
                                           static_cast<std::uint64_t>(scaled(v[i], stride)));
}

void add_scaled(std::int64_t* sum, const void* v, bool wide, std::int64_t stride, int lanes, bool first) {
    if (wide)
        add_scaled_lanes(sum, lanes_of<std::int64_t>(v), stride, lanes, first);
    else
        add_scaled_lanes(sum, lanes_of<std::int32_t>(v), stride, lanes, first);
}

template <class T>
static void range_lanes(const T* v, const std::uint32_t* mask, int n, std::int64_t* lowest, std::int64_t* highest) {
    T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::min();
    for (int i = 0; i < n; ++i) {
        T for_low = mask[i] ? v[i] : std::numeric_limits<T>::max();
        T for_high = mask[i] ? v[i] : std::numeric_limits<T>::min();
        low = for_low < low ? for_low : low;
        high = for_high > high ? for_high : high;
    }
    *lowest = low;
    *highest = high;
}

void range(const void* v, bool wide, const std::uint32_t* mask, int lanes, std::int64_t* lowest,
           std::int64_t* highest) {
    if (wide)
        range_lanes(lanes_of<std::int64_t>(v), mask, lanes, lowest, highest);
    else
        range_lanes(lanes_of<std::int32_t>(v), mask, lanes, lowest, highest);
}

void classify(std::int64_t* offsets, std::int64_t* chunk_offsets, const std::uint16_t* bits, int chunks, int bytes,
              ChunkKind* kinds, Pattern* pattern) {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = std::numeric_limits<std::int64_t>::min();
    std::uint64_t low_bits = 0;
    bool one_run = true, all_same = true, any = false, all_chunks_same = true, all_chunks_run = true;
    std::int64_t first = 0;
    for (int c = 0; c < chunks; ++c) {
        std::int64_t* o = offsets + c * chunk_lanes;
        std::uint32_t on = bits[c];
        if (!on) {
            kinds[c] = ChunkKind::Off;
            chunk_offsets[c] = 0;
            one_run = all_chunks_same = all_chunks_run = false;
            continue;
        }
        if (on != 0xFFFFu) {
            std::int64_t stand_in = o[__builtin_ctz(on)];
            for (int i = 0; i < chunk_lanes; ++i)
                o[i] = (on >> i) & 1u ? o[i] : stand_in;
        }
        std::int64_t low = o[0], high = o[0];
        std::uint64_t ored = 0, differs_run = 0, differs_same = 0;
        for (int i = 0; i < chunk_lanes; ++i) {
            low = o[i] < low ? o[i] : low;
            high = o[i] > high ? o[i] : high;
            ored |= static_cast<std::uint64_t>(o[i]);
            differs_run |= static_cast<std::uint64_t>(o[i] ^ (o[0] + static_cast<std::int64_t>(i) * bytes));
            differs_same |= static_cast<std::uint64_t>(o[i] ^ o[0]);
        }
        if (!any)
            first = o[0];
        any = true;
        lowest = low < lowest ? low : lowest;
        highest = high > highest ? high : highest;
        low_bits |= ored;
        bool run = on == 0xFFFFu && !differs_run;
        bool copy = c > 0 && on == 0xFFFFu && bits[c - 1] == 0xFFFFu && differs_same &&
                    __builtin_memcmp(o, o - chunk_lanes, chunk_lanes * sizeof *o) == 0;
        kinds[c] = !differs_same ? ChunkKind::Same
                   : run         ? ChunkKind::Run
                   : copy        ? ChunkKind::Copy
                                 : ChunkKind::Scattered;
        chunk_offsets[c] = o[0];
        all_chunks_same = all_chunks_same && kinds[c] == ChunkKind::Same;
        all_chunks_run = all_chunks_run && kinds[c] == ChunkKind::Run;
        one_run = one_run && run && o[0] == first + static_cast<std::int64_t>(c) * chunk_lanes * bytes;
        all_same = all_same && !differs_same && o[0] == first;
    }
    pattern->lowest = any ? lowest : 0;
    pattern->highest = any ? highest : 0;
    pattern->low_bits = low_bits;
    pattern->one_run = one_run;
    pattern->all_same = any && all_same;
    pattern->first = first;
    pattern->all_chunks_same = any && all_chunks_same;
    pattern->all_chunks_run = any && all_chunks_run;
}

namespace {

template <class M, class R>
inline R read_element(const std::byte* p) {
    M value;
    __builtin_memcpy(&value, p, sizeof value);
    return static_cast<R>(value);
}

template <class M, class R>
inline void load_same(R* d, const std::byte* p) {
    R value = read_element<M, R>(p);
    for (int i = 0; i < chunk_lanes; ++i)
        d[i] = value;
}
template <class M, class R>
inline void fused_loads(R* d, const std::byte* p) {
    M from[chunk_lanes];
    __builtin_memcpy(from, p, sizeof from);
    for (int i = 0; i < chunk_lanes; ++i)
        d[i] = static_cast<R>(from[i]);
}

// M in memory, R in a register.
template <class M, class R>
void load_lanes(void* dst, const std::byte* base, const LaneOffsets& o) {
    auto* d = lanes_of<R>(dst);
    if (o.pattern->all_chunks_same) {
        for (int c = 0; c < o.count; ++c)
            load_same<M, R>(d + c * chunk_lanes, base + o.chunks[c]);
        return;
    }
    if (o.pattern->all_chunks_run) {
        for (int c = 0; c < o.count; ++c)
            fused_loads<M, R>(d + c * chunk_lanes, base + o.chunks[c]);
        return;
    }
    R last[chunk_lanes] = {};
    for (int c = 0; c < o.count; ++c, d += chunk_lanes) {
        switch (o.kinds[c]) {
        case ChunkKind::Off: break;
        case ChunkKind::Same: load_same<M, R>(d, base + o.chunks[c]); break;
        case ChunkKind::Run: fused_loads<M, R>(d, base + o.chunks[c]); break;
        case ChunkKind::Scattered:
            for (int i = 0; i < chunk_lanes; ++i)
                last[i] = read_element<M, R>(base + o.lanes[c * chunk_lanes + i]);
            __builtin_memcpy(d, last, sizeof last);
            break;
        case ChunkKind::Copy: __builtin_memcpy(d, last, sizeof last); break;
        }
    }
}

template <class M, class R>
void store_lanes(const void* src, bool shared, std::byte* base, const LaneOffsets& o, const std::uint16_t* bits) {
    R one = shared ? shared_value<R>(src) : R();
    const auto* s = static_cast<const R*>(src);
    const std::int64_t* offsets = o.lanes;
    for (int c = 0; c < o.count; ++c, offsets += chunk_lanes) {
        M to[chunk_lanes];
        if (o.kinds[c] == ChunkKind::Off) {
            s += shared ? 0 : chunk_lanes;
            continue;
        }
        for (int i = 0; i < chunk_lanes; ++i)
            to[i] = static_cast<M>(shared ? one : s[i]);
        s += shared ? 0 : chunk_lanes;
        std::uint32_t on = bits[c];
        if (o.kinds[c] == ChunkKind::Run) {
            __builtin_memcpy(base + offsets[0], to, sizeof to);
        } else if (o.kinds[c] == ChunkKind::Same) {
            __builtin_memcpy(base + offsets[0], &to[31 - __builtin_clz(on)], sizeof(M)); // the last lane wins
        } else {
            for (; on; on &= on - 1) {
                int i = __builtin_ctz(on);
                __builtin_memcpy(base + offsets[i], &to[i], sizeof(M));
            }
        }
    }
}

} // namespace

void load(Scalar type, void* dst, const std::byte* base, const LaneOffsets& offsets) {
    switch (type) {
    case Scalar::I8: return load_lanes<std::int8_t, std::int32_t>(dst, base, offsets);
    case Scalar::I16: return load_lanes<std::int16_t, std::int32_t>(dst, base, offsets);
    case Scalar::Bool:
    case Scalar::U8:
    case Scalar::F8E4M3:
    case Scalar::F8E5M2: return load_lanes<std::uint8_t, std::uint32_t>(dst, base, offsets);
    case Scalar::U16:
    case Scalar::F16:
    case Scalar::BF16: return load_lanes<std::uint16_t, std::uint32_t>(dst, base, offsets);
    case Scalar::I32:
    case Scalar::U32:
    case Scalar::TF32:
    case Scalar::F32: return load_lanes<std::uint32_t, std::uint32_t>(dst, base, offsets);
    case Scalar::I64:
    case Scalar::U64:
    case Scalar::F64: return load_lanes<std::uint64_t, std::uint64_t>(dst, base, offsets);
    }
}

void store(Scalar type, const void* src, bool shared, std::byte* base, const LaneOffsets& offsets,
           const std::uint16_t* bits) {
    switch (artifact::scalar_bytes(type)) {
    case 1: return store_lanes<std::uint8_t, std::uint32_t>(src, shared, base, offsets, bits);
    case 2: return store_lanes<std::uint16_t, std::uint32_t>(src, shared, base, offsets, bits);
    case 4: return store_lanes<std::uint32_t, std::uint32_t>(src, shared, base, offsets, bits);
    default: return store_lanes<std::uint64_t, std::uint64_t>(src, shared, base, offsets, bits);
    }
}

void to_bits(const void* words, std::uint16_t* bits, int chunks) {
    const auto* w = lanes_of<std::uint32_t>(words);
    for (int c = 0; c < chunks; ++c, w += chunk_lanes) {
        std::uint32_t on = 0;
        for (int i = 0; i < chunk_lanes; ++i)
            on |= (w[i] != 0 ? 1u : 0u) << i;
        bits[c] = static_cast<std::uint16_t>(on);
    }
}

void to_words(const std::uint16_t* bits, std::uint32_t* words, int chunks) {
    for (int c = 0; c < chunks; ++c, words += chunk_lanes)
        for (int i = 0; i < chunk_lanes; ++i)
            words[i] = 0u - ((bits[c] >> i) & 1u);
}

} // namespace hidet::vm::HIDET_VM_ISA
