// SPDX-License-Identifier: Apache-2.0
// What was made of the modules of one revision. The next revision takes over what it builds again, exactly: equal IR, with
// the same names, from the same bytes of the same lines. So every place in what is taken over is still right.
#pragma once

#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "app/session/live/revision.h"
#include "app/session/preview/sites.h"
#include "compiler/artifact/source.h"

namespace hidet::session {

// Where each node of a module came from, and how its variables are called. To be taken before any pass runs: passes give
// origins to nodes that have none.
class Places {
public:
    Places() = default;
    explicit Places(const RecordedSite& site);
    // The texts that the places are in, as far as these reach, are the same.
    bool same_in(const SourceMap& before, const SourceMap& now) const;
    friend bool operator==(const Places&, const Places&) = default;

private:
    void add(const ir::Node& node, std::unordered_set<const ir::Node*>& met);

    std::vector<Origin> m_origins; // in the order of the tree, shared nodes once
    std::vector<std::string> m_names;
    std::map<FileId, std::uint32_t> m_ends; // of the last byte that is named, by file
};

struct Kept {
    RecordedSite site;
    Places places;
    LiveModule live;        // without what compilers made
    ir::ModuleRef lowered;  // null: it could not be
    ir::ModuleRef emulated; // lowered for the emulator; null: nobody has done so
    std::shared_ptr<const artifact::Source> cuda;
    std::vector<Diagnostic> diagnostics; // of passes and generators
};

class Memory {
public:
    Memory() = default;
    Memory(const Revision& revision, std::shared_ptr<const SourceMap> sources);
    void keep(Kept kept) { m_kept.push_back(std::move(kept)); }
    // What this memory has of an equal module of the revision that `next` is for.
    std::optional<Kept> find(const Memory& next, const RecordedSite& site, const Places& places) const;

private:
    std::string m_arch;
    bool m_explains = false;
    std::vector<Form> m_forms;
    bool m_with_tools = false;
    std::shared_ptr<const SourceMap> m_sources;
    std::vector<Kept> m_kept;
};

} // namespace hidet::session
