// SPDX-License-Identifier: Apache-2.0
// What a name at a place of a text is, from everything a document knows: its binding, the value an evaluation showed,
// the entry of the catalog, or a name of a sibling file.
#pragma once

#include <string>

#include "lang/service/caret.h"
#include "lang/service/catalog.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

struct Thing {
    std::string name;
    int binding = -1; // of the document
    const Fact* fact = nullptr;
    const CatalogEntry* entry = nullptr;
    const Sibling* sibling = nullptr;
    int sibling_binding = -1; // of the sibling; -1: the module itself
    Range field;              // where `self.name` is assigned
    bool known() const { return binding >= 0 || fact || entry || sibling || !field.empty(); }
};

Thing find_name(const Document& document, int scope, std::string_view name);
Thing find_member(const Document& document, const Thing& object, std::string_view name);
Thing find_dotted(const Document& document, int scope, const DottedName& dotted);
// What an object in front of a dot is, also where it is no plain name.
Thing find_object(const Document& document, int scope, const DottedName& dotted);
Thing find_in_module(const Document& document, std::string_view module, std::string_view member);
// What a use of a name in the text is; the fact is that of the place.
Thing thing_at(const Document& document, const Occurrence& occurrence);
Thing thing_at(const Document& document, const AttributeUse& use);
Thing callee_of(const Document& document, const ArgumentUse& use); // of one that the tree has
// The parameter that a keyword argument goes to; -1: of no function of this text.
int parameter_of(const Document& document, const ArgumentUse& use);
// Every place that means the binding: its names, attributes for what a class holds, and keyword arguments.
std::vector<Use> uses_of(const Document& document, int binding);

// The names behind a dot.
std::vector<std::string> members_of(const Document& document, const Thing& object);

// "def f(a, b=1) -> f32", and the places of the parameters in it.
std::string signature_of(std::string_view text, const ast::FunctionDef& def,
                         std::vector<SignatureParameter>* parameters = nullptr);
std::string docstring_of(ast::Block body);

ItemKind kind_of(const Document& document, const Thing& thing);
std::string detail_of(const Document& document, const Thing& thing); // signature or type
std::string documentation_of(const Document& document, const Thing& thing);

} // namespace hidet::lang::service
