// SPDX-License-Identifier: Apache-2.0
// A listing while it is written.
#pragma once

#include "runtime/toolchain/listing.h"

namespace hidet::toolchain {

// Lines of the CUDA text, innermost first; empty: none.
using LineChain = std::vector<int>;

class ListingWriter {
public:
    void line(std::string_view text, const LineChain& chain = {}) {
        m_listing.text.append(text).push_back('\n');
        m_listing.source_lines.push_back(0);
        m_listing.callers.emplace_back();
        link(m_listing.source_lines.size() - 1, chain);
    }
    void link(std::size_t line, const LineChain& chain) {
        if (chain.empty())
            return;
        m_listing.source_lines[line] = chain.front();
        m_listing.callers[line].assign(chain.begin() + 1, chain.end());
    }
    // At most one empty line between others, none at the start.
    void gap() {
        if (!m_listing.text.empty() && !m_listing.text.ends_with("\n\n"))
            line("");
    }
    void drop_gap() {
        while (m_listing.text.ends_with("\n\n")) {
            m_listing.text.pop_back();
            m_listing.source_lines.pop_back();
            m_listing.callers.pop_back();
        }
    }
    bool ends_with(std::string_view text) const { return m_listing.text.ends_with(text); }
    std::size_t line_count() const { return m_listing.source_lines.size(); }
    Listing take() {
        drop_gap();
        return std::move(m_listing);
    }

private:
    Listing m_listing;
};

} // namespace hidet::toolchain
