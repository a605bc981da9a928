// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/other_memory.h"

#include <algorithm>
#include <cstring>

#include "app/session/compare/compare.h"
#include "lang/tensor/random.h"

namespace hidet::session {

namespace {

constexpr std::int64_t fewest_elements = 8; // of which some can be others': fewer are counters

} // namespace

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

} // namespace hidet::session
