// SPDX-License-Identifier: Apache-2.0
// Names that nothing binds yet: which imports would, and where those belong in the text.
#include "lang/service/imports.h"

#include <algorithm>

#include "lang/base/text.h"
#include "lang/host/modules.h"
#include "lang/host/script_text.h"
#include "lang/service/lookup.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

using ast::Kind;

constexpr std::size_t most_fixes = 4;

constexpr std::string_view math_of_kernels = "hidet.ir.primitives";

// Where scripts take their names from, the likeliest first; a module that is not here comes after those that are, and one
// that it is below of counts as its place.
constexpr std::string_view usual_modules[] = {"hidet.lang",
                                              "hidet.lang.cuda",
                                              "hidet.lang.types",
                                              "hidet.lang.cpu",
                                              "hidet.lang.mapping",
                                              "hidet.lang.layout",
                                              "hidet",
                                              "math",
                                              math_of_kernels,
                                              "torch"};

std::size_t rank_of(std::string_view module) {
    auto found = std::find(std::begin(usual_modules), std::end(usual_modules), module);
    return static_cast<std::size_t>(found - std::begin(usual_modules));
}

bool is_nearer(const std::string& a, const std::string& b) {
    if (rank_of(a) != rank_of(b))
        return rank_of(a) < rank_of(b);
    auto depth = [](const std::string& name) { return std::ranges::count(name, '.'); };
    if (depth(a) != depth(b))
        return depth(a) < depth(b);
    return a < b;
}

ImportIndex make_index() {
    ImportIndex out;
    const Catalog& catalog = Catalog::get();
    for (const ModuleRow& row : module_rows()) {
        std::string_view module = row.name;
        if (module.find('.') == std::string_view::npos)
            out[std::string(module)].push_back(""); // import math
        const CatalogEntry* entry = catalog.find(module);
        for (const std::string& name : entry ? entry->members : std::vector<std::string>()) {
            const CatalogEntry* member = catalog.member(module, name);
            bool can_be_meant =
                member && !name.starts_with('_') && !member->is_refused && member->kind != ItemKind::Module;
            if (can_be_meant)
                out[name].push_back(std::string(module));
        }
    }
    for (auto& [name, modules] : out) {
        std::ranges::sort(modules, is_nearer);
        if (std::ranges::find(modules, "math") == modules.end() && modules.front() != math_of_kernels)
            std::erase(modules, math_of_kernels); // which has what other modules have, too
        auto unusual = std::ranges::find_if(modules, [](const std::string& module) {
            return !module.empty() && rank_of(module) == std::size(usual_modules);
        });
        modules.erase(unusual == modules.begin() ? unusual + 1 : unusual, modules.end()); // others bring the same
    }
    return out;
}

bool is_docstring(const ast::Stmt& statement) {
    const auto* first = ast::as<ast::ExprStmt>(&statement);
    const auto* text = first ? ast::as<ast::Constant>(first->value) : nullptr;
    return text && text->what == ast::ConstantKind::String;
}

// Where the line behind the comments begins with which the text does.
std::uint32_t end_of_top_comments(std::string_view text) {
    std::uint32_t out = 0;
    for (std::uint32_t line = 0; line < text.size();) {
        std::uint32_t end = end_of_line(text, line), next = end;
        next += text.substr(end).starts_with("\r\n") ? 2 : end < text.size() ? 1 : 0;
        std::string_view words = text.substr(line, end - line);
        words.remove_prefix(blanks_at(text, line).size());
        if (!words.empty() && words[0] != '#')
            break;
        out = words.empty() ? out : next;
        line = next;
    }
    return out;
}

// A line of its own: behind the last of the imports at the top, else behind what the text says of itself.
Edit new_line(const Document& document, const std::string& statement) {
    std::string_view text = document.text();
    std::uint32_t after = 0;
    bool is_behind = false;
    for (const ast::Stmt* node : document.tree().body) {
        bool is_import = node->kind == Kind::Import || node->kind == Kind::ImportFrom;
        if (!is_import && !(node == document.tree().body.front() && is_docstring(*node)))
            break;
        after = document.clamp(node->span.end);
        is_behind = true;
    }
    const std::string line_end(line_end_of(text));
    if (is_behind) {
        after = end_of_line(text, after);
        return {{after, after}, line_end + statement};
    }
    after = end_of_top_comments(text);
    bool at_end = after > 0 && !is_line_end(text[after - 1]);
    return {{after, after}, (at_end ? line_end : "") + statement + line_end};
}

// Into the list of a statement that imports from the module already.
std::optional<Edit> into_statement(const Document& document, const std::string& module, const std::string& name) {
    for (const ast::Stmt* node : document.tree().body) {
        const auto* from = ast::as<ast::ImportFrom>(node);
        if (!from || from->level != 0 || from->module.text != module || from->names.empty())
            continue;
        const ast::ImportName& last = from->names.back();
        if (last.name.text == "*")
            continue;
        std::uint32_t end = last.as.text.empty() ? last.name.span.end : last.as.span.end;
        if (end < document.text().size())
            return Edit{{end, end}, ", " + name};
    }
    return std::nullopt;
}

// Modules beside the script whose text binds the name.
std::vector<std::string> siblings_with(const Document& document, const std::string& name) {
    std::vector<std::string> out;
    for (const std::string& module : document.sibling_names()) {
        std::string path = path_of_import(document.folder(), module);
        if (path == document.path())
            continue;
        auto known = document.siblings().find(module);
        DocumentRef other;
        const Bindings* names = known == document.siblings().end() ? nullptr : &known->second.names;
        if (!names) {
            std::string text = text_of_file(path);
            if (text.find(name) == std::string::npos)
                continue;
            other = read_text(std::move(text), path);
            names = &other->names();
        }
        if (names->scopes.empty() || !names->scopes[0].names.contains(name))
            continue;
        const Binding& binding = names->bindings[static_cast<std::size_t>(names->scopes[0].names.find(name)->second)];
        if (binding.module.empty())
            out.push_back(module);
    }
    return out;
}

bool imports_from(const Document& document, const std::string& module) {
    return into_statement(document, module, "x").has_value();
}

// Where the name may come from, the likeliest first: `beside` the script, or else. Functions of numbers in a kernel are those
// that samples import.
std::vector<std::string> modules_for(const Document& document, const Occurrence& use,
                                     const std::vector<std::string>& beside = {}) {
    std::vector<std::string> modules = modules_with(document.at(use.range));
    if (document.names().is_in_kernel(use.scope))
        std::ranges::stable_partition(modules,
                                      [](const std::string& each) { return each != "math" && each != "torch"; });
    modules.insert(modules.begin(), beside.begin(), beside.end());
    std::ranges::stable_partition(modules, [&](const std::string& each) { return imports_from(document, each); });
    return modules;
}

bool takes_what_is_not_known(const Document& document) {
    for (const NameScope& scope : document.names().scopes)
        for (const std::string& module : scope.star_modules)
            if (!Catalog::get().find(module) && !document.siblings().contains(module))
                return true;
    return false;
}

// A function begins at its first decorator.
std::size_t place_of_statement(const Document& document, std::uint32_t offset) {
    const auto begin = [](const ast::Stmt* node) {
        const auto* function = ast::as<ast::FunctionDef>(node);
        const bool is_decorated = function && !function->decorators.empty();
        return is_decorated ? std::min(node->span.begin, function->decorators.front()->span.begin) : node->span.begin;
    };
    const auto& body = document.tree().body;
    const auto behind = std::ranges::find_if(body, [&](const ast::Stmt* node) { return begin(node) > offset; });
    return static_cast<std::size_t>(behind - body.begin());
}

constexpr std::size_t longest_line = 120;

std::string import_line(const std::string& module, const std::vector<std::string>& names) {
    const std::string line = cat("from ", module, " import ", join(names, ", "));
    return line.size() <= longest_line ? line : cat("from ", module, " import (\n    ", join(names, ",\n    "), ",\n)");
}

// As samples have them: `import hidet`, then what comes from modules, each with its names sorted.
std::vector<Edit> edits_of(const Document& document, const std::map<std::string, std::vector<std::string>>& names) {
    std::vector<Edit> out;
    std::vector<std::string> lines;
    for (const auto& [module, of_module] : names) {
        if (module.empty())
            for (const std::string& each : of_module)
                lines.push_back("import " + each);
        else if (std::optional<Edit> into = into_statement(document, module, join(of_module, ", ")))
            out.push_back(std::move(*into));
        else
            lines.push_back(import_line(module, of_module));
    }
    if (!lines.empty())
        out.push_back(new_line(document, join(lines, line_end_of(document.text()))));
    std::ranges::sort(out, {}, [](const Edit& edit) { return edit.range.begin; });
    return out;
}

// Insertions, from the first to the last as one change of what is between them.
Edit one_edit(const Document& document, const std::vector<Edit>& insertions) {
    Edit out{{insertions.front().range.begin, insertions.back().range.end}, ""};
    std::uint32_t at = out.range.begin;
    for (const Edit& each : insertions) {
        out.text += document.text().substr(at, each.range.begin - at);
        out.text += each.text;
        at = each.range.end;
    }
    return out;
}

} // namespace

const ImportIndex& import_index() {
    static const ImportIndex index = make_index();
    return index;
}

std::vector<std::string> modules_with(std::string_view name) {
    const auto known = import_index().find(name);
    return known == import_index().end() ? std::vector<std::string>() : known->second;
}

std::string known_name_like(std::string_view name) {
    std::vector<std::string> names;
    for (const auto& [known, modules] : import_index())
        if (known.size() <= name.size() + 2) // what abbreviates a longer one is more often a name of one's own
            names.push_back(known);
    return closest(name, names);
}

ImportFix import_of(const Document& document, const std::string& module, const std::string& name) {
    if (module.empty())
        return {cat("import '", name, "'"), new_line(document, "import " + name)};
    std::optional<Edit> edit = into_statement(document, module, name);
    if (!edit)
        edit = new_line(document, cat("from ", module, " import ", name));
    return {cat("import '", name, "' from '", module, "'"), std::move(*edit)};
}

std::vector<ImportFix> import_fixes(const Document& document, std::uint32_t offset) {
    return quietly<std::vector<ImportFix>>(document, [&] {
        std::vector<ImportFix> out;
        if (!document.is_readable())
            return out;
        out = moved_name_fixes(document, document.clamp(offset));
        const Occurrence* use = document.names().occurrence_at(document.clamp(offset));
        if (!out.empty() || !use || use->binding >= 0)
            return out;
        const std::string name(document.at(use->range));
        for (const std::string& module : modules_for(document, *use, siblings_with(document, name)))
            if (out.size() < most_fixes)
                out.push_back(import_of(document, module, name));
        return out;
    });
}

std::vector<UnknownName> unknown_names(const Document& document) {
    return quietly<std::vector<UnknownName>>(document, [&] {
        std::vector<UnknownName> out;
        if (!document.is_readable() || takes_what_is_not_known(document))
            return out;
        for (const Occurrence& use : document.names().occurrences)
            if (use.binding < 0 && !use.is_write && !document.at(use.range).starts_with("__") &&
                !thing_at(document, use).known())
                out.push_back({use.range, place_of_statement(document, use.range.begin)});
        return out;
    });
}

std::optional<ImportFix> import_all(const Document& document) {
    std::map<std::string, std::vector<std::string>> names; // by module; "": modules themselves
    std::size_t count = 0;
    for (const UnknownName& unknown : unknown_names(document)) {
        const Occurrence* use = document.names().occurrence_at(unknown.range.begin);
        const std::vector<std::string> modules = use ? modules_for(document, *use) : std::vector<std::string>();
        if (modules.empty())
            continue;
        const std::string name(document.at(unknown.range));
        std::vector<std::string>& of_module = names[modules[0]];
        if (const auto at = std::ranges::lower_bound(of_module, name); at == of_module.end() || *at != name) {
            of_module.insert(at, name);
            ++count;
        }
    }
    if (count < 2)
        return std::nullopt;
    return ImportFix{cat("import all ", count, " names that are missing"),
                     one_edit(document, edits_of(document, names))};
}

} // namespace hidet::lang::service
