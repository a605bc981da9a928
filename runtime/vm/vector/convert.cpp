// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/vector/convert.h"
#include "runtime/vm/vector/lanes.h"

namespace hidet::vm::HIDET_VM_ISA {

namespace {

struct UseLanes {
    template <class F, class From, class To>
    VectorFn operator()() const {
        return unary_lanes<F, From, To>;
    }
    VectorFn none() const { return nullptr; }
};

template <class T>
void spread(const VectorArgs& p) {
    auto* d = lanes_of<T>(p.dst);
    T value = shared_value<T>(p.a);
    int n = p.lanes / chunk_lanes * chunk_lanes;
    for (int i = 0; i < n; ++i)
        d[i] = value;
}

template <unsigned S>
void pack64(const VectorArgs& p) {
    auto* d = lanes_of<std::uint64_t>(p.dst);
    const auto* a = lanes_of<std::uint32_t>(p.a);
    const auto* b = lanes_of<std::uint32_t>(p.b);
    std::uint32_t one_a = (S & shared_a) ? shared_value<std::uint32_t>(p.a) : 0;
    std::uint32_t one_b = (S & shared_b) ? shared_value<std::uint32_t>(p.b) : 0;
    int n = p.lanes / chunk_lanes * chunk_lanes;
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
        d[i] = ((S & shared_a) ? one_a : a[i]) | static_cast<std::uint64_t>((S & shared_b) ? one_b : b[i]) << 32;
}

} // namespace

VectorFn find_convert(Op op, Scalar type, int x, unsigned shared) {
    bool wide = artifact::scalar_bytes(type) == 8;
    switch (op) {
    case Op::Move:
        if (shared & shared_a)
            return wide ? spread<std::uint64_t> : spread<std::uint32_t>;
        return wide ? unary_lanes<SameOp, std::uint64_t, std::uint64_t>
                    : unary_lanes<SameOp, std::uint32_t, std::uint32_t>;
    case Op::Select: return wide ? select<std::uint64_t>(shared) : select<std::uint32_t>(shared);
    case Op::Convert: return with_conversion(type, static_cast<Scalar>(x), UseLanes{});
    case Op::Wrap: return with_wrap(type, UseLanes{});
    case Op::Pack64:
        return (shared & 3u) == 0   ? pack64<0>
               : (shared & 3u) == 1 ? pack64<1>
               : (shared & 3u) == 2 ? pack64<2>
                                    : pack64<3>;
    case Op::Unpack64:
        return x ? unary_lanes<UnpackOp<1>, std::uint64_t, std::uint32_t>
                 : unary_lanes<UnpackOp<0>, std::uint64_t, std::uint32_t>;
    default: return nullptr;
    }
}

} // namespace hidet::vm::HIDET_VM_ISA
