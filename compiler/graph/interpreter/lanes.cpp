// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/interpreter/lanes.h"

#include <algorithm>

#include "compiler/graph/core/shape.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::graph::lanes {

namespace {

using ir::DType;

Cell of_int(std::int64_t value) {
    Cell cell;
    cell.i = value;
    return cell;
}
Cell of_float(double value) {
    Cell cell;
    cell.d = value;
    return cell;
}

void bitcast(DType from, DType to, int lanes, const Row& a, Row& result) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i) {
        std::byte bytes[8] = {};
        store(from, bytes, 0, a[i]);
        result[i] = load(to, bytes, 0);
    }
}

} // namespace

Code::Code(const ir::ExprRef& expr, Environment environment) : m_environment(std::move(environment)) {
    m_root = compile(expr);
}

std::size_t Code::add(Step step) {
    if (step.kind != Kind::Row && step.kind != Kind::Alias)
        step.result.resize(lane_count);
    if (step.kind == Kind::Select || step.kind == Kind::Logic) {
        step.active.resize(lane_count);
        step.other.resize(lane_count);
    }
    m_steps.push_back(std::move(step));
    return m_steps.size() - 1;
}

std::size_t Code::fixed(Cell value, DType dtype) {
    Step step;
    step.dtype = dtype;
    const std::size_t index = add(std::move(step));
    std::ranges::fill(m_steps[index].result, value);
    return index;
}

std::size_t Code::compile(const ir::ExprRef& expr) {
    const auto scalar = ir::scalar_of(expr->type);
    HIDET_CHECK(scalar, "an expression that is no scalar in a compute definition");
    Step step;
    step.dtype = *scalar;
    const auto operand = [&](const ir::ExprRef& each) {
        const std::size_t index = compile(each);
        step.from = m_steps[index].dtype;
        step.operands.push_back(index);
    };
    if (const auto* constant = ir::as<ir::Constant>(expr)) {
        if (const auto* value = std::get_if<std::int64_t>(&constant->value))
            return fixed(ir::is_float(*scalar) ? of_float(static_cast<double>(*value)) : of_int(*value), *scalar);
        return fixed(of_float(std::get<double>(constant->value)), *scalar);
    }
    if (const auto* symbol = ir::as<ir::SymbolVar>(expr)) {
        const auto found =
            m_environment.symbols ? m_environment.symbols->find(symbol->name) : SymbolValues::const_iterator();
        if (!m_environment.symbols || found == m_environment.symbols->end())
            throw OpError("the extent '", symbol->name, "' is not known");
        return fixed(of_int(found->second), *scalar);
    }
    if (const auto* var = ir::as<ir::Var>(expr)) {
        if (const auto let = m_lets.find(var); let != m_lets.end()) {
            step.kind = Kind::Alias;
            step.operands = {let->second};
            return add(std::move(step));
        }
        const auto row = m_environment.rows.find(var);
        HIDET_CHECK(row != m_environment.rows.end(), "'" + var->name + "' is not defined in the compute definition");
        step.kind = Kind::Row;
        step.row = row->second;
        return add(std::move(step));
    }
    if (const auto* unary = ir::as<ir::Unary>(expr)) {
        operand(unary->a);
        step.kind = Kind::Unary;
        step.code = static_cast<int>(unary->op);
    } else if (const auto* binary = ir::as<ir::Binary>(expr)) {
        operand(binary->b);
        operand(binary->a);
        std::ranges::reverse(step.operands);
        step.kind = binary->op == ir::BinOp::And || binary->op == ir::BinOp::Or ? Kind::Logic : Kind::Binary;
        step.code = static_cast<int>(binary->op);
    } else if (const auto* cast = ir::as<ir::Cast>(expr)) {
        operand(cast->a);
        step.kind = Kind::Cast;
    } else if (const auto* select = ir::as<ir::Select>(expr)) {
        operand(select->condition);
        operand(select->a);
        operand(select->b);
        step.kind = Kind::Select;
    } else if (const auto* element = ir::as<ir::TensorElement>(expr)) {
        const auto* base = ir::as<ir::Var>(element->base);
        const auto found = base ? m_environment.tensors.find(base) : m_environment.tensors.end();
        HIDET_CHECK(found != m_environment.tensors.end(), "a read of something that is no tensor of the task");
        for (const ir::ExprRef& index : element->indices)
            operand(index);
        step.kind = Kind::Element;
        step.code = element->is_protected;
        step.elements = found->second;
        step.walk = walk_of(step.operands);
    } else if (const auto* math = ir::as<ir::Intrinsic>(expr)) {
        for (const ir::ExprRef& arg : math->args)
            operand(arg);
        step.kind = Kind::Math;
        step.code = static_cast<int>(math->id);
    } else if (const auto* let = ir::as<ir::Let>(expr)) {
        operand(let->value);
        m_lets[let->var.get()] = step.operands[0];
        operand(let->body);
        step.kind = Kind::Let;
    } else {
        HIDET_CHECK(false, std::string("a compute definition with a ") + ir::kind_name(expr->kind));
    }
    return add(std::move(step));
}

const Row& Code::run(std::size_t index, int lanes, const Active& active) {
    Step& step = m_steps[index];
    step.last = &compute(step, lanes, active);
    return *step.last;
}

const Row& Code::compute(Step& step, int lanes, const Active& active) {
    switch (step.kind) {
    case Kind::Fixed: return step.result;
    case Kind::Row: return *step.row;
    case Kind::Alias: return *m_steps[step.operands[0]].last;
    case Kind::Let: run(step.operands[0], lanes, active); return run(step.operands[1], lanes, active);
    case Kind::Unary: run_operator(ir::scalar_op(static_cast<ir::UnOp>(step.code)), step, lanes, active); break;
    case Kind::Binary: run_operator(ir::scalar_op(static_cast<ir::BinOp>(step.code)), step, lanes, active); break;
    case Kind::Cast:
        ir::convert(step.from, step.dtype, run(step.operands[0], lanes, active).data(), lanes, step.result.data());
        break;
    case Kind::Math: run_math(step, lanes, active); break;
    case Kind::Select: run_select(step, lanes, active); break;
    case Kind::Logic: run_logic(step, lanes, active); break;
    case Kind::Element: run_element(step, lanes, active); break;
    }
    return step.result;
}

void Code::run_operator(ScalarOp op, Step& step, int lanes, const Active& active) {
    const Cell* args[3] = {};
    for (std::size_t i = 0; i < step.operands.size(); ++i)
        args[i] = run(step.operands[i], lanes, active).data();
    ir::apply(op, step.from, args, lanes, step.result.data());
}

void Code::run_math(Step& step, int lanes, const Active& active) {
    const auto id = static_cast<ir::IntrinsicId>(step.code);
    if (id == ir::IntrinsicId::Bitcast)
        return bitcast(step.from, step.dtype, lanes, run(step.operands[0], lanes, active), step.result);
    const auto op = ir::scalar_op(id);
    if (!op)
        throw OpError(ir::info(id).name, " cannot be evaluated here");
    if (!ir::takes(*op, step.from))
        throw OpError(ir::info(id).name, " is not defined for ", ir::info(step.from).name);
    run_operator(*op, step, lanes, active);
}

void Code::run_select(Step& step, int lanes, const Active& active) {
    const Row& condition = run(step.operands[0], lanes, active);
    bool any = false;
    bool all = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i) {
        const bool takes = condition[i].i != 0;
        step.active[i] = active[i] && takes;
        step.other[i] = active[i] && !takes;
        any |= step.active[i] != 0;
        all &= step.other[i] == 0;
    }
    const Row* a = any ? &run(step.operands[1], lanes, step.active) : nullptr;
    const Row* b = all ? nullptr : &run(step.operands[2], lanes, step.other);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i) {
        if (step.active[i])
            step.result[i] = (*a)[i];
        else if (step.other[i])
            step.result[i] = (*b)[i];
    }
}

void Code::run_logic(Step& step, int lanes, const Active& active) {
    const bool is_and = static_cast<ir::BinOp>(step.code) == ir::BinOp::And;
    const Row& a = run(step.operands[0], lanes, active);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i)
        step.active[i] = active[i] && (a[i].i != 0) == is_and;
    const Row& b = run(step.operands[1], lanes, step.active);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lanes); ++i)
        step.result[i].i = step.active[i] ? b[i].i != 0 : !is_and;
}

// ---- elements -------------------------------------------------------------------------------------------------------
// Most indices are sums of axes times constants. Along a run of lanes such an element moves by the same step, so that both
// ends say whether it lies inside, and the elements between are a loop over memory.

std::optional<Code::Affine> Code::affine_of(std::size_t index) const {
    constexpr std::int64_t largest = std::int64_t{1} << 31; // far from an overflow, whatever the extents are
    const Step& step = m_steps[index];
    if (step.dtype != DType::I64)
        return std::nullopt;
    switch (step.kind) {
    case Kind::Fixed: {
        const std::int64_t value = step.result[0].i;
        return value > -largest && value < largest ? std::optional(Affine{value, {}}) : std::nullopt;
    }
    case Kind::Row: return Affine{0, {{step.row, 1}}};
    case Kind::Alias: return affine_of(step.operands[0]);
    case Kind::Binary: break;
    default: return std::nullopt;
    }
    const auto op = static_cast<ir::BinOp>(step.code);
    if (op != ir::BinOp::Add && op != ir::BinOp::Sub && op != ir::BinOp::Mul)
        return std::nullopt;
    std::optional<Affine> a = affine_of(step.operands[0]);
    std::optional<Affine> b = affine_of(step.operands[1]);
    if (!a || !b)
        return std::nullopt;
    std::int64_t factor = op == ir::BinOp::Sub ? -1 : 1;
    if (op == ir::BinOp::Mul) {
        if (!a->terms.empty())
            std::swap(a, b);
        if (!a->terms.empty())
            return std::nullopt;
        factor = a->constant;
        a = Affine{};
    }
    a->constant += factor * b->constant;
    for (const auto& [row, by] : b->terms)
        a->terms.emplace_back(row, factor * by);
    const auto is_large = [&](std::int64_t value) { return value <= -largest || value >= largest; };
    if (is_large(a->constant) || std::ranges::any_of(a->terms, [&](const auto& term) { return is_large(term.second); }))
        return std::nullopt;
    return a;
}

std::vector<Code::Walk> Code::walk_of(const std::vector<std::size_t>& indices) const {
    std::vector<Walk> walks;
    if (!m_environment.runs)
        return {};
    for (std::size_t index : indices) {
        const std::optional<Affine> affine = affine_of(index);
        if (!affine)
            return {};
        Walk walk{*affine, 0};
        for (const auto& [row, by] : affine->terms)
            walk.step += row == m_environment.runs->moving ? by : 0;
        walks.push_back(std::move(walk));
    }
    return walks;
}

bool Code::read_runs(Step& step) const {
    const std::vector<std::int64_t>& shape = step.elements->shape;
    for (const Run& run : m_environment.runs->all) {
        std::int64_t linear = 0;
        std::int64_t by = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const Walk& walk = step.walk[d];
            std::int64_t first = walk.affine.constant;
            for (const auto& [row, factor] : walk.affine.terms)
                first += factor * (*row)[static_cast<std::size_t>(run.first)].i;
            const std::int64_t last = first + walk.step * (run.count - 1);
            if (std::min(first, last) < 0 || std::max(first, last) >= shape[d])
                return false;
            linear = linear * shape[d] + first;
            by = by * shape[d] + walk.step;
        }
        fused_loads(step.dtype, step.elements->data, linear, by, run.count,
                    &step.result[static_cast<std::size_t>(run.first)]);
    }
    return true;
}

void Code::run_element(Step& step, int lanes, const Active& active) {
    if (step.walk.size() == step.operands.size() && m_environment.runs && read_runs(step))
        return;
    std::int64_t linear[lane_count] = {};
    bool is_inside[lane_count];
    std::ranges::fill(is_inside, true);
    const std::vector<std::int64_t>& shape = step.elements->shape;
    for (std::size_t d = 0; d < step.operands.size(); ++d) {
        const Row& index = run(step.operands[d], lanes, active);
        for (int i = 0; i < lanes; ++i) {
            const std::int64_t at = index[static_cast<std::size_t>(i)].i;
            is_inside[i] &= at >= 0 && at < shape[d];
            linear[i] = is_inside[i] ? linear[i] * shape[d] + at : 0;
        }
    }
    for (int i = 0; i < lanes; ++i) {
        Cell& result = step.result[static_cast<std::size_t>(i)];
        result = ir::is_float(step.dtype) ? of_float(0) : of_int(0);
        if (!active[static_cast<std::size_t>(i)])
            continue;
        if (!is_inside[i] && step.code)
            continue;
        if (!is_inside[i])
            throw OpError("an index is outside of its tensor");
        result = load(step.dtype, step.elements->data, linear[i]);
    }
}

} // namespace hidet::graph::lanes
