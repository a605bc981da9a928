// SPDX-License-Identifier: Apache-2.0
// A name that was taken from the wrong module: `hidet.lang.sqrt`, `from hidet.lang import syncthreads`.

#include "lang/service/imports.h"
#include "lang/service/lookup.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

std::string_view root_of(std::string_view path) {
    return path.substr(0, path.find('.'));
}

bool has_name(const std::string& module, std::string_view name) {
    return Catalog::get().member(module, name) != nullptr;
}

// Whether the dotted name of a module means that module where the text says it.
bool can_be_said(const Document& document, const std::string& module) {
    const Thing root = find_name(document, 0, root_of(module));
    return root.entry && root.entry->kind == ItemKind::Module && root.entry->path == root_of(module);
}

// `hidet.lang.syncthreads` becomes `hidet.lang.cuda.syncthreads`.
std::vector<ImportFix> other_owners(const Document& document, const DottedName& object, const std::string& name) {
    std::vector<ImportFix> out;
    const Thing owner = find_dotted(document, 0, object);
    if (!owner.entry || owner.entry->kind != ItemKind::Module || has_name(owner.entry->path, name))
        return out;
    for (const std::string& module : modules_with(name))
        if (!module.empty() && can_be_said(document, module))
            out.push_back({cat("take '", name, "' from '", module, "'"), {object.range, module}});
    return out;
}

const ast::ImportFrom* statement_at(const Document& document, std::uint32_t offset) {
    for (const ast::Stmt* node : document.tree().body)
        if (const auto* from = ast::as<ast::ImportFrom>(node);
            from && node->span.begin <= offset && offset <= node->span.end)
            return from;
    return nullptr;
}

std::string as_written(const ast::ImportName& name) {
    return name.as.text.empty() ? std::string(name.name.text) : cat(name.name.text, " as ", name.as.text);
}

// The statement without the name, and one more for it. Nothing where that would lose a comment or how lines are broken.
std::optional<Edit> split(const Document& document, const ast::ImportFrom& statement, std::uint32_t offset,
                          const std::string& module) {
    const Range all{statement.span.begin, statement.span.end};
    const std::string_view text = document.at(all);
    if (statement.level != 0 || text.find_first_of("(#\\\n\r;") != std::string_view::npos)
        return std::nullopt;
    std::string stays, goes;
    for (const ast::ImportName& name : statement.names) {
        const bool is_it = name.name.span.begin <= offset && offset <= name.name.span.end;
        std::string& side = is_it ? goes : stays;
        side += (side.empty() ? "" : ", ") + as_written(name);
    }
    std::string changed = cat("from ", module, " import ", goes);
    if (!stays.empty())
        changed = cat("from ", statement.module.text, " import ", stays, line_end_of(document.text()), changed);
    return Edit{all, changed};
}

std::vector<ImportFix> other_imports(const Document& document, std::uint32_t offset, const std::string& name) {
    std::vector<ImportFix> out;
    const ast::ImportFrom* statement = statement_at(document, offset);
    if (!statement || has_name(std::string(statement->module.text), name))
        return out;
    for (const std::string& module : modules_with(name))
        if (auto edit = module.empty() ? std::nullopt : split(document, *statement, offset, module))
            out.push_back({cat("import '", name, "' from '", module, "'"), std::move(*edit)});
    return out;
}

} // namespace

std::vector<ImportFix> moved_name_fixes(const Document& document, std::uint32_t offset) {
    const Caret caret = caret_at(document, offset);
    const std::string name(document.at(caret.word));
    if (caret.where == Caret::Where::Member && caret.object.is_whole)
        return other_owners(document, caret.object, name);
    if (caret.where == Caret::Where::ImportMember)
        return other_imports(document, offset, name);
    return {};
}

} // namespace hidet::lang::service
