// SPDX-License-Identifier: Apache-2.0
// One name in all scripts of a folder. Each file that may use it is read as a document of its own; what its names are, it
// knows itself.
#include <algorithm>
#include <filesystem>

#include "lang/base/text.h"
#include "lang/host/script_text.h"
#include "lang/parse/token.h"
#include "lang/service/analysis.h"
#include "lang/service/blocks.h"
#include "lang/service/lookup.h"
#include "lang/service/navigate.h"

namespace hidet::lang::service {

namespace {

const Binding& binding_of(const Bindings& names, int index) {
    return names.bindings[static_cast<std::size_t>(index)];
}

// What is meant: a name of a module, or a parameter of a function of a module.
struct Meaning {
    std::string path;
    std::string name;
    std::string parameter;
    bool known() const { return !path.empty(); }
};

Meaning meaning_of(const Thing& thing) {
    if (!thing.sibling || thing.sibling_binding < 0)
        return {};
    return {thing.sibling->path, binding_of(thing.sibling->names, thing.sibling_binding).name, ""};
}

Meaning meaning_of_own(const Document& document, int index) {
    const Binding& binding = binding_of(document.names(), index);
    bool is_import = !binding.module.empty() || !binding.member.empty();
    if (binding.scope == 0 && !is_import)
        return {document.path(), binding.name, ""};
    if (binding.owner)
        for (const auto& [name, function] : document.names().scopes[0].names)
            if (binding_of(document.names(), function).function == binding.owner)
                return {document.path(), name, binding.name};
    return {};
}

// The parameter of another file's function that a keyword argument goes to.
Meaning meaning_of_argument(const Document& document, const ArgumentUse& use) {
    Meaning out = use.callee ? meaning_of(callee_of(document, use)) : Meaning();
    out.parameter = document.at(use.range);
    return out;
}

Meaning meaning_at(const Document& document, std::uint32_t offset) {
    const Bindings& names = document.names();
    const Occurrence* use = names.occurrence_at(offset);
    const ImportUse* import = names.import_at(offset);
    if (import && !import->member.empty())
        return meaning_of(find_in_module(document, import->module, import->member));
    if (use && use->binding >= 0 && !binding_of(names, use->binding).is_renamed)
        if (Meaning elsewhere = meaning_of(thing_at(document, *use)); elsewhere.known())
            return elsewhere;
    if (use && use->binding < 0)
        return meaning_of(thing_at(document, *use)); // from m import *
    if (const AttributeUse* member = names.attribute_at(offset); member && !use)
        if (Meaning elsewhere = meaning_of(thing_at(document, *member)); elsewhere.known())
            return elsewhere;
    if (const ArgumentUse* argument = names.argument_at(offset); argument && !use)
        if (Meaning elsewhere = meaning_of_argument(document, *argument); elsewhere.known())
            return elsewhere;
    int own = binding_at(document, offset);
    return own >= 0 ? meaning_of_own(document, own) : Meaning();
}

int own_binding(const Document& document, const Meaning& meaning) {
    if (document.names().scopes.empty())
        return -1;
    auto found = document.names().scopes[0].names.find(meaning.name);
    if (found == document.names().scopes[0].names.end())
        return -1;
    if (meaning.parameter.empty())
        return found->second;
    const ast::FunctionDef* function = binding_of(document.names(), found->second).function;
    const std::vector<Binding>& all = document.names().bindings;
    for (std::size_t i = 0; function && i < all.size(); ++i)
        if (all[i].owner == function && all[i].name == meaning.parameter)
            return static_cast<int>(i);
    return -1;
}

bool means(const Thing& thing, const Meaning& meaning) {
    Meaning other = meaning_of(thing);
    return other.path == meaning.path && other.name == meaning.name;
}

// The names of a text that are imported from the module of the meaning and keep theirs.
std::vector<int> imported_bindings(const Document& document, const Meaning& meaning) {
    std::vector<int> out;
    const std::vector<Binding>& all = document.names().bindings;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].kind == BindingKind::Imported && !all[i].is_renamed && all[i].member == meaning.name &&
            means(find_in_module(document, all[i].module, all[i].member), meaning))
            out.push_back(static_cast<int>(i));
    return out;
}

void add_imports(const Document& document, const Meaning& meaning, std::vector<Use>& out) {
    const Bindings& names = document.names();
    for (const ImportUse& use : names.imports)
        if (use.member == meaning.name && means(find_in_module(document, use.module, use.member), meaning))
            out.push_back({use.range, false});
    for (int index : imported_bindings(document, meaning))
        for (const Use& use : uses_of(document, index))
            out.push_back({use.range, false});
    for (const Occurrence& use : names.occurrences)
        if (use.binding < 0 && document.at(use.range) == meaning.name && means(thing_at(document, use), meaning))
            out.push_back({use.range, use.is_write});
    for (const AttributeUse& use : names.attributes)
        if (document.at(use.range) == meaning.name && means(thing_at(document, use), meaning))
            out.push_back({use.range, use.is_write});
}

void add_arguments(const Document& document, const Meaning& meaning, std::vector<Use>& out) {
    for (const ArgumentUse& use : document.names().arguments)
        if (use.callee && document.at(use.range) == meaning.parameter && means(callee_of(document, use), meaning))
            out.push_back({use.range, false});
}

FileUses uses_in(const Document& document, const Meaning& meaning) {
    FileUses out;
    out.path = document.path();
    if (out.path == meaning.path) {
        int index = own_binding(document, meaning);
        if (index < 0)
            return out;
        out.uses = uses_of(document, index);
        out.definition = binding_of(document.names(), index).definition;
    } else if (meaning.parameter.empty()) {
        add_imports(document, meaning, out.uses);
    } else {
        add_arguments(document, meaning, out.uses);
    }
    auto place = [](const Use& use) { return use.range.begin; };
    std::ranges::sort(out.uses, {}, place);
    auto again = std::ranges::unique(out.uses, {}, place);
    out.uses.erase(again.begin(), again.end());
    return out;
}

// A document for each file of the folder that may mean the same: itself, and those whose text has its module's name.
std::vector<DocumentRef> files_around(const Document& document, const Meaning& meaning, const Buffers& buffers) {
    std::vector<DocumentRef> out;
    const std::string module = std::filesystem::path(meaning.path).stem().string();
    auto shared = std::make_shared<const Buffers>(buffers);
    for (const std::string& name : document.sibling_names()) {
        std::string path = path_of_import(document.folder(), name);
        if (path == document.path())
            continue;
        auto open = buffers.find(path);
        std::string text = open == buffers.end() ? text_of_file(path) : open->second;
        if (path != meaning.path && text.find(module) == std::string::npos)
            continue;
        out.push_back(read({std::move(text), path, document.folder(), {}, nullptr, shared}));
    }
    return out;
}

// Why the name cannot change in one of the files that use it; empty: it can.
std::string obstacle(const Document& document, const Meaning& meaning, std::string_view new_name) {
    std::string where = cat("in ", std::filesystem::path(document.path()).filename().string(), ": ");
    if (!document.is_readable())
        return where + "the text cannot be read";
    if (document.path() == meaning.path) {
        int index = own_binding(document, meaning);
        if (index < 0 || !binding_of(document.names(), index).module.empty())
            return cat(where, "'", meaning.name, "' comes from another module; rename it there");
        Renaming own = rename(document, binding_of(document.names(), index).definition.begin, new_name);
        return own.refusal.empty() ? "" : where + own.refusal;
    }
    for (int index : meaning.parameter.empty() ? imported_bindings(document, meaning) : std::vector<int>())
        if (is_taken(document, binding_of(document.names(), index), new_name))
            return cat(where, "'", new_name, "' is used already where '", meaning.name, "' is");
    return "";
}

FolderRenaming rename_alone(const Document& document, std::uint32_t offset, std::string_view new_name) {
    FolderRenaming out;
    Renaming own = rename(document, offset, new_name);
    out.refusal = std::move(own.refusal);
    if (out.refusal.empty())
        out.edits[document.path()] = std::move(own.edits);
    return out;
}

void add_link(const Document& document, const ast::Ident& module, std::vector<ImportLink>& out) {
    auto sibling = document.siblings().find(module.text);
    bool is_file = sibling != document.siblings().end() && sibling->second.tree.file != 0;
    if (is_file && module.span.end <= document.text().size())
        out.push_back({{module.span.begin, module.span.end}, sibling->second.path});
}

void add_links(const Document& document, ast::Block statements, std::vector<ImportLink>& out) {
    for (const ast::Stmt* statement : statements) {
        if (const auto* import = ast::as<ast::Import>(statement))
            for (const ast::ImportName& name : import->names)
                add_link(document, name.name, out);
        const auto* from = ast::as<ast::ImportFrom>(statement);
        if (from && !from->module.text.empty())
            add_link(document, from->module, out);
        for (const ast::ImportName& name :
             from && from->module.text.empty() ? from->names : std::span<ast::ImportName>())
            add_link(document, name.name, out); // from . import helper
        for (ast::Block inner : blocks_of(*statement))
            add_links(document, inner, out);
    }
}

} // namespace

std::vector<FileUses> references_in_folder(const Document& document, std::uint32_t offset, const Buffers& buffers) {
    return quietly<std::vector<FileUses>>(document, [&] {
        std::vector<FileUses> out;
        Meaning meaning = meaning_at(document, document.clamp(offset));
        if (!meaning.known()) {
            FileUses own{document.path(), references(document, offset), {}};
            if (!own.uses.empty())
                own.definition = own.uses.front().range;
            out.push_back(std::move(own));
            return out;
        }
        out.push_back(uses_in(document, meaning));
        for (const DocumentRef& other : files_around(document, meaning, buffers))
            out.push_back(uses_in(*other, meaning));
        std::erase_if(out, [](const FileUses& file) { return file.uses.empty(); });
        return out;
    });
}

FolderRenaming rename_in_folder(const Document& document, std::uint32_t offset, std::string_view new_name,
                                const Buffers& buffers) {
    return quietly<FolderRenaming>(document, [&] {
        Meaning meaning = meaning_at(document, document.clamp(offset));
        if (!meaning.known())
            return rename_alone(document, offset, new_name);
        std::vector<DocumentRef> others = files_around(document, meaning, buffers);
        FolderRenaming out;
        auto add = [&](const Document& file) {
            FileUses uses = uses_in(file, meaning);
            bool is_concerned = !uses.uses.empty() || file.path() == meaning.path;
            if (is_concerned && out.refusal.empty())
                out.refusal = obstacle(file, meaning, new_name);
            for (const Use& use : uses.uses)
                out.edits[uses.path].push_back({use.range, std::string(new_name)});
        };
        add(document);
        for (const DocumentRef& other : others)
            add(*other);
        if (!out.refusal.empty())
            out.edits.clear();
        return out;
    });
}

std::vector<ImportLink> import_links(const Document& document) {
    return quietly<std::vector<ImportLink>>(document, [&] {
        std::vector<ImportLink> out;
        add_links(document, document.tree().body, out);
        return out;
    });
}

} // namespace hidet::lang::service
