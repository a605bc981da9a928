// SPDX-License-Identifier: Apache-2.0
// Which threads wrote the elements of a tensor, and which of them wrote those that are wrong.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/kernel_bench/kernel_bench.h"
#include "lang/tensor/tensor.h"
#include "runtime/vm/checks/owner_map.h"

namespace hidet::session {

struct TensorOwner {
    std::size_t launch = 0; // of SavedTensor::owner_launches
    std::array<std::int64_t, 3> block{};
    std::int64_t block_number = 0;
    int thread = 0, warp = 0, lane = 0;
};

// An element of SavedTensor::owner_file. Nothing: nobody wrote it.
std::optional<TensorOwner> owner_of(double number, const std::vector<OwnerLaunch>& launches);
std::string owner_text(const TensorOwner& owner, const std::vector<OwnerLaunch>& launches);

std::vector<OwnerLaunch> launches_of(const vm::OwnerMap& map);
lang::TensorRef owner_tensor(const vm::OwnerMap& map, const std::vector<std::int64_t>& shape);

// Of the elements that `is_wrong`, those of most first.
std::vector<WrongOwner> wrong_owners(const vm::OwnerMap& map, const std::vector<std::int64_t>& shape,
                                     const std::function<bool(std::int64_t)>& is_wrong);
// "3 of 8 elements wrong: block (0, 1), warp 3, lanes 4-7"
std::string wrong_text(const WrongOwner& owner);

} // namespace hidet::session
