// SPDX-License-Identifier: Apache-2.0
// Kernels write down when the warps of one block copy, wait, compute and store (artifact/marks.h): the first lane of each warp
// reads the clock before and after the statements that a pipeline is made of. A script's signatures stay: the words go to a
// variable of the module.
//
// Statements that follow each other and do the same are timed as one, with what lies between them; so is a loop that does
// nothing else. A wait is timed alone, and copies end with the group that they are closed in. The index of a barrier, or of the
// stage that copies fill, goes along where it is known before. Times stand within the innermost condition, so that who does not
// come there has none.
//
//     hidet_at: i32 = 8 if <the first lane of a warp of the marked block> else 1048577
//     ...
//     if hidet_at < 1048576:
//         if hidet_at < 4096:
//             hidet_marks[hidet_row + hidet_at] = cuda.read_clock() & 0xFFFFFFFFFF | <site, end> << 40 | <index> << 56
//         hidet_at = hidet_at + 1
//
// A lane that finds no more place counts on, so that it is known how much is missing.
//
// Needs: loops over mappings are expanded; device functions are inlined where they can be, what stays a call is not looked into.
// Guarantees: kernels compute what they did; all that is added writes to the module's own variables.
// Why here: last of what the emulator takes, so that statements are those that run, and no marks stop a pass from joining them.
#include <algorithm>
#include <set>
#include <span>

#include "compiler/analysis/timed_statements.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;
using artifact::TimedKind;

namespace {

struct MarkVariables {
    VarRef marks, block; // of the module
};

ExprRef linear(Builtin x, Builtin extent, DType dtype) {
    const auto part = [&](Builtin first, int axis) {
        return cast_to(make_builtin(static_cast<Builtin>(static_cast<int>(first) + axis)), dtype);
    };
    return add(part(x, 0), mul(part(extent, 0), add(part(x, 1), mul(part(extent, 1), part(x, 2)))));
}

ExprRef reading(IntrinsicId id) {
    return make_intrinsic(id, {}, data_type(DType::U64));
}

// What variables get values in statements.
struct ValuesGiven {
    explicit ValuesGiven(std::span<const StmtRef> stmts) {
        for (const StmtRef& stmt : stmts)
            look_at(stmt);
    }
    std::set<const Var*> once;     // loop variables, and what is said once
    std::set<const Var*> changing; // those that are assigned, through an address too
    Rewriter first;                // of `once`, as they are in the first turns of loops

private:
    void look_at(const StmtRef& stmt) {
        const auto change = [&](const ExprRef& place) {
            if (const auto* var = as<Var>(place); var && !is_array(var->type)) // an array stays where it is
                changing.insert(var);
        };
        each_node(
            stmt,
            [&](const ForStmt& loop) {
                once.insert(loop.var.get());
                first.replace(loop.var, cast_to(int_constant(0), *scalar_of(loop.var->type)));
            },
            [&](const DeclareStmt& declare) {
                if (declare.is_let)
                    once.insert(declare.var.get()), first.replace(declare.var, first.rewrite(declare.init));
                else
                    changing.insert(declare.var.get());
            },
            [&](const AssignStmt& assign) { changing.insert(assign.var.get()); },
            [&](const AsmStmt& text) { std::ranges::for_each(text.outputs, change); },
            [&](const Call& call) { std::ranges::for_each(call.args, change); }, // by reference
            [&](const Address& expr) { change(expr.place); });
    }
};

// Of one kernel.
class KernelMarker {
public:
    KernelMarker(const Function& kernel, const MarkVariables& variables, artifact::MarkTable& table, PassId pass)
        : m_kernel(kernel), m_variables(variables), m_table(table), m_pass(pass), m_timed(kernel),
          m_is_by_place(has_unknown_stages()), m_row(make_var("hidet_row", data_type(DType::I32))),
          m_at(make_var("hidet_at", data_type(DType::I32))) {}

    StmtRef marked() {
        StmtVec out = beginning();
        out.push_back(with_marks(m_kernel.body));
        out.push_back(ending());
        return make_seq(std::move(out));
    }
    bool has_sites() const { return m_has_sites; }

private:
    // What a statement holds, its bodies included.
    struct Contents {
        unsigned kinds = 0;    // a bit for each TimedKind
        bool branches = false; // only some come to what is timed, or it may be left on the way
        bool loops = false;
        bool closes_groups = false; // of copies
        std::optional<TimedStatement> first;
    };
    static unsigned bit(TimedKind kind) { return 1u << static_cast<unsigned>(kind); }
    Contents contents(const StmtRef& stmt) const;
    std::optional<TimedStatement> unit(const StmtRef& stmt) const;
    StmtRef with_marks(const StmtRef& stmt);
    StmtRef with_marks(const StmtVec& stmts);
    StmtRef rebuilt(const StmtRef& stmt);
    StmtVec beginning() const;
    StmtRef ending() const;
    StmtRef head_word(artifact::MarkHead word, const ExprRef& value) const;
    struct MarkEnd {
        std::int64_t site = 0;
        bool is_end = false;
    };
    static ExprRef known_before(const ExprRef& index, std::span<const StmtRef> stmts); // else null
    static ExprRef place_before(const ExprRef& to, std::span<const StmtRef> stmts);    // likewise
    bool has_unknown_stages() const;
    StmtRef mark(const MarkEnd& which, const ExprRef& index) const;
    StmtRef placed(StmtRef stmt, const Origin& origin) const {
        set_origin(stmt, {origin.span, m_pass});
        return stmt;
    }

    const Function& m_kernel;
    const MarkVariables& m_variables;
    artifact::MarkTable& m_table;
    const PassId m_pass;
    const TimedStatements m_timed;
    const bool m_is_by_place; // stages of copies in groups
    const VarRef m_row, m_at; // the warp's first word, and the next of its words
    bool m_has_sites = false;
};

KernelMarker::Contents KernelMarker::contents(const StmtRef& stmt) const {
    Contents out;
    const auto take = [&](const StmtRef& body, bool is_branch) {
        if (!body)
            return;
        const Contents inner = contents(body);
        out.kinds |= inner.kinds;
        out.branches = out.branches || inner.branches || (is_branch && inner.kinds);
        out.loops = out.loops || inner.loops;
        out.closes_groups = out.closes_groups || inner.closes_groups;
        if (!out.first)
            out.first = inner.first;
    };
    if (const auto own = m_timed.of(*stmt))
        out.kinds = bit(own->kind), out.first = own, out.closes_groups = own->closes_group;
    switch (kind_of(*stmt)) {
    case StmtKind::SeqStmt:
        for (const StmtRef& each : static_cast<const SeqStmt&>(*stmt).stmts)
            take(each, false);
        break;
    case StmtKind::ForStmt:
        take(static_cast<const ForStmt&>(*stmt).body, false);
        out.loops = true;
        break;
    case StmtKind::WhileStmt:
        take(static_cast<const WhileStmt&>(*stmt).body, true);
        out.loops = true;
        break;
    case StmtKind::IfStmt: {
        const auto& branch = static_cast<const IfStmt&>(*stmt);
        take(branch.then_body, true);
        take(branch.else_body, true);
        break;
    }
    case StmtKind::ReturnStmt:
    case StmtKind::BreakStmt:
    case StmtKind::ContinueStmt: out.branches = true; break;
    default: break;
    }
    return out;
}

// What is timed from its beginning to its end.
std::optional<TimedStatement> KernelMarker::unit(const StmtRef& stmt) const {
    const auto own = m_timed.of(*stmt);
    if (const auto* loop = as<WhileStmt>(stmt))
        return own && contents(loop->body).kinds == 0 ? own : std::nullopt;
    if (!as<ForStmt>(stmt))
        return own;
    const Contents inner = contents(stmt);
    const bool is_one = inner.kinds && (inner.kinds & (inner.kinds - 1)) == 0;
    const bool counts_groups = inner.closes_groups; // turn by turn
    return is_one && !inner.branches && !counts_groups && inner.kinds != bit(TimedKind::Wait) ? inner.first
                                                                                              : std::nullopt;
}

StmtRef KernelMarker::with_marks(const StmtRef& stmt) {
    if (const auto* seq = as<SeqStmt>(stmt))
        return with_marks(seq->stmts);
    return with_marks(StmtVec{stmt});
}

StmtRef KernelMarker::with_marks(const StmtVec& stmts) {
    StmtVec out;
    for (std::size_t i = 0; i < stmts.size();) {
        const std::optional<TimedStatement> first = unit(stmts[i]);
        if (!first) {
            out.push_back(rebuilt(stmts[i++]));
            continue;
        }
        TimedStatement whole = *first;
        std::size_t end = i + 1;
        for (std::size_t j = end; j < stmts.size() && first->kind != TimedKind::Wait && !whole.closes_group; ++j) {
            const auto next = unit(stmts[j]);
            if (next && next->kind == first->kind && next->barrier == first->barrier) {
                end = j + 1;
                whole.closes_group = next->closes_group;
                continue;
            }
            const Contents between = contents(stmts[j]);
            if (between.kinds || between.branches || between.loops)
                break;
        }
        const auto begin = stmts.begin() + static_cast<std::ptrdiff_t>(i),
                   behind = stmts.begin() + static_cast<std::ptrdiff_t>(end);
        const auto site = static_cast<std::int64_t>(m_table.size());
        if (site < artifact::most_sites) {
            const bool is_by_place = m_is_by_place && whole.to;
            m_table.push_back({m_kernel.name, whole.kind, whole.awaited, whole.barrier, whole.origin,
                               whole.begins_copies, whole.closes_group, is_by_place, whole.pending});
            m_has_sites = true;
            const ExprRef index =
                is_by_place ? place_before(whole.to, {begin, behind}) : known_before(whole.index, {begin, behind});
            out.push_back(placed(mark({site, false}, index), whole.origin));
            out.insert(out.end(), begin, behind);
            out.push_back(placed(mark({site, true}, nullptr), whole.origin));
        } else {
            out.insert(out.end(), begin, behind);
        }
        i = end;
    }
    return make_seq(std::move(out));
}

StmtRef KernelMarker::rebuilt(const StmtRef& stmt) {
    const auto with_origin = [&](StmtRef made) {
        set_origin(made, stmt->origin);
        return made;
    };
    switch (kind_of(*stmt)) {
    case StmtKind::ForStmt: {
        const auto& loop = static_cast<const ForStmt&>(*stmt);
        return with_origin(make_for(loop.var, loop.extent, loop.attr, with_marks(loop.body)));
    }
    case StmtKind::WhileStmt: {
        const auto& loop = static_cast<const WhileStmt&>(*stmt);
        return with_origin(make_while(loop.condition, with_marks(loop.body)));
    }
    case StmtKind::IfStmt: {
        const auto& branch = static_cast<const IfStmt&>(*stmt);
        StmtRef otherwise = branch.else_body ? with_marks(branch.else_body) : nullptr;
        return with_origin(make_if(branch.condition, with_marks(branch.then_body), std::move(otherwise)));
    }
    case StmtKind::ReturnStmt: return make_seq({ending(), stmt});
    default: return stmt;
    }
}

StmtRef KernelMarker::head_word(artifact::MarkHead word, const ExprRef& value) const {
    return make_store(m_variables.marks, {add(m_row, int_constant(word))}, value);
}

StmtVec KernelMarker::beginning() const {
    const VarRef thread = make_var("hidet_thread", data_type(DType::I32));
    const ExprRef warp = shift_right(thread, int_constant(5));
    const ExprRef wanted = make_element(m_variables.block, {int_constant(0)});
    const ExprRef own = add(linear(Builtin::BlockIdxX, Builtin::GridDimX, DType::U64), int_constant(1, DType::U64));
    const ExprRef is_marked =
        logical_and(equal(bit_and(thread, int_constant(31)), int_constant(0)), equal(wanted, own));
    StmtVec out{
        make_let_stmt(thread, linear(Builtin::ThreadIdxX, Builtin::BlockDimX, DType::I32)),
        make_let_stmt(m_row, mul(warp, int_constant(artifact::words_of_row))),
        make_declare(m_at, select(is_marked, int_constant(artifact::WordsOfHead), int_constant(artifact::unmarked))),
        make_if(less(m_at, int_constant(artifact::words_of_row)),
                make_seq({head_word(artifact::FirstTimer, reading(IntrinsicId::ReadTimer)),
                          head_word(artifact::FirstClock, reading(IntrinsicId::ReadClock))}))};
    for (const StmtRef& stmt : out)
        placed(stmt, m_kernel.origin);
    return out;
}

StmtRef KernelMarker::ending() const {
    return placed(make_if(less_equal(m_at, int_constant(artifact::most_counted)),
                          make_seq({head_word(artifact::LastClock, reading(IntrinsicId::ReadClock)),
                                    head_word(artifact::LastTimer, reading(IntrinsicId::ReadTimer)),
                                    head_word(artifact::NextWord, cast_to(m_at, DType::U64))})),
                  m_kernel.origin);
}

// Which variables it names must have their values before the statements, and reading it again must cost and change nothing.
ExprRef KernelMarker::known_before(const ExprRef& index, std::span<const StmtRef> stmts) {
    if (!index)
        return nullptr;
    std::set<const Var*> named;
    const bool is_plain = !any_node(*index, [&](const Node& node) {
        if (node.kind == Kind::Var)
            named.insert(static_cast<const Var*>(&node));
        return node.kind == Kind::Intrinsic || node.kind == Kind::Call || node.kind == Kind::Deref ||
               node.kind == Kind::TensorElement || node.kind == Kind::TensorSlice || node.kind == Kind::Let;
    });
    const ValuesGiven given(stmts);
    const auto is_given = [&](const Var* var) { return given.once.contains(var) || given.changing.contains(var); };
    return is_plain && std::ranges::none_of(named, is_given) ? index : nullptr;
}

// Stages of groups of copies are told apart by an index where all copies have one, else by where they write.
bool KernelMarker::has_unknown_stages() const {
    return any_node(*m_kernel.body, [&](const Node& node) {
        if (node.kind != Kind::EvaluateStmt)
            return false;
        const auto timed = m_timed.of(static_cast<const Stmt&>(node));
        return timed && timed->to && !timed->index;
    });
}

// Of an address, whose parts can be computed again without reading memory.
static bool is_plain_address(const ExprRef& expr, bool is_in_address) {
    if (const auto* address = as<Address>(expr))
        return is_plain_address(address->place, true);
    if (const auto* element = as<TensorElement>(expr)) {
        const auto is_plain = [](const ExprRef& index) { return is_plain_address(index, false); };
        return is_in_address && element->base->kind == Kind::Var && std::ranges::all_of(element->indices, is_plain);
    }
    if (const auto* cast = as<Cast>(expr))
        return is_plain_address(cast->a, false);
    if (const auto* binary = as<Binary>(expr))
        return is_plain_address(binary->a, false) && is_plain_address(binary->b, false);
    return expr->kind == Kind::Var || expr->kind == Kind::Constant;
}

// Where the first copy of the statements writes: with the first turns of loops that are in them, and what is said there once.
ExprRef KernelMarker::place_before(const ExprRef& to, std::span<const StmtRef> stmts) {
    ValuesGiven given(stmts);
    const ExprRef address = given.first.rewrite(to);
    const bool is_changing = any_node(*address, [&](const Node& node) {
        return node.kind == Kind::Var && given.changing.contains(static_cast<const Var*>(&node));
    });
    if (is_changing || !is_plain_address(address, false))
        return nullptr;
    const ExprRef shared = make_intrinsic(IntrinsicId::CvtaToShared, {address}, data_type(DType::U32));
    return shift_right(bit_and(shared, int_constant(artifact::bytes_of_block - 1, DType::U32)),
                       int_constant(artifact::place_bits, DType::U32));
}

StmtRef KernelMarker::mark(const MarkEnd& which, const ExprRef& index) const {
    const std::int64_t mask = (std::int64_t{1} << artifact::clock_bits) - 1;
    const std::int64_t code = 2 * which.site + (which.is_end ? 1 : 0);
    const int shift = artifact::clock_bits + artifact::end_bits + artifact::site_bits;
    ExprRef above = int_constant(artifact::unknown_index, DType::U64);
    if (index)
        above = select(less(cast_to(index, DType::U64), above), cast_to(index, DType::U64), above);
    const ExprRef word = bit_or(bit_or(bit_and(reading(IntrinsicId::ReadClock), int_constant(mask, DType::U64)),
                                       int_constant(code << artifact::clock_bits, DType::U64)),
                                shift_left(above, int_constant(shift, DType::U64)));
    const ExprRef place = add(m_row, m_at);
    return make_if(less(m_at, int_constant(artifact::most_counted)),
                   make_seq({make_if(less(m_at, int_constant(artifact::words_of_row)),
                                     make_store(m_variables.marks, {place}, word)),
                             make_assign(m_at, add(m_at, int_constant(1)))}));
}

VarRef global_words(const char* name, std::int64_t count) {
    return make_var(name, tensor_type(data_type(DType::U64), {int_constant(count)}));
}

} // namespace

ModuleRef instrument_timeline(const ModuleRef& module, PassContext& context) {
    if (!context.marks)
        return module;
    const MarkVariables variables{global_words(artifact::marks_name, artifact::words_of_marks),
                                  global_words(artifact::marked_block_name, 1)};
    bool has_sites = false;
    const ModuleRef marked = map_functions(module, [&](const FunctionRef& function) -> FunctionRef {
        if (function->func_kind != FuncKind::CudaKernel || !function->body)
            return function;
        KernelMarker marker(*function, variables, *context.marks, context.pass);
        StmtRef body = marker.marked();
        if (!marker.has_sites())
            return function;
        has_sites = true;
        return with_body(function, std::move(body));
    });
    if (!has_sites)
        return module;
    Module out = *marked;
    for (const VarRef& variable : {variables.marks, variables.block}) {
        set_origin(variable, {module->origin.span, context.pass});
        out.globals.push_back(variable);
    }
    ModuleRef made = make<Module>(std::move(out));
    set_origin(made, module->origin);
    return made;
}

} // namespace hidet::compiler
