// SPDX-License-Identifier: Apache-2.0
// What scripts say about whole models: hidet.ops, symbolic tensors, graphs. The evaluator knows that there may be such a
// thing; the graph layer, which stands on the evaluator, implements it, and the session brings the two together. One
// object serves one evaluation: symbolic tensors are values of its graph.
#pragma once

#include <string>
#include <string_view>

namespace hidet::lang {

class Evaluator;
struct HostModule;
class Value;

class GraphLanguage {
public:
    virtual ~GraphLanguage() = default;
    // Adds to the module, which may be any of modules.def that are made by make_hidet_graph, "hidet" itself, "hidet.distributed"
    // or "hidet.runtime".
    virtual void extend(Evaluator& evaluator, HostModule& module) = 0;
    // The script has given this name to a value, as a variable, a parameter or an attribute.
    virtual void named(const Value&, std::string_view) {}
    // Of a module that is itself a script; empty: there is none of that name.
    virtual std::string_view module_text(std::string_view) const { return {}; }
    // What the script's `__name__` says: that of its file where it is only looked into for what it adds to a model.
    virtual std::string module_name() const { return "__main__"; }
};

} // namespace hidet::lang
