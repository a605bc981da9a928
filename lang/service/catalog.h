// SPDX-License-Identifier: Apache-2.0
// Every name that the language brings: modules, what they hold, builtins, and the methods and attributes of each kind of
// value. It is read off the modules themselves, once in a process; only the sentences of documentation are written down
// (docs.def and the doc columns of other tables), and a test checks that no name lacks one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/host/value.h"
#include "lang/service/service.h"

namespace hidet::lang::service {

struct CatalogEntry {
    std::string path; // "hidet.lang.cuda.syncthreads", "builtins.len", "str.split"
    std::string name;
    ItemKind kind{};
    std::string type; // of what is no function: "module", "f32", "dim3"
    bool is_callable = false;
    bool is_refused = false;             // calling it is a diagnostic that says why
    std::vector<std::string> parameters; // "addr", "sem=", "*", "*shape", "**"
    bool knows_parameters = false;
    std::string documentation;
    std::vector<std::string> members; // their names; their paths begin with this one's
};

class Catalog {
public:
    static const Catalog& get();

    const CatalogEntry* find(std::string_view path) const;
    // "a.b" of the module or kind "a".
    const CatalogEntry* member(std::string_view owner, std::string_view name) const;
    const std::map<std::string, CatalogEntry, std::less<>>& entries() const { return m_entries; }

private:
    friend class CatalogBuilder;
    std::map<std::string, CatalogEntry, std::less<>> m_entries;
};

// "split(sep=None, ...)" from the entry's parameters, with the place of each in the text.
std::string signature_text(const CatalogEntry& entry, std::vector<SignatureParameter>* parameters = nullptr);

// The catalog's name for the kind of a value: "str", "list", "Tensor", "scalar", "tensor", "layout", ...; "" for none.
std::string kind_of_value(const Value& value);

// The parameters, between blanks, of a function that does not say itself what it takes.
std::optional<std::string> parameters_of(std::string_view path);

// The names that a path may be documented under, the nearest first: its own, and those of enclosing modules, since names mean
// the same wherever they are imported from.
std::vector<std::string> documented_names(std::string_view path);

// The sentence for a path: its own, or that of its name in an enclosing module. "" when there is none.
std::string_view documentation_of(std::string_view path);

} // namespace hidet::lang::service
