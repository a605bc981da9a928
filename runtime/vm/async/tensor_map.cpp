// SPDX-License-Identifier: Apache-2.0
// Tensor maps are made by host functions.
#include "runtime/vm/async/tensor_map.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "lang/base/check.h"
#include "lang/base/tensor_map_rules.h"
#include "lang/base/text.h"
#include "runtime/package/plan_names.h"
#include "runtime/vm/host.h"

namespace hidet::vm {

using artifact::TensorMap;

namespace {

int number(std::string_view text) {
    int out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

// dtype, rank, interleave, swizzle and promotion.
TensorMap with_attributes(const std::string& text) {
    const std::vector<std::string> parts = split(text, '.');
    TensorMap map{.made = TensorMap::mark};
    const auto& types = package::enum_names<package::MapElement>; // in the order of the driver's numbers
    const auto* const type = std::ranges::find(types, std::string_view(parts[0]));
    HIDET_CHECK(type != std::end(types), text);
    map.dtype = static_cast<std::uint8_t>(type - std::begin(types));
    map.element_bytes = static_cast<std::uint8_t>(artifact::scalar_bytes(artifact::tensor_map_scalar(map.dtype)));
    map.rank = static_cast<std::uint8_t>(number(parts[1]));
    map.interleave = static_cast<std::uint8_t>(number(parts[2]));
    map.swizzle = static_cast<std::uint8_t>(number(parts[3]));
    map.promotion = static_cast<std::uint8_t>(number(parts[4]) / 64);
    return map;
}

template <class To, std::size_t size>
void put(const TensorMapShape::Numbers& numbers, std::array<To, size>& out) {
    std::ranges::transform(numbers, out.begin(), [](const auto& each) { return static_cast<To>(*each); });
}

} // namespace

TensorMap tensor_map_at(const Memory& memory, std::uint64_t pointer) {
    TensorMap map;
    const Allocation* allocation = memory.find(id_of(pointer));
    if (allocation && allocation->data && offset_of(pointer) == 0 && allocation->bytes >= TensorMap::bytes)
        std::memcpy(&map, allocation->data, sizeof map);
    return map;
}

// Behind the two addresses stand extents, strides but the first, the box and the steps; of images, in place of the box, two
// corners, channels and pixels.
void HostRunner::make_tensor_map(const Step& step) {
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    TensorMap map = with_attributes(m_context.program->strings[static_cast<std::size_t>(row.text)]);
    map.address = slot(row.items[1]);
    TensorMapShape shape{.element_bytes = map.element_bytes, .interleave = map.interleave, .swizzle = map.swizzle};
    const std::size_t rank = map.rank;
    auto take = [&, next = std::size_t{2}](std::size_t count) mutable {
        TensorMapShape::Numbers out;
        for (; count > 0; --count)
            out.emplace_back(integer(row.items[next++]));
        return out;
    };
    shape.extents = take(rank);
    shape.strides = take(rank - 1);
    if (step.op == Op::PixelMap) {
        shape.lower = take(rank - 2);
        shape.upper = take(rank - 2);
        shape.box = take(1);
        shape.pixels = take(1).front();
    } else {
        shape.box = take(rank);
    }
    shape.steps = take(rank);
    if (const auto fault = fault_of(shape))
        fail(FindingKind::InvalidLaunch, "makes a tensor map with " + fault->text);
    if (map.address % 16)
        fail(FindingKind::InvalidLaunch, "makes a tensor map with an address that is no multiple of 16 bytes");
    put(shape.extents, map.extents);
    put(shape.strides, map.strides);
    put(shape.box, map.box);
    put(shape.steps, map.element_strides);
    put(shape.lower, map.lower);
    put(shape.upper, map.upper);
    map.pixels = static_cast<std::uint16_t>(shape.pixels.value_or(0));
    const Allocation& variable = part(slot(row.items[0]), TensorMap::bytes, true, "makes a tensor map in");
    std::memcpy(variable.data + offset_of(slot(row.items[0])), &map, sizeof map);
}

} // namespace hidet::vm
