// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/vector_lanes.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/check.h"

namespace hidet::ir {

namespace {

constexpr int quad = 4; // lanes of 128 bits, which most instructions choose within

using Lanes = std::vector<int>;

// In each quad, what `from` gives for each of its four lanes.
template <class From>
Lanes in_quads(int lanes, From&& from) {
    Lanes out;
    for (int lane = 0; lane < lanes; ++lane)
        out.push_back(lane / quad * quad + from(lane % quad));
    return out;
}

Lanes unpacked(int lanes, int first) {
    return in_quads(lanes, [=](int lane) { return first + lane / 2 + (lane % 2 ? lanes : 0); });
}

int pair_of_bits(std::int64_t imm, int at) {
    return static_cast<int>(imm >> 2 * at & 3);
}

Lanes shuffled(int lanes, std::int64_t imm) {
    return in_quads(lanes, [=](int lane) { return pair_of_bits(imm, lane) + (lane < 2 ? 0 : lanes); });
}

// Of a register of 256 bits.
Lanes halves(std::int64_t imm) {
    Lanes out;
    for (int lane = 0; lane < 2 * quad; ++lane) {
        const auto choice = static_cast<int>(imm >> 4 * (lane / quad) & 15);
        out.push_back(choice & 8 ? -1 : (choice & 3) * quad + lane % quad);
    }
    return out;
}

// Of one of 512.
Lanes quarters(std::int64_t imm) {
    constexpr int lanes = 4 * quad;
    Lanes out;
    for (int lane = 0; lane < lanes; ++lane)
        out.push_back(pair_of_bits(imm, lane / quad) * quad + lane % quad + (lane < lanes / 2 ? 0 : lanes));
    return out;
}

Lanes inserted(int lanes, std::int64_t imm) {
    const int half = lanes / 2;
    Lanes out;
    for (int lane = 0; lane < lanes; ++lane)
        out.push_back(lane / half == imm ? lanes + lane % half : lane);
    return out;
}

Lanes a_half(int lanes, std::int64_t which) {
    Lanes out;
    for (int lane = 0; lane < lanes / 2; ++lane)
        out.push_back(static_cast<int>(which) * lanes / 2 + lane);
    return out;
}

} // namespace

std::optional<Lanes> chosen_lanes(const Intrinsic& call) {
    const auto imm = [&] {
        const auto number = constant_int(call.args.back());
        HIDET_CHECK(number, info(call.id).name);
        return *number;
    };
    const auto lanes = [&] { return info(*scalar_of(call.args.front()->type)).lanes; }; // of the first operand
    switch (call.id) {
    case IntrinsicId::AvxUnpackLow8:
    case IntrinsicId::AvxUnpackLow16: return unpacked(lanes(), 0);
    case IntrinsicId::AvxUnpackHigh8:
    case IntrinsicId::AvxUnpackHigh16: return unpacked(lanes(), 2);
    case IntrinsicId::AvxShuffle8:
    case IntrinsicId::AvxShuffle16: return shuffled(lanes(), imm());
    case IntrinsicId::AvxPermute8:
    case IntrinsicId::AvxPermute16: return in_quads(lanes(), [n = imm()](int lane) { return pair_of_bits(n, lane); });
    case IntrinsicId::AvxPermuteHalves8: return halves(imm());
    case IntrinsicId::AvxShuffleQuarters16: return quarters(imm());
    case IntrinsicId::AvxInsert8:
    case IntrinsicId::AvxInsert16: return inserted(lanes(), imm());
    case IntrinsicId::AvxHalf8:
    case IntrinsicId::AvxHalf16: return a_half(lanes(), imm());
    case IntrinsicId::AvxLow8:
    case IntrinsicId::AvxLow16: return a_half(lanes(), 0);
    default: return std::nullopt;
    }
}

} // namespace hidet::ir
