// SPDX-License-Identifier: Apache-2.0
// What a client sees of a launch that stands: scopes, variables and their parts. A reference means the same until the launch goes on.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/session/debug/debug_view.h"

namespace hidet::dap {

using Json = nlohmann::json;
using session::lanes_of_warp;

class Shown {
public:
    void forget() { m_nodes.clear(); }
    Json scopes(int thread); // of a thread's warp
    // Children of what a reference stands for; `count` 0: all, of which there are bounds.
    Json children(const session::DebugView& view, int reference, std::int64_t start, std::int64_t count);
    Json tensor(const session::DebugTensor& tensor); // its value and a reference to its parts
    // The element that a child is, as text: "tile[3, 4]"; its name alone: it is none.
    std::string element(const session::DebugView& view, int reference, const std::string& name) const;
    bool knows(int reference) const { return reference >= 1 && reference <= static_cast<int>(m_nodes.size()); }

private:
    enum class Kind : std::uint8_t { Variables, Lanes, Shared, Arguments, Rows, LanesOf, Part };
    struct Node {
        Kind kind{};
        int warp = 0;           // Variables, Rows, LanesOf
        std::string name = {};  // of the variable or the tensor
        std::size_t dims = 0;   // Part: of the index that are fixed
        std::int64_t first = 0; // Part: the element that it begins with
    };
    int reference_to(Node node);
    void add_variables(const session::DebugView& view, const Node& node, Json& out);
    void add_lanes(const session::DebugView& view, Json& out) const;
    void add_tensors(const session::DebugView& view, session::TensorHome home, Json& out);
    void add_rows(const session::DebugView& view, const Node& node, Json& out);
    void add_part(const session::DebugView& view, const Node& node, std::int64_t start, std::int64_t count, Json& out);

    std::vector<Node> m_nodes;
};

} // namespace hidet::dap
