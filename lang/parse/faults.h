// SPDX-License-Identifier: Apache-2.0
// The diagnostics of one file while it is being read. A line that already has one says nothing more about its syntax.
#pragma once

#include <algorithm>
#include <vector>

#include "lang/base/diagnostic.h"

namespace hidet::lang {

class Faults {
public:
    explicit Faults(FileId file) : m_file(file) {}

    Span span(std::size_t begin, std::size_t end) const {
        return {m_file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }
    template <class... Args>
    Diagnostic make(DiagId id, std::size_t begin, std::size_t end, const Args&... args) const {
        return Diagnostic::make(id, span(begin, end), args...);
    }
    void add(Diagnostic diagnostic) { m_all.push_back(std::move(diagnostic)); }
    template <class... Args>
    void add(DiagId id, std::size_t begin, std::size_t end, const Args&... args) {
        add(make(id, begin, end, args...));
    }
    void append(const Faults& other) { m_all.insert(m_all.end(), other.m_all.begin(), other.m_all.end()); }

    bool any_in(std::size_t begin, std::size_t end) const {
        return std::any_of(m_all.begin(), m_all.end(),
                           [&](const Diagnostic& d) { return d.span.begin >= begin && d.span.begin <= end; });
    }
    bool empty() const { return m_all.empty(); }
    std::size_t size() const { return m_all.size(); }
    std::vector<Diagnostic>& all() { return m_all; }
    const std::vector<Diagnostic>& all() const { return m_all; }

    static constexpr std::size_t limit = 100; // the file is given up after so many

private:
    FileId m_file;
    std::vector<Diagnostic> m_all;
};

} // namespace hidet::lang
