// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/other_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "app/session/kernel_bench/compare.h"
#include "lang/tensor/random.h"

namespace hidet::session {

namespace {

constexpr std::int64_t fewest_elements = 8; // of which some can be others': fewer are counters
constexpr std::size_t band = 4096;
constexpr std::byte untouched{0xA7};

} // namespace

lang::TensorRef tensor_in(const lang::CallArgument& arg) {
    const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
    return tensor ? *tensor : nullptr;
}

void poison(const Arguments& args, const std::vector<compiler::ParameterAccess>& accesses) {
    for (std::size_t i = 0; i < args.size(); ++i)
        if (lang::TensorRef tensor = tensor_in(args[i]);
            tensor && tensor->storage->uninitialised && accesses[i].written && !accesses[i].read)
            fill_with_pattern(*tensor);
}

void refill(const Arguments& args, const Arguments& others, const std::vector<compiler::ParameterAccess>& accesses,
            std::uint64_t seed) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        const lang::TensorRef mine = tensor_in(args[i]), other = tensor_in(others[i]);
        const bool is_result = accesses[i].written && !accesses[i].read;
        if (!mine || !other || mine->storage->bytes != other->storage->bytes ||
            (accesses[i].written && !is_result && !ir::is_float(mine->dtype)))
            continue;
        if (is_result && lang::holds_numbers(other->dtype))
            fill(*other, Fill::Random, {.seed = seed + i});
        std::memcpy(mine->storage->write(), other->storage->read(), mine->storage->bytes);
    }
}

std::vector<lang::TensorRef> misplace_results(const Arguments& args, const Arguments& first,
                                              const std::vector<lang::TensorRef>& right,
                                              const std::vector<compiler::ParameterAccess>& accesses) {
    std::vector<lang::TensorRef> held(args.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
        const lang::TensorRef mine = tensor_in(args[i]);
        if (!mine || !accesses[i].written)
            continue;
        if (!accesses[i].read)
            std::memcpy(mine->storage->write(), tensor_in(first[i])->storage->read(), mine->storage->bytes);
        const std::int64_t count = mine->count();
        if (!accesses[i].read || !right[i] || right[i]->count() != count || count < fewest_elements ||
            !lang::holds_numbers(mine->dtype))
            continue;
        const lang::Doubles values = lang::read_doubles(*right[i]);
        lang::Doubles mixed = values;
        lang::Random random(i);
        for (std::size_t place = 1; place + 1 < values.size(); ++place) // whoever looks at the ends sees them right
            if (random.next() % 8 == 0)
                mixed[place] = values[(place + values.size() / 2) % values.size()];
        lang::write_doubles(*mine, mixed);
        held[i] = lang::TensorRef(new lang::Tensor(*mine));
        held[i]->storage = std::make_shared<lang::Storage>(mine->storage->bytes);
        std::memcpy(held[i]->storage->write(), mine->storage->read(), mine->storage->bytes);
    }
    return held;
}

bool stays_misplaced(const lang::Tensor& got, const lang::Tensor& held, const lang::Tensor& right,
                     const lang::Tensor& wanted) {
    const lang::Doubles after = lang::read_doubles(got), before = lang::read_doubles(held),
                        first = lang::read_doubles(right), now = lang::read_doubles(wanted);
    std::size_t misplaced = 0, stayed = 0;
    for (std::size_t i = 0; i < before.size() && now.size() == before.size(); ++i) {
        if (before[i] == first[i] || before[i] == now[i])
            continue;
        ++misplaced;
        stayed += after[i] == before[i];
    }
    return misplaced >= 8 && stayed * 4 >= misplaced * 3;
}

std::shared_ptr<lang::Storage> guarded_storage(std::size_t bytes) {
    auto* whole = static_cast<std::byte*>(std::aligned_alloc(band, band * 2 + (bytes + band - 1) / band * band));
    if (!whole)
        throw std::bad_alloc();
    std::fill_n(whole, band, untouched);
    std::fill_n(whole + band + bytes, band, untouched);
    std::shared_ptr<std::byte[]> inner(whole + band, [](std::byte* own) { std::free(own - band); });
    return std::make_shared<lang::Storage>(std::move(inner), bytes);
}

std::optional<std::int64_t> first_byte_outside(lang::Storage& guarded) {
    const std::byte* data = guarded.read();
    const auto size = static_cast<std::int64_t>(guarded.bytes), width = static_cast<std::int64_t>(band);
    for (std::int64_t i = -width; i < size + width; ++i) {
        if (i == 0)
            i = size;
        if (data[i] != untouched)
            return i;
    }
    return std::nullopt;
}

} // namespace hidet::session
