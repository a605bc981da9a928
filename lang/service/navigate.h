// SPDX-License-Identifier: Apache-2.0
// What a place of a text names, and whether that can have another name: shared by references and renaming.
#pragma once

#include "lang/service/document.h"

namespace hidet::lang::service {

int binding_at(const Document& document, std::uint32_t offset); // -1: nothing that this text binds
// The first assignment of the field `self.name` that is meant; empty: no field of a class of this text.
Range field_at(const Document& document, std::uint32_t offset);
std::vector<Use> uses_of_field(const Document& document, Range field);

// Whether a use of the binding would mean something else under the new name, or something else would mean the binding.
bool is_taken(const Document& document, const Binding& binding, std::string_view name);
// A member that is called through an object that nobody knows may be this one; what is said of that.
std::string doubt_about(const Document& document, std::string_view name);

} // namespace hidet::lang::service
