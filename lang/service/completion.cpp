// SPDX-License-Identifier: Apache-2.0
// Candidates come from where the caret stands: names in scope, members of an object, modules, arguments of the callee.
// They are ranked by how well they fit what is typed; among equals wins what is nearer, what fits a kernel or host code, a
// type where one is expected, what was used last in the text, and what the user took last from such a list.
#include <algorithm>
#include <map>
#include <set>

#include "lang/base/ascii.h"
#include "lang/host/modules.h"
#include "lang/parse/token.h"
#include "lang/service/imports.h"
#include "lang/service/lookup.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

// Pieces of scripts that an editor offers by name.
struct Snippet {
    const char* name;
    const char* what;
    bool in_kernel;
    bool anywhere;
    const char* text;
};

enum class Where { Host, Kernel, Anywhere };

Snippet snippet(const char* name, const char* what, Where where, const char* text) {
    return {name, what, where == Where::Kernel, where == Where::Anywhere, text};
}

const std::vector<Snippet>& all_snippets() {
    static const std::vector<Snippet> all = {
#define HIDET_SNIPPET(name, what, where, text) snippet(name, what, Where::where, text),
#include "lang/service/snippets.def"
    };
    return all;
}

// Its text with the line ends of the document, indented as the line at the offset.
std::string snippet_text(const Snippet& snippet, const Document& document, std::uint32_t offset) {
    const std::string_view text = document.text();
    const std::string indent(blanks_at(text, start_of_line(text, offset)));
    const std::string line_end(line_end_of(text));
    std::string out;
    std::string_view source = snippet.text;
    while (source.ends_with('\n'))
        source.remove_suffix(1); // the caret is in a line that has an end
    for (char c : source)
        out += c == '\n' ? line_end + indent : std::string(1, c);
    return out;
}

// What a candidate gains for being likely, in the units of fuzzy_score(): never more than its tiers are apart.
enum Nearness : int {
    Argument = 900,
    Local = 600,
    Enclosing = 450,
    Module = 300,
    Imported = 200,
    Language = 0,
    Word = -200,
    Unimported = -300
};
enum Fitness : int { UsedLast = 90, FitsScope = 120, FitsType = 250 };
constexpr std::size_t remembered = 9; // names that were used last

class Completer {
public:
    Completer(const Document& document, std::uint32_t offset, const CompletionOptions& options)
        : m_document(document), m_options(options), m_offset(document.clamp(offset)),
          m_caret(caret_at(document, m_offset)),
          m_scope(document.names().scopes.empty() ? 0 : document.names().scope_at(document.text(), m_offset)) {
        m_in_kernel = document.names().is_in_kernel(m_scope);
        m_wants_type = wants_type();
        remember();
    }

    Completions answer() {
        m_out.replaced = m_caret.word;
        switch (m_caret.where) {
        case Caret::Where::Nowhere: return std::move(m_out);
        case Caret::Where::Member: members(); break;
        case Caret::Where::ImportName: modules(); break;
        case Caret::Where::ImportMember: module_members(); break;
        case Caret::Where::Code:
            arguments();
            names();
            keywords();
            snippets();
            unimported();
            break;
        case Caret::Where::Annotation:
            names();
            unimported();
            break;
        }
        if (m_options.taken)
            for (Completion& item : m_out.items)
                item.score += m_options.taken->likelihood(item.label);
        std::ranges::stable_sort(m_out.items, [](const Completion& a, const Completion& b) {
            return a.score != b.score ? a.score > b.score : a.label < b.label;
        });
        return std::move(m_out);
    }

private:
    void offer(const Thing& thing, int nearness) {
        auto match = fuzzy_score(m_caret.typed, thing.name);
        if (!match || !m_seen.insert(thing.name).second)
            return;
        if (thing.entry && thing.entry->is_refused && m_caret.where != Caret::Where::ImportMember)
            return;
        Completion item;
        item.label = item.insert = thing.name;
        item.kind = kind_of(m_document, thing);
        item.detail = detail_of(m_document, thing);
        item.documentation = documentation_of(m_document, thing);
        item.matches = std::move(match->matches);
        item.score = match->score + nearness + fitness(thing, item.kind);
        bool is_private = thing.name.starts_with("_") && !m_caret.typed.starts_with("_");
        if (is_private)
            item.score -= 400;
        if (m_caret.where == Caret::Where::Annotation && item.kind == ItemKind::Type)
            item.score += 100'000;
        m_out.items.push_back(std::move(item));
    }

    void offer_text(std::string label, std::string insert, ItemKind kind, std::string detail, int nearness) {
        auto match = fuzzy_score(m_caret.typed, label);
        if (!match || !m_seen.insert(label).second)
            return;
        m_out.items.push_back({std::move(label),
                               std::move(insert),
                               kind,
                               std::move(detail),
                               "",
                               std::move(match->matches),
                               match->score + nearness,
                               {},
                               false});
    }

    // Whether the argument that is being written is called `dtype`, by its keyword or by its place.
    bool wants_type() const {
        auto call = call_at(m_document, m_caret.word.begin);
        if (m_caret.where != Caret::Where::Code || !call)
            return false;
        std::string name = call->keyword;
        if (name.empty()) {
            SignatureHelp help = signature_help(m_document, m_caret.word.begin);
            if (help.active >= 0)
                name = help.parameters[static_cast<std::size_t>(help.active)].name;
        }
        return name == "dtype";
    }

    // The names in front of the caret, the last one first.
    void remember() {
        const std::vector<Occurrence>& all = m_document.names().occurrences;
        auto at = std::lower_bound(all.begin(), all.end(), m_caret.word.begin,
                                   [](const Occurrence& use, std::uint32_t begin) { return use.range.begin < begin; });
        while (at != all.begin() && m_last_used.size() < remembered) {
            --at;
            m_last_used.try_emplace(m_document.at(at->range), static_cast<int>(remembered - m_last_used.size()));
        }
    }

    int fitness(const Thing& thing, ItemKind kind) const {
        int out = 0;
        bool is_member = m_caret.where == Caret::Where::Member;
        if (auto used = m_last_used.find(thing.name); used != m_last_used.end() && !is_member)
            out += UsedLast * used->second / static_cast<int>(remembered);
        bool is_of_kernels = thing.entry && thing.entry->path.starts_with("hidet.lang");
        bool is_of_hosts =
            thing.entry && (thing.entry->path.starts_with("torch") || thing.entry->kind == ItemKind::Exception);
        if (m_in_kernel)
            out += is_of_kernels ? FitsScope : is_of_hosts ? -FitsScope : 0;
        if (m_wants_type && kind == ItemKind::Type)
            out += FitsType;
        return out;
    }

    // Whether the only place that binds a name is the word under the caret.
    bool is_being_typed(const Binding& binding) const {
        return std::ranges::all_of(binding.uses,
                                   [&](const Use& use) { return use.range == m_caret.word || !use.is_write; });
    }

    void names() {
        for (int at = m_scope; at >= 0; at = m_document.names().scopes[static_cast<std::size_t>(at)].parent) {
            const NameScope& scope = m_document.names().scopes[static_cast<std::size_t>(at)];
            if (scope.kind == ScopeKind::Class && at != m_scope)
                continue;
            for (const auto& [name, index] : scope.names) {
                const Binding& binding = m_document.names().bindings[static_cast<std::size_t>(index)];
                if (is_being_typed(binding))
                    continue;
                bool imported = binding.kind == BindingKind::Module || binding.kind == BindingKind::Imported;
                int nearness = at == m_scope && at > 0 ? Local : imported ? Imported : at == 0 ? Module : Enclosing;
                offer(find_name(m_document, m_scope, name), nearness);
            }
            for (const std::string& module : scope.star_modules)
                for (const std::string& name : members_of(m_document, find_in_module(m_document, module, "")))
                    if (!name.starts_with('_'))
                        offer(find_in_module(m_document, module, name), Language);
        }
        if (const CatalogEntry* builtins = Catalog::get().find("builtins"))
            for (const std::string& name : builtins->members)
                offer(find_in_module(m_document, "builtins", name), Word);
    }

    void keywords() {
        for (int kind = static_cast<int>(Tok::FALSE); kind <= static_cast<int>(Tok::YIELD); ++kind) {
            Tok word = static_cast<Tok>(kind);
            if (is_refused(word) || (only_begins_statement(word) && !m_caret.starts_statement))
                continue;
            std::string text(spelling(word));
            offer_text(text, text, ItemKind::Keyword, "", Word);
        }
    }
    void snippets() {
        if (!m_options.snippets || !m_caret.starts_statement)
            return;
        for (const Snippet& snippet : all_snippets()) {
            auto match = fuzzy_score(m_caret.typed, snippet.name);
            bool fits = snippet.in_kernel == m_in_kernel || snippet.anywhere;
            if (!match || !fits)
                continue;
            Completion item;
            item.label = snippet.name;
            item.insert = snippet_text(snippet, m_document, m_caret.word.begin);
            item.kind = ItemKind::Snippet;
            item.detail = snippet.what;
            item.matches = std::move(match->matches);
            item.score = match->score + Word;
            item.is_snippet = true;
            m_out.items.push_back(std::move(item));
        }
    }

    // What the language's modules have, behind all that is there already.
    void unimported() {
        if (!m_options.unimported || m_caret.typed.size() < 2)
            return;
        for (const auto& [name, modules] : import_index()) {
            if (to_lower(name[0]) != to_lower(m_caret.typed[0]) || m_seen.contains(name))
                continue;
            const std::string& module = modules.front();
            std::size_t before = m_out.items.size();
            Thing thing = find_in_module(m_document, module.empty() ? name : module, module.empty() ? "" : name);
            thing.name = name;
            offer(thing, Unimported);
            if (m_out.items.size() == before)
                continue;
            ImportFix fix = import_of(m_document, module, name);
            Completion& item = m_out.items.back();
            item.detail += cat(item.detail.empty() ? "" : "  ", "(", fix.title, ")");
            item.edits.push_back(std::move(fix.edit));
        }
    }
    static bool is_refused(Tok word) { // by the language
        return word == Tok::ASYNC || word == Tok::AWAIT || word == Tok::YIELD;
    }

    void members() {
        Thing object = find_object(m_document, m_scope, m_caret.object);
        for (const std::string& name : members_of(m_document, object)) {
            if (name.starts_with("__") && !m_caret.typed.starts_with('_'))
                continue;
            Thing member = find_member(m_document, object, name);
            member.name = name;
            offer(member, Language);
        }
    }

    void modules() {
        std::string owner;
        for (const std::string& part : m_caret.object.parts)
            owner += part + ".";
        for (const ModuleRow& row : module_rows()) {
            std::string_view name = row.name;
            if (!name.starts_with(owner) || name.find('.', owner.size()) != std::string_view::npos)
                continue;
            Thing module = find_in_module(m_document, name, "");
            module.name = name.substr(owner.size());
            offer(module, Language);
        }
        if (!owner.empty())
            return;
        for (const std::string& name : m_document.sibling_names())
            offer_text(name, name, ItemKind::Module, "beside the script", Local);
    }

    void module_members() {
        std::string path;
        for (const std::string& part : m_caret.object.parts)
            path += (path.empty() ? "" : ".") + part;
        Thing module = find_in_module(m_document, path, "");
        if (path.empty()) // from . import
            for (const std::string& name : m_document.sibling_names())
                offer_text(name, name, ItemKind::Module, "beside the script", Local);
        for (const std::string& name : members_of(m_document, module)) {
            Thing member = find_in_module(m_document, path, name);
            member.name = name;
            offer(member, Language);
        }
    }

    // name= of what is being called.
    void arguments() {
        auto call = call_at(m_document, m_caret.word.begin);
        if (!call || !call->keyword.empty())
            return;
        Thing callee = find_dotted(m_document, m_scope, call->callee);
        std::vector<SignatureParameter> parameters;
        if (callee.binding >= 0) {
            const Binding& binding = m_document.names().bindings[static_cast<std::size_t>(callee.binding)];
            if (binding.function)
                signature_of(m_document.text(), *binding.function, &parameters);
        }
        if (callee.entry && callee.entry->knows_parameters)
            signature_text(*callee.entry, &parameters);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const std::string& name = parameters[i].name;
            bool given =
                static_cast<int>(i) < call->argument || std::ranges::find(call->keywords, name) != call->keywords.end();
            bool is_rest = callee.entry &&
                           callee.entry->parameters[std::min(i, callee.entry->parameters.size() - 1)].starts_with('*');
            if (!given && !name.empty() && !is_rest)
                offer_text(name + "=", name + "=", ItemKind::Argument, "argument of " + callee.name,
                           m_caret.typed.empty() ? Language : Argument);
        }
    }

    const Document& m_document;
    const CompletionOptions m_options;
    std::uint32_t m_offset;
    Caret m_caret;
    int m_scope;
    bool m_in_kernel = false;
    bool m_wants_type = false;
    std::map<std::string_view, int, std::less<>> m_last_used; // the larger, the later
    Completions m_out;
    std::set<std::string, std::less<>> m_seen;
};

} // namespace

Completions completions(const Document& document, std::uint32_t offset, const CompletionOptions& options) {
    return quietly<Completions>(document, [&] { return Completer(document, offset, options).answer(); });
}

} // namespace hidet::lang::service
