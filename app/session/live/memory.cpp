// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/memory.h"

#include <algorithm>

#include "compiler/ir/structure.h"

namespace hidet::session {

namespace {

bool same_up_to(const SourceMap& a, const SourceMap& b, FileId file, std::uint32_t end) {
    if (file > a.size() || file > b.size() || a.file(file).name() != b.file(file).name())
        return false;
    // A place behind the last byte tells lines by what precedes it.
    return std::string_view(a.file(file).text()).substr(0, end) == std::string_view(b.file(file).text()).substr(0, end);
}

} // namespace

Places::Places(const RecordedSite& site) {
    m_origins.push_back({site.site, 0});
    std::unordered_set<const ir::Node*> met;
    add(*site.module, met);
    for (const Origin& origin : m_origins)
        if (origin.known()) {
            std::uint32_t& end = m_ends[origin.span.file];
            end = std::max(end, origin.span.end);
        }
}

void Places::add(const ir::Node& node, std::unordered_set<const ir::Node*>& met) {
    if (!met.insert(&node).second)
        return;
    m_origins.push_back(node.origin);
    if (node.kind == ir::Kind::Var)
        m_names.push_back(static_cast<const ir::Var&>(node).name);
    ir::for_each_child(node, [&](const ir::Node* child) {
        if (child)
            add(*child, met);
    });
}

bool Places::same_in(const SourceMap& before, const SourceMap& now) const {
    return std::all_of(m_ends.begin(), m_ends.end(),
                       [&](const auto& end) { return same_up_to(before, now, end.first, end.second); });
}

Memory::Memory(const Revision& revision, std::shared_ptr<const SourceMap> sources)
    : m_arch(revision.request().arch), m_explains(revision.request().explains_machine),
      m_forms(revision.request().forms), m_with_tools(revision.preview().tools != nullptr),
      m_sources(std::move(sources)) {}

std::optional<Kept> Memory::find(const Memory& next, const RecordedSite& site, const Places& places) const {
    if (!m_sources || m_arch != next.m_arch || m_explains != next.m_explains || m_forms != next.m_forms ||
        m_with_tools != next.m_with_tools)
        return {};
    for (const Kept& kept : m_kept)
        if (kept.lowered && kept.places == places && places.same_in(*m_sources, *next.m_sources) &&
            ir::structural_equal(kept.site.module, site.module)) {
            Kept found = kept;
            found.site = site;
            return found;
        }
    return {};
}

} // namespace hidet::session
