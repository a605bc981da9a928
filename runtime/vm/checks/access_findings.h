// SPDX-License-Identifier: Apache-2.0
// What findings of accesses say: which thread is wrong, and which element it has (finding.cpp).
#pragma once

#include <string>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

class AccessFindings : BlockView {
public:
    explicit AccessFindings(const BlockView& view) : BlockView(view) {}
    [[noreturn]] void fail_access(Group& group, const Access& access, Purpose purpose, FindingKind kind,
                                  std::int64_t bytes, const std::string& text);
    [[noreturn]] void fail_bounds(Group& group, const Access& access, Purpose purpose);
    [[noreturn]] void fail_allocation(Group& group, const Access& access, Purpose purpose, std::int64_t start,
                                      std::int64_t bytes);
    std::int64_t terms_offset(const Group& group, const Access& access, int lane) const; // from its base
    std::string name_element(Finding& finding, const Group& group, const Access& access, int lane) const;

private:
    std::int64_t term_index(const Group& group, const AccessDim& dim, int lane) const;
    Finding out_of_bounds(Group& group, Purpose purpose, int lane, std::int64_t threads) const;
    std::int64_t term_extent(const Group& group, const AccessDim& dim) const;
};

} // namespace hidet::vm
