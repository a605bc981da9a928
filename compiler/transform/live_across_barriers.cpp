// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/live_across_barriers.h"

#include <algorithm>

#include "compiler/ir/ops.h"

namespace hidet::compiler {

using namespace ir;

// ---- which ------------------------------------------------------------------------------------------------------------

class KeptFinder : public Walker {
public:
    KeptFinder(const Plan& plan, const Uses& uses, KeptVariables& out) : m_plan(plan), m_uses(uses), m_out(out) {}

    void run(std::int64_t threads) {
        look(m_plan.regions, 0);
        for (const Var* var : m_order) {
            const Mentions& mentions = m_mentions[var];
            if (!mentions.is_declared || (!mentions.are_several && !m_plan.kept.contains(var)))
                continue;
            const VarFacts& facts = m_uses.of(*var);
            KeptVariable kept;
            kept.of_warp = mentions.group > 0;
            kept.in_place =
                is_array(var->type) || facts.addressed || facts.writes > facts.assignments || m_plan.kept.contains(var);
            kept.is_pointed_at = m_pointed_at.contains(var);
            kept.array = make_var(var->name, type_of(*var, kept.of_warp ? warp_threads : threads));
            set_origin(kept.array, var->origin);
            m_out.m_kept.emplace(var, std::move(kept));
        }
    }

protected:
    using Walker::visit;
    void define(const Var& var) override { mention(var); }
    void visit(const Var& var) override {
        mention(var);
        if (is_array(var.type))
            m_pointed_at.insert(&var);
    }
    void visit(const TensorElement& e) override { element(e.base, e.indices); }
    void visit(const StoreStmt& s) override {
        element(s.base, s.indices);
        walk(NodeRef(s.value));
    }
    void visit(const Address& e) override {
        if (const auto* place = as<TensorElement>(e.place); place && place->base->kind == Kind::Var)
            walk(NodeRef(place->base));
        walk(NodeRef(e.place));
    }
    void visit(const DeclareStmt& s) override {
        if (s.scope != Scope::Shared) {
            mention(*s.var);
            m_mentions[s.var.get()].is_declared = true;
        }
        walk(NodeRef(s.init));
        const auto given = m_plan.given.find(s.var.get());
        if (given != m_plan.given.end())
            mention(*given->second);
    }

private:
    struct Mentions {
        int region = 0, group = 0;
        bool are_several = false; // regions
        bool is_declared = false; // by a thread
    };

    void look(const std::vector<Region>& regions, int group) {
        for (const Region& region : regions) {
            ++m_region;
            m_group = group;
            if (region.guard)
                mention(*region.guard);
            for (const StmtRef& stmt : region.stmts)
                walk(NodeRef(stmt));
            if (region.given)
                mention(*region.given);
            if (region.kind == Region::Kind::For)
                walk(NodeRef(as<ForStmt>(region.stmt)->extent));
            else if (region.kind == Region::Kind::While)
                walk(NodeRef(as<WhileStmt>(region.stmt)->condition));
            else if (region.kind == Region::Kind::If)
                walk(NodeRef(as<IfStmt>(region.stmt)->condition));
            look(region.body, region.kind == Region::Kind::Warps ? ++m_groups : group);
            look(region.otherwise, group);
        }
    }
    void element(const ExprRef& base, const ExprVec& indices) {
        const auto* var = as<Var>(base);
        if (var && is_array(var->type))
            mention(*var);
        else
            walk(NodeRef(base));
        for (const ExprRef& index : indices)
            walk(NodeRef(index));
    }
    void mention(const Var& var) {
        auto [known, is_new] = m_mentions.emplace(&var, Mentions{m_region, m_group, false, false});
        if (is_new)
            return m_order.push_back(&var);
        known->second.are_several = known->second.are_several || known->second.region != m_region;
        if (known->second.group != m_group)
            known->second.group = 0;
    }
    // Of an array with a layout of its own the slots are kept.
    static TypeRef type_of(const Var& var, std::int64_t count) {
        ExprVec shape{int_constant(count)};
        TypeRef type = value_type(var.type);
        if (const auto* array = as<ArrayType>(type)) {
            shape.push_back(int_constant(array->count));
            return tensor_type(array->base, std::move(shape));
        }
        const auto* tensor = as<TensorType>(type);
        if (!tensor) {
            const TensorType* pointee = is_pointer(type) ? tensor_of(type) : nullptr;
            return tensor_type(pointee ? pointer_type(pointee->element) : type, std::move(shape));
        }
        const LayoutRef layout = layout_of(*tensor);
        if (is_row_major(layout))
            shape.insert(shape.end(), tensor->shape.begin(), tensor->shape.end());
        else
            shape.push_back(size_of(layout));
        return tensor_type(tensor->element, std::move(shape));
    }

    const Plan& m_plan;
    const Uses& m_uses;
    KeptVariables& m_out;
    std::unordered_map<const Var*, Mentions> m_mentions;
    std::vector<const Var*> m_order;
    std::unordered_set<const Var*> m_pointed_at; // arrays
    int m_region = 0, m_group = 0, m_groups = 0;
};

KeptVariables::KeptVariables(const Plan& plan, const Uses& uses, std::int64_t threads) {
    KeptFinder(plan, uses, *this).run(threads);
}

// ---- lets -------------------------------------------------------------------------------------------------------------

namespace {

class VarsIn : public Walker {
public:
    explicit VarsIn(const Node& node) { walk(node); }
    std::unordered_set<const Var*> found;

protected:
    using Walker::visit;
    void define(const Var&) override {}
    void visit(const Var& var) override { found.insert(&var); }
};

} // namespace

void KeptRewriter::bring_lets(const Node& node, StmtVec& stmts) {
    std::unordered_set<const Var*> wanted = VarsIn(node).found;
    std::vector<const DeclareStmt*> lets;
    for (auto let = m_plan.cheap.rbegin(); let != m_plan.cheap.rend(); ++let) {
        const Var* var = (*let)->var.get();
        if (!wanted.contains(var) || !m_brought.insert(var).second)
            continue;
        lets.push_back(*let);
        wanted.merge(VarsIn(*(*let)->init).found);
    }
    for (auto let = lets.rbegin(); let != lets.rend(); ++let) {
        ExprRef value = rewrite((*let)->init);
        StmtRef stmt = make_let_stmt(copy_var((*let)->var), value);
        set_origin(stmt, {(*let)->origin.span, pass()});
        stmts.push_back(std::move(stmt));
    }
}

// ---- elements of the thread -------------------------------------------------------------------------------------------

ExprRef KeptRewriter::array_of(const KeptVariable& kept) {
    StmtVec& declarations = kept.of_warp ? *of_warp : *of_block;
    const bool is_known = std::any_of(declarations.begin(), declarations.end(),
                                      [&](const StmtRef& stmt) { return as<DeclareStmt>(stmt)->var == kept.array; });
    if (!is_known) {
        StmtRef declare = make_declare(kept.array);
        set_origin(declare, {kept.array->origin.span, pass()});
        declarations.push_back(std::move(declare));
    }
    return kept.array;
}

// Of a variable that is an array: its first element.
ExprRef KeptRewriter::element_of_thread(const KeptVariable& kept) {
    ExprVec indices{index_of(kept)};
    indices.resize(tensor_of(kept.array->type)->shape.size(), int_constant(0));
    return make_element(array_of(kept), std::move(indices));
}

const KeptVariable* KeptRewriter::without_copy(const ExprRef& base) const {
    const auto* var = as<Var>(base);
    return var && !m_copies.contains(var) ? m_kept.find(*var) : nullptr;
}

ExprVec KeptRewriter::indices_in(const KeptVariable& kept, const Var& var, const ExprVec& indices) {
    ExprVec all{index_of(kept)};
    ExprVec own = rewrite(indices);
    const auto* tensor = as<TensorType>(var.type);
    if (tensor && !is_row_major(layout_of(*tensor)))
        own = {slot_of(layout_of(*tensor), own)};
    all.insert(all.end(), own.begin(), own.end());
    return all;
}

ExprRef KeptRewriter::visit(const Var& var) {
    const KeptVariable* kept = without_copy(ExprRef(self(var)));
    if (!kept)
        return Rewriter::visit(var);
    ExprRef element = element_of_thread(*kept);
    if (!is_array(var.type))
        return is_pointer(var.type) && !same_type(element->type, var.type) ? make_cast(element, var.type) : element;
    return make_cast(make_address(element), pointer_type(element_of(var.type)));
}

ExprRef KeptRewriter::visit(const TensorElement& expr) {
    const KeptVariable* kept = is_array(expr.base->type) ? without_copy(expr.base) : nullptr;
    if (!kept)
        return rebuild(expr);
    ExprVec indices = indices_in(*kept, *as<Var>(expr.base), expr.indices);
    return make_element(array_of(*kept), std::move(indices));
}

StmtRef KeptRewriter::visit(const StoreStmt& stmt) {
    const KeptVariable* kept = is_array(stmt.base->type) ? without_copy(stmt.base) : nullptr;
    if (!kept)
        return rebuild(stmt);
    ExprVec indices = indices_in(*kept, *as<Var>(stmt.base), stmt.indices);
    return make_store(array_of(*kept), std::move(indices), rewrite(stmt.value));
}

StmtRef KeptRewriter::visit(const AssignStmt& stmt) {
    const KeptVariable* kept = without_copy(ExprRef(stmt.var));
    if (!kept)
        return rebuild(stmt);
    return make_store(array_of(*kept), {index_of(*kept)}, rewrite(stmt.value));
}

StmtRef KeptRewriter::visit(const DeclareStmt& stmt) {
    if (stmt.scope == Scope::Shared) {
        shared.push_back(self(stmt));
        return nullptr;
    }
    const auto given = m_plan.given.find(stmt.var.get());
    ExprRef init =
        given == m_plan.given.end() ? rewrite(stmt.init) : taken_from(given->second, *as<Intrinsic>(stmt.init));
    const KeptVariable* kept = without_copy(ExprRef(stmt.var));
    if (kept)
        return init ? make_store(array_of(*kept), {index_of(*kept)}, init) : nullptr;
    const auto copy = m_copies.find(stmt.var.get());
    if (copy != m_copies.end() && is_array(stmt.var->type)) // declared before
        return nullptr;
    DeclareStmt changed = stmt;
    if (copy != m_copies.end())
        changed.var = copy->second;
    changed.init = std::move(init);
    const bool is_same = changed.init == stmt.init && changed.var == stmt.var;
    return is_same ? StmtRef(self(stmt)) : StmtRef(make<DeclareStmt>(std::move(changed)));
}

// ---- shuffles, shared memory ------------------------------------------------------------------------------------------

// The value that the lane holds which the shuffle names; its own where there is no such lane.
ExprRef KeptRewriter::taken_from(const VarRef& given, const Intrinsic& shuffle) {
    const KeptVariable& kept = *m_kept.find(*given);
    const ExprRef own = lane ? lane : bit_and(linear, int_constant(warp_threads - 1));
    const ExprRef by = cast_to(rewrite(shuffle.args.at(2)), DType::I32);
    const ExprRef width = cast_to(rewrite(shuffle.args.at(3)), DType::I32);
    const ExprRef last = sub(width, int_constant(1));
    const bool is_whole = is_constant(width, warp_threads);
    const ExprRef base = is_whole ? int_constant(0) : bit_and(own, bit_not(last));
    const auto if_in = [&](const ExprRef& condition, const ExprRef& source) {
        return make_select(condition, source, own);
    };
    ExprRef source;
    switch (shuffle.id) {
    case IntrinsicId::ShflUpSync: source = if_in(less_equal(base, sub(own, by)), sub(own, by)); break;
    case IntrinsicId::ShflDownSync: source = if_in(less(add(own, by), add(base, width)), add(own, by)); break;
    case IntrinsicId::ShflXorSync:
        source = bit_xor(own, by);
        if (!is_whole)
            source = if_in(less(source, add(base, width)), source);
        break;
    default: source = add(base, bit_and(by, last)); break;
    }
    source = bit_and(source, int_constant(warp_threads - 1));
    const ExprRef place = kept.of_warp ? source : add(sub(linear, own), source);
    return make_element(array_of(kept), {place});
}

// A launch has ended before the next one begins.
StmtRef KeptRewriter::visit(const EvaluateStmt& stmt) {
    const auto* call = as<Intrinsic>(stmt.value);
    const bool is_of_launches =
        call && (call->id == IntrinsicId::GridWait || call->id == IntrinsicId::GridLaunchDependents);
    return is_of_launches ? nullptr : rebuild(stmt);
}

ExprRef KeptRewriter::visit(const Intrinsic& expr) {
    if (expr.id != IntrinsicId::DynamicSharedMemory)
        return rebuild(expr);
    const ExprRef offset = cast_to(rewrite(expr.args.at(0)), DType::I32);
    return make_cast(make_address(make_element(dynamic_memory(), {offset})), expr.type);
}

// ---- a region ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t most_copied = 1024; // elements of an array
constexpr std::int64_t most_unrolled = 256;

// What a region does with variables: assigns or declares them, goes over the elements of an array again and again, chooses
// elements of its own arrays by them.
class RegionUse : public Walker {
public:
    explicit RegionUse(const KeptVariables& kept) : m_kept(kept) {}
    std::vector<const Var*> mentioned; // in order
    std::unordered_set<const Var*> written, declared, swept, indices;

    void look(const StmtVec& stmts) {
        for (const StmtRef& stmt : stmts)
            walk(NodeRef(stmt));
        while (!m_pending.empty()) {
            const Node* index = m_pending.back();
            m_pending.pop_back();
            for (const Var* var : VarsIn(*index).found)
                if (indices.insert(var).second)
                    if (const auto let = m_lets.find(var); let != m_lets.end())
                        m_pending.push_back(let->second);
        }
    }

protected:
    using Walker::visit;
    void define(const Var& var) override { mention(var); }
    void visit(const Var& var) override { mention(var); }
    void visit(const DeclareStmt& s) override {
        mention(*s.var);
        declared.insert(s.var.get());
        if (s.is_let)
            m_lets[s.var.get()] = s.init.get();
        walk(NodeRef(s.init));
    }
    void visit(const AssignStmt& s) override {
        mention(*s.var);
        written.insert(s.var.get());
        walk(NodeRef(s.value));
    }
    void visit(const TensorElement& e) override { element(e.base, e.indices); }
    void visit(const StoreStmt& s) override {
        if (const auto* var = as<Var>(s.base))
            written.insert(var);
        element(s.base, s.indices);
        walk(NodeRef(s.value));
    }
    void visit(const ForStmt& s) override {
        walk(NodeRef(s.extent));
        m_loops.push_back(s.var.get());
        walk(NodeRef(s.body));
        m_loops.pop_back();
    }
    void visit(const WhileStmt& s) override {
        m_loops.push_back(nullptr);
        walk_children(s);
        m_loops.pop_back();
    }

private:
    void mention(const Var& var) {
        if (m_seen.insert(&var).second)
            mentioned.push_back(&var);
    }
    void element(const ExprRef& base, const ExprVec& chosen) {
        const auto* var = as<Var>(base);
        for (const ExprRef& index : chosen)
            walk(NodeRef(index));
        if (!var || !is_array(var->type))
            return walk(NodeRef(base));
        mention(*var);
        std::unordered_set<const Var*> in_index;
        const bool is_of_thread = declared.contains(var) || m_kept.find(*var);
        for (const ExprRef& index : chosen) {
            if (is_of_thread)
                m_pending.push_back(index.get());
            in_index.merge(VarsIn(*index).found);
        }
        for (const Var* loop : m_loops)
            if (!loop || !in_index.contains(loop))
                swept.insert(var);
    }
    const KeptVariables& m_kept;
    std::unordered_set<const Var*> m_seen;
    std::unordered_map<const Var*, const Node*> m_lets;
    std::vector<const Node*> m_pending;
    std::vector<const Var*> m_loops;
};

std::int64_t elements_of(const Var& var) {
    const auto* tensor = as<TensorType>(var.type);
    if (!tensor || !is_row_major(layout_of(*tensor)))
        return 0;
    return constant_int(product(tensor->shape)).value_or(0);
}

} // namespace

// All elements of an array of the thread, to the copy or back.
StmtRef KeptRewriter::copied(const Var& var, const KeptVariable& kept, const VarRef& local, bool out) {
    const TensorType& tensor = *tensor_of(var.type);
    ExprVec indices{index_of(kept)}, own;
    VarVec loops;
    for (const ExprRef& extent : tensor.shape) {
        loops.push_back(make_var("i", extent->type));
        own.push_back(loops.back());
        indices.push_back(loops.back());
    }
    StmtRef copy = out ? make_store(array_of(kept), indices, make_element(local, own))
                       : make_store(local, own, make_element(array_of(kept), indices));
    for (std::size_t i = loops.size(); i-- > 0;)
        copy = make_for(loops[i], tensor.shape[i], {}, std::move(copy));
    return copy;
}

void KeptRewriter::take_array(const Var& var, const KeptVariable& kept, bool is_declared, bool is_written,
                              StmtVec& stmts, StmtVec& after) {
    VarRef copy = make_var(var.name, var.type);
    set_origin(copy, var.origin);
    stmts.push_back(make_declare(copy, nullptr, Scope::Register));
    if (!is_declared)
        stmts.push_back(copied(var, kept, copy, false));
    if (is_written)
        after.push_back(copied(var, kept, copy, true));
    m_copies[&var] = copy;
    replace(var, copy);
}

void KeptRewriter::take_value(const Var& var, const KeptVariable& kept, bool is_declared, bool is_written,
                              StmtVec& stmts, StmtVec& after) {
    VarRef copy = make_var(var.name, value_type(var.type));
    set_origin(copy, var.origin);
    const TypeRef kept_type = tensor_of(kept.array->type)->element;
    const bool is_other = !same_type(kept_type, copy->type);
    if (!is_declared) {
        ExprRef element = element_of_thread(kept);
        if (is_other)
            element = make_cast(element, copy->type);
        stmts.push_back(is_written ? make_declare(copy, element) : make_let_stmt(copy, element));
    }
    if (is_declared || is_written)
        after.push_back(make_store(array_of(kept), {index_of(kept)}, is_other ? make_cast(copy, kept_type) : copy));
    m_copies[&var] = copy;
    replace(var, copy);
}

void KeptRewriter::write(const Region& region, StmtVec& stmts) {
    RegionUse use(m_kept);
    use.look(region.stmts);
    StmtVec after;
    for (const Var* var : use.mentioned) {
        const KeptVariable* kept = m_kept.find(*var);
        if (!kept)
            continue;
        const bool is_declared = use.declared.contains(var);
        const bool is_written = is_declared || use.written.contains(var);
        const std::int64_t count = is_array(var->type) ? elements_of(*var) : 0;
        if (count > 0 && count <= most_copied && use.swept.contains(var) && !kept->is_pointed_at)
            take_array(*var, *kept, is_declared, is_written, stmts, after);
        else if (!is_array(var->type) && !kept->in_place)
            take_value(*var, *kept, is_declared, use.written.contains(var), stmts, after);
    }
    m_array_indices = std::move(use.indices);
    for (StmtRef& stmt : stmts)
        set_origin(stmt, {region.stmts.front()->origin.span, pass()});
    for (const StmtRef& stmt : region.stmts)
        if (StmtRef written = rewrite(stmt))
            stmts.push_back(std::move(written));
    for (StmtRef& stmt : after) {
        set_origin(stmt, {region.stmts.back()->origin.span, pass()});
        stmts.push_back(std::move(stmt));
    }
}

// Loops that choose elements of a thread's array are unrolled, so that these can be registers; not what would become too long.
StmtRef KeptRewriter::visit(const ForStmt& stmt) {
    const std::int64_t before = std::exchange(m_unrolled, 0);
    StmtRef written = rebuild(stmt);
    const auto& loop = *as<ForStmt>(written);
    const std::int64_t copies = std::max<std::int64_t>(m_unrolled, 1); // of something, that the body has already
    const auto extent = constant_int(loop.extent);
    const bool is_short = extent && *extent > 0 && *extent <= most_unrolled / copies;
    LoopAttr attr = stmt.attr;
    if (is_short && attr.what == LoopAttr::What::Plain && m_array_indices.contains(stmt.var.get()))
        attr = {LoopAttr::What::Unroll, 0};
    else if (!is_short && attr.what == LoopAttr::What::Unroll)
        attr = {};
    const bool is_unrolled = attr.what == LoopAttr::What::Unroll;
    m_unrolled = before + (is_unrolled ? copies * extent.value_or(1) : copies);
    return attr == loop.attr ? written : make_for(loop.var, loop.extent, attr, loop.body);
}

} // namespace hidet::compiler
