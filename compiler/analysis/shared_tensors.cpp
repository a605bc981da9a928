// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/shared_tensors.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>

#include "compiler/ir/each_node.h"
#include "compiler/ir/evaluate.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/type.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::int64_t alignment = 16; // of tensors behind each other
constexpr std::int64_t most_stages = 16;

// Variables that change from turn to turn, and those that differ from thread to thread.
struct KnownVariables {
    std::set<const Var*> rounds, threads;
    std::unordered_map<const Var*, std::int64_t> constants;
};

// By name too.
std::optional<std::int64_t> constant_of(const ExprRef& expr, const KnownVariables& known) {
    return evaluate_whole(expr, [&](const ExprRef& leaf) -> std::optional<std::int64_t> {
        const auto found = known.constants.find(as<Var>(leaf));
        return found == known.constants.end() ? std::nullopt : std::optional(found->second);
    });
}

// The bytes from the beginning of dynamic shared memory, where the pointer is one there.
std::optional<std::int64_t> dynamic_offset(const ExprRef& pointer, const KnownVariables& known) {
    ExprRef at = pointer;
    while (const auto* cast = as<Cast>(at))
        at = cast->a;
    const auto* call = as<Intrinsic>(at);
    if (!call || call->id != IntrinsicId::DynamicSharedMemory)
        return std::nullopt;
    return constant_of(call->args.at(0), known);
}

// What an index is made of.
struct IndexParts {
    IndexParts(const ExprRef& index, const KnownVariables& known) {
        each_node(
            index, [&](const BuiltinVar&) { has_threads = true; },
            [&](const Var& var) {
                goes_round = goes_round || known.rounds.contains(&var);
                has_threads = has_threads || known.threads.contains(&var);
            },
            [&](const Binary& expr) {
                goes_round =
                    goes_round || expr.op == BinOp::FloorMod || expr.op == BinOp::Mod || expr.op == BinOp::BitXor;
            });
    }
    bool goes_round = false, has_threads = false;
};

// Walks the statements in order; a variable that was made of a tensor's address stands for the tensor.
class UseFinder : public Walker {
public:
    struct Loop {
        int begin = 0, end = 0;
    };
    struct Use {
        int statement = 0;
        bool is_sure_write = false; // not behind a condition
    };

    explicit UseFinder(const Function& kernel) {
        each_node(kernel.body, [&](const AssignStmt& stmt) { m_known.rounds.insert(stmt.var.get()); });
    }

    SharedTensors out;
    std::vector<Loop> loops;
    std::vector<std::vector<Use>> uses; // of each tensor
    std::vector<int> declared;          // by which statement

protected:
    using Walker::visit;
#define HIDET_STMT(name)                                                                                               \
    void visit(const name& stmt) override {                                                                            \
        begin(stmt), follow(stmt);                                                                                     \
    }
#include "compiler/ir/nodes.def"

    void visit(const Var& var) override {
        use_address(&var);
    }
    void visit(const TensorElement& element) override {
        const auto* var = as<Var>(element.base);
        if (!var)
            return walk_children(element);
        use(var, false);
        note_stage(var, element.indices);
        for (const ExprRef& index : element.indices)
            walk(index);
    }
    void visit(const Address& address) override {
        const auto* element = as<TensorElement>(address.place);
        const auto* var = element ? as<Var>(element->base) : nullptr;
        if (!var)
            return walk_children(address);
        use_address(var);
        note_stage(var, element->indices);
        for (const ExprRef& index : element->indices)
            walk(index);
    }
    void visit(const Binary& expr) override {
        if (expr.op == BinOp::Add)
            note_stage_step(expr.a, expr.b), note_stage_step(expr.b, expr.a);
        walk_children(expr);
    }
    void visit(const Intrinsic& call) override {
        if (call.id == IntrinsicId::DynamicSharedMemory)
            if (const auto offset = constant_of(call.args.at(0), m_known))
                for (std::size_t i = 0; i < out.all.size(); ++i)
                    if (out.all[i].is_dynamic && *offset >= out.all[i].offset &&
                        *offset < out.all[i].offset + out.all[i].bytes)
                        add_use(i, false);
        walk_children(call);
    }

private:
    void begin(const Stmt& stmt) {
        if (stmt.kind == Kind::SeqStmt || stmt.kind == Kind::CommentStmt)
            return;
        m_statement = out.statements++;
        out.spans.push_back(stmt.origin.span);
    }
    template <class T>
    void follow(const T& stmt) {
        walk_children(stmt);
    }
    void follow(const DeclareStmt& stmt) {
        if (declare(stmt))
            return;
        const auto constant = stmt.init ? constant_of(stmt.init, m_known) : std::nullopt;
        if (constant && !m_known.rounds.contains(stmt.var.get()))
            m_known.constants[stmt.var.get()] = *constant;
        const IndexParts parts(stmt.init, m_known);
        if (parts.has_threads)
            m_known.threads.insert(stmt.var.get());
        else if (parts.goes_round)
            m_known.rounds.insert(stmt.var.get());
        walk_aliasing(stmt.var.get(), stmt.init);
    }
    void follow(const AssignStmt& stmt) {
        walk_aliasing(stmt.var.get(), stmt.value);
    }
    void follow(const StoreStmt& stmt) {
        for (const ExprRef& index : stmt.indices)
            walk(index);
        walk(stmt.value);
        if (const auto* var = as<Var>(stmt.base)) {
            use(var, m_conditions == 0);
            return note_stage(var, stmt.indices);
        }
        walk(stmt.base);
    }
    void follow(const IfStmt& stmt) {
        walk(stmt.condition);
        ++m_conditions;
        walk(stmt.then_body);
        walk(stmt.else_body);
        --m_conditions;
    }
    void follow(const ForStmt& stmt) {
        loop(stmt);
    }
    void follow(const WhileStmt& stmt) {
        loop(stmt);
    }
    template <class T>
    void loop(const T& stmt) {
        const int begin = m_statement, conditions = std::exchange(m_conditions, 0);
        walk_children(stmt);
        loops.push_back({begin, out.statements - 1});
        m_conditions = conditions;
    }

    // What the script declares in shared memory.
    bool declare(const DeclareStmt& stmt) {
        const TensorType* type = tensor_of(stmt.var->type);
        const auto offset = stmt.init ? dynamic_offset(stmt.init, m_known) : std::nullopt;
        if (!type || (stmt.scope != Scope::Shared && !offset))
            return false;
        const std::int64_t bytes = size_in_bytes(TypeRef(type));
        if (bytes <= 0)
            return true;
        SharedTensorUse tensor;
        tensor.declared = &stmt;
        tensor.is_dynamic = offset.has_value();
        tensor.bytes = bytes;
        tensor.offset = offset ? *offset : m_static_bytes;
        if (!offset)
            m_static_bytes = (m_static_bytes + bytes + alignment - 1) / alignment * alignment;
        m_behind[stmt.var.get()].insert(out.all.size());
        out.all.push_back(tensor);
        uses.emplace_back();
        declared.push_back(m_statement);
        m_rings.push_back(type->shape.size() >= 3 ? Ring::Unknown : Ring::No);
        return true;
    }
    void walk_aliasing(const Var* var, const ExprRef& value) {
        m_addresses.clear();
        walk(value);
        if (!m_addresses.empty())
            m_behind[var].insert(m_addresses.begin(), m_addresses.end());
    }
    void use_address(const Var* var) {
        use(var, false);
        if (const auto found = m_behind.find(var); found != m_behind.end())
            m_addresses.insert(found->second.begin(), found->second.end());
    }
    void use(const Var* var, bool is_sure_write) {
        if (const auto found = m_behind.find(var); found != m_behind.end())
            for (const std::size_t tensor : found->second)
                add_use(tensor, is_sure_write);
    }
    void add_use(std::size_t tensor, bool is_sure_write) {
        uses[tensor].push_back({m_statement, is_sure_write});
    }

    // A first index that goes round, and that no thread chooses, is a stage.
    void note_stage(const Var* var, const ExprVec& indices) {
        const auto found = m_behind.find(var);
        if (found == m_behind.end() || indices.empty())
            return;
        const IndexParts parts(indices.front(), m_known);
        for (const std::size_t tensor : found->second) {
            const TensorType* type = tensor_of(out.all[tensor].declared->var->type);
            Ring& ring = m_rings[tensor];
            if (var != out.all[tensor].declared->var.get() || ring == Ring::No)
                continue;
            const auto extent = constant_int(type->shape.front());
            if (parts.has_threads || !extent || *extent > most_stages)
                ring = Ring::No, out.all[tensor].stages = 1;
            else if (parts.goes_round)
                ring = Ring::Yes, out.all[tensor].stages = *extent;
        }
    }

    // The variables of a sum that were made of addresses, with the bytes that 1 more of the sum is.
    void each_base(const ExprRef& sum, const std::function<void(const Var&, std::int64_t)>& use) const {
        if (const auto* var = as<Var>(sum)) {
            const auto* pointer = as<PointerType>(var->type);
            if (m_behind.contains(var))
                use(*var, pointer ? size_in_bytes(pointer->base) : 1);
        } else if (const auto* binary = as<Binary>(sum); binary && binary->op == BinOp::Add) {
            each_base(binary->a, use);
            each_base(binary->b, use);
        }
    }

    // "to + stage * n": what goes round, and that no thread chooses, is a stage where the steps are as wide as an element of the
    // first dimension.
    void note_stage_step(const ExprRef& sum, const ExprRef& step) {
        const auto* product = as<Binary>(step);
        if (!product || product->op != BinOp::Mul)
            return;
        for (const auto& [factor, stage] : {std::pair(product->a, product->b), std::pair(product->b, product->a)}) {
            const auto width = constant_of(factor, m_known);
            const IndexParts parts(stage, m_known);
            if (width && parts.goes_round && !parts.has_threads)
                each_base(sum, [&](const Var& var, std::int64_t bytes) { note_stride(var, *width * bytes); });
        }
    }
    void note_stride(const Var& var, std::int64_t bytes) {
        for (const std::size_t tensor : m_behind.at(&var)) {
            SharedTensorUse& of = out.all[tensor];
            const auto extent = constant_int(tensor_of(of.declared->var->type)->shape.front());
            if (m_rings[tensor] == Ring::Unknown && extent && *extent <= most_stages && bytes * *extent == of.bytes)
                m_rings[tensor] = Ring::Yes, of.stages = *extent;
        }
    }

    enum class Ring : std::uint8_t { Unknown, Yes, No };
    KnownVariables m_known;
    int m_statement = 0, m_conditions = 0;
    std::int64_t m_static_bytes = 0;
    std::unordered_map<const Var*, std::set<std::size_t>> m_behind;
    std::set<std::size_t> m_addresses; // of what is walked now
    std::vector<Ring> m_rings;
};

// In a loop around its uses a tensor stays in use from turn to turn, unless each turn begins by writing it.
void stretch(SharedTensorUse& tensor, const std::vector<UseFinder::Use>& uses, int declared,
             const std::vector<UseFinder::Loop>& loops) {
    for (const UseFinder::Loop& loop : loops) { // inner ones come first
        if (declared >= loop.begin && declared <= loop.end)
            continue;
        const auto first = std::ranges::find_if(
            uses, [&](const UseFinder::Use& use) { return use.statement >= loop.begin && use.statement <= loop.end; });
        if (first == uses.end() || first->is_sure_write)
            continue;
        tensor.begin = std::min(tensor.begin, loop.begin);
        tensor.end = std::max(tensor.end, loop.end);
    }
}

} // namespace

SharedTensors shared_tensors(const Function& kernel) {
    UseFinder finder(kernel);
    finder.walk(kernel.body);
    for (std::size_t i = 0; i < finder.out.all.size(); ++i) {
        SharedTensorUse& tensor = finder.out.all[i];
        const std::vector<UseFinder::Use>& uses = finder.uses[i];
        if (uses.empty())
            continue;
        const auto use_at = [&](int statement) {
            return SharedUse{statement, finder.out.spans[static_cast<std::size_t>(statement)]};
        };
        tensor.first = use_at(uses.front().statement), tensor.last = use_at(uses.back().statement);
        tensor.begin = tensor.first.statement, tensor.end = tensor.last.statement;
        stretch(tensor, uses, finder.declared[i], finder.loops);
    }
    return std::move(finder.out);
}

} // namespace hidet::compiler
