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
    // After the limit one last diagnostic says so, and nothing more is kept.
    void add(Diagnostic diagnostic) {
        if (full())
            return;
        if (m_all.size() == limit)
            diagnostic = Diagnostic::make(DiagId::SyntaxTooManyErrors, diagnostic.span);
        m_all.push_back(std::move(diagnostic));
    }
    bool full() const { return m_all.size() > limit; }
    template <class... Args>
    void add(DiagId id, std::size_t begin, std::size_t end, const Args&... args) {
        add(make(id, begin, end, args...));
    }

    // Whether something was said about this part of the text.
    bool any_in(std::size_t begin, std::size_t end) const {
        return std::ranges::any_of(m_all,
                                   [&](const Diagnostic& d) { return d.span.begin >= begin && d.span.begin <= end; });
    }
    bool any_in(DiagId id, Span where) const {
        return std::ranges::any_of(m_all, [&](const Diagnostic& d) {
            return d.id == id && d.span.begin >= where.begin && d.span.end <= where.end;
        });
    }
    bool empty() const { return m_all.empty(); }
    std::size_t size() const { return m_all.size(); }
    std::vector<Diagnostic>& all() { return m_all; }
    const std::vector<Diagnostic>& all() const { return m_all; }

    static constexpr std::size_t limit = 100;

private:
    FileId m_file;
    std::vector<Diagnostic> m_all;
};

} // namespace hidet::lang
