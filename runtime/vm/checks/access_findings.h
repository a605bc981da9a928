// SPDX-License-Identifier: Apache-2.0
// What findings of accesses say: which thread is wrong, and which element it has (finding.cpp).
#pragma once

#include <string>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

class AccessFindings : BlockView {
public:
    explicit AccessFindings(const BlockView& view) : BlockView(view) {}
    [[noreturn]] void fail_access(Group& group, const artifact::Access& access, Purpose purpose, FindingKind kind,
                                  std::int64_t bytes, const std::string& text);
    [[noreturn]] void fail_bounds(Group& group, const artifact::Access& access, Purpose purpose);
    [[noreturn]] void fail_allocation(Group& group, const artifact::Access& access, Purpose purpose, std::int64_t start,
                                      std::int64_t bytes);
    std::int64_t term_index(const Group& group, const artifact::AccessDim& dim, int lane) const;
    std::string name_element(Finding& finding, const Group& group, const Step& step, int lane) const;

private:
    Finding out_of_bounds(Group& group, const artifact::Access& access, Purpose purpose, int lane,
                          std::int64_t threads) const; // what both say that follow: the place of the worst lane
    std::int64_t term_extent(const Group& group, const artifact::AccessDim& dim) const;
    std::string element_text(const Group& group, const artifact::Access& access, int lane) const;
};

} // namespace hidet::vm
