// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/vector_lanes.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/check.h"

namespace hidet::ir {

namespace {

constexpr int lanes = 8, half = 4; // of a register of 256 bits

using Lanes = std::vector<int>;

// In each half, what `from` gives for each of its four lanes.
template <class From>
Lanes in_halves(From&& from) {
    Lanes out;
    for (int lane = 0; lane < lanes; ++lane)
        out.push_back(lane / half * half + from(lane % half));
    return out;
}

Lanes unpacked(int first) {
    return in_halves([first](int lane) { return first + lane / 2 + (lane % 2 ? lanes : 0); });
}

int pair_of_bits(std::int64_t imm, int lane) {
    return static_cast<int>(imm >> 2 * lane & 3);
}

Lanes halves(std::int64_t imm) {
    Lanes out;
    for (int lane = 0; lane < lanes; ++lane) {
        const auto choice = static_cast<int>(imm >> 4 * (lane / half) & 15);
        out.push_back(choice & 8 ? -1 : (choice & 3) * half + lane % half);
    }
    return out;
}

Lanes inserted(std::int64_t imm) {
    Lanes out;
    for (int lane = 0; lane < lanes; ++lane)
        out.push_back(lane / half == imm ? lanes + lane % half : lane);
    return out;
}

Lanes a_half(int which) {
    Lanes out;
    for (int lane = 0; lane < half; ++lane)
        out.push_back(which * half + lane);
    return out;
}

} // namespace

std::optional<Lanes> chosen_lanes(const Intrinsic& call) {
    const auto imm = [&] {
        const auto number = constant_int(call.args.back());
        HIDET_CHECK(number, info(call.id).name);
        return *number;
    };
    switch (call.id) {
    case IntrinsicId::AvxUnpackLow8: return unpacked(0);
    case IntrinsicId::AvxUnpackHigh8: return unpacked(2);
    case IntrinsicId::AvxShuffle8:
        return in_halves([n = imm()](int lane) { return pair_of_bits(n, lane) + (lane < 2 ? 0 : lanes); });
    case IntrinsicId::AvxPermute8: return in_halves([n = imm()](int lane) { return pair_of_bits(n, lane); });
    case IntrinsicId::AvxPermuteHalves8: return halves(imm());
    case IntrinsicId::AvxInsert8: return inserted(imm());
    case IntrinsicId::AvxHalf8: return a_half(static_cast<int>(imm()));
    case IntrinsicId::AvxLow8: return a_half(0);
    default: return std::nullopt;
    }
}

} // namespace hidet::ir
