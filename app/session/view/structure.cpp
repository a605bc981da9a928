// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/structure.h"

#include <optional>
#include <utility>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/parse_text.h"
#include "lang/base/columns.h"
#include "lang/base/printable.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t most_detail = 160; // letters
constexpr std::pair<const char*, const char*> launch_attributes[] = {{"attrs.cuda.grid_dim = ", "grid "},
                                                                     {"attrs.cuda.cluster_dim = ", "cluster "},
                                                                     {"attrs.cuda.block_dim = ", "block "}};

// clang-format off
std::optional<StructureKind> kind_of(const ir::IntrinsicInfo& row) {
    switch (row.id) {
#define HIDET_STRUCTURE_INTRINSIC(id, kind)                                                                            \
    case ir::IntrinsicId::id: return StructureKind::kind;
#include "app/session/view/structure_kinds.def"
    default: break;
    }
    switch (row.category) {
#define HIDET_STRUCTURE_CATEGORY(category, kind)                                                                       \
    case ir::IntrinsicCategory::category: return StructureKind::kind;
#include "app/session/view/structure_kinds.def"
    default: return {};
    }
}

// clang-format on

std::string cut(std::string_view text) {
    return shortened(text, most_detail);
}

std::string without_colon(std::string_view text) {
    if (text.ends_with(':'))
        text.remove_suffix(1);
    return cut(text);
}

class StructureReader : public ir::Walker {
public:
    explicit StructureReader(const SourceFile& file) : m_file(file) {}

    Structure read(const ir::Module& module) {
        put(StructureKind::Module, module.name.empty() ? "module" : module.name,
            cat("level ", ir::level_name(module.level)), {1, m_file.line_count()});
        ++m_depth;
        for (const ir::VarRef& global : module.globals)
            allocation(*global, "global", line_of(*global));
        for (const ir::FunctionRef& function : module.functions)
            walk(function);
        return std::move(m_rows);
    }

protected:
    using Walker::visit;

    void visit(const ir::Function& function) override {
        open(StructureKind::Function, function.name, detail_of(function), line_of(function));
        walk(function.body);
        --m_depth;
    }

    void visit(const ir::ForStmt& loop) override {
        open_loop(StructureKind::Loop, loop);
        walk(loop.extent);
        walk(loop.body);
        --m_depth;
    }

    void visit(const ir::ForMappingStmt& loop) override {
        open_loop(StructureKind::Tasks, loop);
        walk(loop.body);
        --m_depth;
    }

    void visit(const ir::WhileStmt& loop) override {
        const int line = line_of(loop);
        open(StructureKind::Loop, "while", after_word(line, "while "), line);
        walk(loop.condition);
        walk(loop.body);
        --m_depth;
    }

    void visit(const ir::IfStmt& branch) override { branch_at(branch, line_of(branch), "if"); }

    void visit(const ir::DeclareStmt& declare) override {
        if (ir::is_array(declare.var->type))
            allocation(*declare.var, ir::scope_name(declare.scope), line_of(declare));
        walk(declare.init);
    }

    void visit(const ir::Intrinsic& call) override {
        const ir::IntrinsicInfo& row = ir::info(call.id);
        if (const auto kind = kind_of(row))
            leaf(*kind, std::string(row.short_name()), line_of(call));
        walk_children(call);
    }

    void visit(const ir::Call& call) override {
        leaf(StructureKind::Call, call.callee, line_of(call));
        walk_children(call);
    }

    void visit(const ir::LaunchStmt& launch) override { leaf(StructureKind::Launch, launch.kernel, line_of(launch)); }
    void visit(const ir::AsmStmt& assembly) override { leaf(StructureKind::Assembly, "asm", line_of(assembly)); }

private:
    int line_of(const ir::Node& node) const {
        if (!node.origin.known())
            return m_rows.empty() ? 1 : m_rows.back().line;
        return m_file.position(node.origin.span.begin).line;
    }

    std::string_view text_at(int line) const {
        if (line < 1 || line > m_file.line_count())
            return {};
        return trimmed(m_file.line(line));
    }

    std::string after_word(int line, std::string_view word) const {
        std::string_view text = text_at(line);
        const std::size_t at = text.find(word);
        return at == std::string_view::npos ? std::string() : without_colon(text.substr(at + word.size()));
    }

    // Of a block: as far as lines are indented more than that which opens it.
    int end_of(int line) const {
        const std::size_t indent = m_file.line(line).find_first_not_of(' ');
        int end = line;
        for (int at = line + 1; at <= m_file.line_count(); ++at) {
            const std::size_t here = m_file.line(at).find_first_not_of(' ');
            if (here == std::string_view::npos)
                continue;
            if (here <= indent)
                break;
            end = at;
        }
        return end;
    }

    struct Lines {
        int begin, end;
    };
    void put(StructureKind kind, std::string name, std::string detail, Lines lines) {
        StructureRow& row = m_rows.emplace_back();
        row.depth = m_depth;
        row.kind = kind;
        row.name = std::move(name);
        row.detail = std::move(detail);
        row.line = lines.begin;
        row.end_line = lines.end;
    }

    void open(StructureKind kind, std::string name, std::string detail, int line) {
        put(kind, std::move(name), std::move(detail), {line, end_of(line)});
        ++m_depth;
    }

    void leaf(StructureKind kind, std::string name, int line) {
        put(kind, std::move(name), cut(text_at(line)), {line, line});
    }

    // "for i, j in range(4):" by its text, which has the names as they are read.
    void open_loop(StructureKind kind, const ir::Node& loop) {
        const int line = line_of(loop);
        std::string_view text = text_at(line);
        const std::size_t in = text.find(" in ");
        std::string name = text.starts_with("for ") && in != std::string_view::npos
                               ? std::string(text.substr(4, in - 4))
                               : std::string("for");
        open(kind, std::move(name), after_word(line, " in "), line);
    }

    void branch_at(const ir::IfStmt& branch, int line, const char* word) {
        open(StructureKind::Branch, word, after_word(line, "if "), line);
        walk(branch.condition);
        walk(branch.then_body);
        --m_depth;
        if (!branch.else_body)
            return;
        const int otherwise = end_of(line) + 1;
        const auto* next = branch.else_body->kind == ir::Kind::IfStmt && text_at(otherwise).starts_with("elif")
                               ? static_cast<const ir::IfStmt*>(branch.else_body.get())
                               : nullptr;
        if (next)
            return branch_at(*next, otherwise, "elif");
        open(StructureKind::Branch, "else", "", otherwise);
        walk(branch.else_body);
        --m_depth;
    }

    void allocation(const ir::Var& var, const char* memory, int line) {
        std::string_view text = text_at(line);
        const std::size_t colon = text.find(": ");
        std::string_view type = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 2);
        type = type.substr(0, type.find(" = "));
        const std::int64_t bytes = ir::size_in_bytes(var.type);
        put(StructureKind::Allocation, name_in(text, var),
            cat(memory, memory[0] ? " " : "", cut(type), bytes >= 0 ? cat(", ", bytes, " bytes") : ""), {line, line});
    }

    // As it is printed: equal names are told apart by numbers.
    static std::string name_in(std::string_view text, const ir::Var& var) {
        const std::size_t end = text.find(": ");
        const std::size_t begin = end == std::string_view::npos ? end : text.rfind(' ', end) + 1;
        return end == std::string_view::npos ? var.name : std::string(text.substr(begin, end - begin));
    }

    // Its launch, from the lines of its attributes.
    std::string detail_of(const ir::Function& function) const {
        std::vector<std::string> parts{ir::func_kind_name(function.func_kind)};
        for (int line = line_of(function) + 1; text_at(line).starts_with("attrs."); ++line)
            for (const auto& [attribute, word] : launch_attributes)
                if (text_at(line).starts_with(attribute))
                    parts.push_back(cat(word, text_at(line).substr(std::string_view(attribute).size())));
        return cut(join(parts, "; "));
    }

    const SourceFile& m_file;
    Structure m_rows;
    int m_depth = 0;
};

} // namespace

// clang-format off
const char* structure_kind_name(StructureKind kind) {
    switch (kind) {
#define HIDET_STRUCTURE_KIND(name, word, is)                                                                           \
    case StructureKind::name: return word;
#include "app/session/view/structure_kinds.def"
    }
    return "";
}

const char* what_is(StructureKind kind) {
    switch (kind) {
#define HIDET_STRUCTURE_KIND(name, word, is)                                                                           \
    case StructureKind::name: return is;
#include "app/session/view/structure_kinds.def"
    }
    return "";
}

// clang-format on
const char* structure_change_name(StructureChange change) {
    switch (change) {
    case StructureChange::Same: return "same";
    case StructureChange::Added: return "added";
    case StructureChange::Removed: return "removed";
    case StructureChange::Altered: return "altered";
    }
    return "";
}

Structure structure_of(const std::string& text) {
    SourceMap sources;
    DiagnosticSink sink;
    const FileId file = sources.add("stage.ir", text);
    const ir::ModuleRef module = ir::parse_module(sources, file, sink);
    return module ? StructureReader(sources.file(file)).read(*module) : Structure();
}

int structure_row_at(const Structure& structure, int line) {
    int found = -1;
    for (std::size_t i = 0; i < structure.size(); ++i) {
        const StructureRow& row = structure[i];
        if (row.change != StructureChange::Removed && row.line <= line && line <= row.end_line)
            found = static_cast<int>(i);
    }
    return found;
}

std::string structure_text(const Structure& structure) {
    bool is_compared = false;
    for (const StructureRow& row : structure)
        is_compared = is_compared || row.change != StructureChange::Same;
    std::vector<Cells> rows;
    for (const StructureRow& row : structure) {
        const char* mark = row.change == StructureChange::Added     ? "+"
                           : row.change == StructureChange::Removed ? "-"
                           : row.change == StructureChange::Altered ? "~"
                                                                    : "";
        const std::string indent(static_cast<std::size_t>(row.depth) * 2, ' ');
        const std::string was = row.before.empty() ? "" : cat("  (was ", row.before, ")");
        Cells cells{{row.change == StructureChange::Removed ? "" : std::to_string(row.line), Align::Right}};
        if (is_compared)
            cells.push_back({mark});
        cells.push_back({structure_kind_name(row.kind)});
        cells.push_back({cat(indent, row.name, row.detail.empty() ? "" : "  ", row.detail, was)});
        rows.push_back(std::move(cells));
    }
    return columns_text(rows);
}

} // namespace hidet::session
