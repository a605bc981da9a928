// SPDX-License-Identifier: Apache-2.0
// The groups of a model view while they are made: each holds boxes and groups, in the order of their first boxes.
#pragma once

#include "app/session/model/view/grouping/grouping.h"

namespace hidet::session::grouping {

struct GroupTree {
    struct Child {
        bool is_group = false;
        std::uint32_t index = 0;
    };
    struct Group {
        ModelGroup group;
        std::string path; // tells it from all others
        std::vector<Child> children;
    };
    std::vector<Group> groups;         // the first one is the model
    std::vector<std::uint64_t> shapes; // of boxes: what equal boxes have in common

    // Puts children [first, last) of a group into a new one.
    std::uint32_t wrap(std::uint32_t group, std::size_t first, std::size_t last, ModelGroup made, std::string path);
};

// Equal neighbours become one group each time: scopes that hold the same, or stretches of boxes that come again and again.
// `readers`: by box, the boxes that it reads, as distances in their order.
void fold_repeats(GroupTree& tree, const std::vector<std::vector<std::uint32_t>>& reads);

// Groups with more children than that get parts, cut where few values pass.
void split_large(GroupTree& tree, const std::vector<std::vector<std::uint32_t>>& reads, std::uint32_t most);

} // namespace hidet::session::grouping
