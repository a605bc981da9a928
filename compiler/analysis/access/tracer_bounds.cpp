// SPDX-License-Identifier: Apache-2.0
// Looks at each access whether it stays within its tensor, while the tracer goes over a kernel. An index is compared in all threads
// and for all numbers of its open variables at once: the sum of their ends is reached, so what leaves has an example.
#include <algorithm>

#include "compiler/analysis/access/tracer.h"
#include "compiler/analysis/underlying_object.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/layout.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

constexpr char no_turns[] = "how often a loop runs";
constexpr std::size_t most_turns = 1 << 16;
constexpr char too_many[] = "there are too many blocks and iterations to look at all of them";

} // namespace

std::vector<BoundsCheck> BoundsTracer::bounds(const std::unordered_set<const Node*>& any_size) {
    trace();
    const bool knows_block =
        std::ranges::all_of(m_kernel.block_dim, [](const ExprRef& extent) { return constant_int(extent).has_value(); });
    const char* unfinished = m_again                  ? "guards that differ from block to block"
                             : m_stopped || m_samples ? too_many
                             : !m_knows_grid          ? "the grid is not known"
                             : !knows_block           ? "the size of a block is not known"
                                                      : nullptr;
    std::vector<BoundsCheck> out;
    for (Proof& proof : m_proofs) {
        BoundsCheck& check = proof.check;
        const bool may_be_wrong = check.within == Within::Leaves && (m_again || !knows_block);
        if (unfinished && (check.within == Within::Proved || may_be_wrong))
            check.within = Within::Undecided, check.why = unfinished;
        check.for_any_size = proof.is_element && any_size.contains(proof.element);
        if (check.for_any_size && check.within == Within::Undecided)
            check.within = Within::Proved, check.why.clear(), check.escape.reset();
        out.push_back(std::move(check));
    }
    return out;
}

BoundsTracer::Proof& BoundsTracer::proof_of(const Node& at, AccessKind kind, bool is_shared) {
    for (std::size_t index : m_proofs_of[&at])
        if (m_proofs[index].check.kind == kind && m_proofs[index].check.is_shared == is_shared)
            return m_proofs[index];
    m_proofs_of[&at].push_back(m_proofs.size());
    Proof& proof = m_proofs.emplace_back();
    proof.check.origin = at.origin, proof.check.kind = kind, proof.check.is_shared = is_shared;
    return proof;
}

void BoundsTracer::leave_open(Proof& proof, const char* why) {
    if (proof.check.within == Within::Proved)
        proof.check.within = Within::Undecided, proof.check.why = why;
}

// What leaves for certain says so; what leaves where data lets it is not decided, with an example all the same.
void BoundsTracer::note_escape(Proof& proof, Escape escape, const char* doubt) {
    if (m_guards > 0)
        doubt = m_guard;
    else if (m_may_have_left)
        doubt = "a thread may have returned before, as data says";
    else if (m_skipped_turns)
        doubt = too_many;
    if (proof.check.within == Within::Leaves || (doubt && proof.check.escape))
        return;
    proof.check.within = doubt ? Within::Undecided : Within::Leaves;
    proof.check.why = doubt ? doubt : "";
    proof.check.escape = std::move(escape);
}

void BoundsTracer::touch_elsewhere(const Node& at, AccessKind kind, const char* why, bool is_shared) {
    leave_open(proof_of(at, kind, is_shared), why);
}

void BoundsTracer::run_any_turn(const ForStmt& loop, const Value& extent, const Mask& mask) {
    const int id = m_loops.back().atom;
    const auto turn = [&](const Value& number) {
        forget_carried(loop, loop.body);
        m_loops.back().continued = {};
        m_cells[loop.var.get()] = {number, mask, m_guards};
        run(loop.body, mask);
    };
    if (!extent.known)
        return turn(Domain::data(no_turns, false));
    const std::int64_t count = m_domain.greatest(extent);
    m_domain.atom(id).count = count;
    m_open.push_back(id);
    for (const Stretch& stretch : m_domain.stretches(id, count, most_turns)) {
        m_domain.atom(id).begin = stretch.begin, m_domain.atom(id).count = stretch.count;
        turn(m_domain.open(id));
    }
    m_open.pop_back();
}

// ---- an example ---------------------------------------------------------------------------------------------------------

// The numbers of open variables, behind their beginnings, at which the value is as far outside as can be, and no further than
// it has to: `by` is its distance from the first number outside, or below -1 from the last one.
std::unordered_map<int, std::int64_t> BoundsTracer::ends_of(const Terms& terms, bool is_highest,
                                                            std::int64_t by) const {
    std::unordered_map<int, std::int64_t> out;
    for (const Term& term : terms) {
        if ((term.by > 0) != is_highest)
            continue;
        const std::int64_t step = std::abs(term.by), last = m_domain.atom(term.atom).count - 1;
        const std::int64_t less = std::min(last, by / step);
        by -= less * step;
        out[term.atom] = last - less;
    }
    return out;
}

Escape BoundsTracer::escape_at(std::size_t thread, const std::unordered_map<int, std::int64_t>& at) const {
    const auto number = [&](int id) {
        const auto found = at.find(id);
        return m_domain.atom(id).begin + (found == at.end() ? 0 : found->second);
    };
    Escape out;
    const auto t = static_cast<std::int64_t>(thread);
    out.thread = {t % m_block[0], t / m_block[0] % m_block[1], t / m_block[0] / m_block[1]};
    for (std::size_t d = 0; d < 3; ++d)
        out.block[d] = number(m_axes[d]);
    for (const Loop& loop : m_loops)
        if (loop.atom >= 0)
            out.turns.push_back({loop.variable, number(loop.atom)});
    return out;
}

// Nothing: in all threads of the mask the value lies in [0, end), for all numbers of what is open; `end` is known to be `over`
// less than the value. Else the first thread outside, and where it is.
std::optional<BoundsTracer::Outside> BoundsTracer::outside_of(const Value& value, const Value& over,
                                                              const Mask& mask) const {
    const Domain::Bounds low = m_domain.bounds_of(value.terms), high = m_domain.bounds_of(over.terms);
    std::optional<Outside> out;
    const auto note = [&](std::size_t t, const Terms& terms, bool is_highest, std::int64_t by) {
        if (!out)
            out = Outside{t, ends_of(terms, is_highest, by), 0};
        ++out->threads;
    };
    for (std::size_t t = 0; t < m_domain.threads(); ++t) {
        if (!mask.has(t))
            continue;
        const std::int64_t lowest = value.base(t) + low.lowest, highest = over.base(t) + high.highest;
        if (low.known && lowest < 0)
            note(t, value.terms, false, -1 - lowest);
        else if (high.known && highest >= 0)
            note(t, over.terms, true, highest);
    }
    return out;
}

std::int64_t BoundsTracer::number_at(const Value& value, const Outside& outside) const {
    std::int64_t out = value.base(outside.thread);
    for (const Term& term : value.terms)
        if (const auto at = outside.at.find(term.atom); at != outside.at.end())
            out += term.by * at->second;
    return out;
}

// ---- accesses -----------------------------------------------------------------------------------------------------------

// How many bytes the object has; nothing where that is not known.
std::optional<std::int64_t> BoundsTracer::bytes_of_object(const Object& object) const {
    if (!object.var)
        return m_kernel.dynamic_smem_bytes ? known_size(m_kernel.dynamic_smem_bytes, m_sizes) : std::nullopt;
    if (const TensorType* tensor = tensor_of(object.var->type)) {
        const auto dtype = scalar_of(tensor->element);
        const auto slots = known_size(ir::size_of(tensor->layout ? tensor->layout : layout_of(*tensor)), m_sizes);
        const std::int64_t bytes = size_in_bytes(tensor->element);
        return !slots || (dtype && is_subbyte(*dtype)) || bytes <= 0 ? std::nullopt : std::optional(*slots * bytes);
    }
    const std::int64_t bytes = is_array(object.var->type) ? size_in_bytes(object.var->type) : 0;
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

void BoundsTracer::prove_indices(Proof& proof, const TensorType& tensor, const ExprVec& indices, const Mask& mask,
                                 bool is_checked) {
    const bool counts = std::exchange(m_counts, false); // what they read was looked at already
    std::vector<Value> at, extents;
    for (std::size_t d = 0; d < indices.size(); ++d)
        at.push_back(eval(indices[d], mask)), extents.push_back(eval(tensor.shape[d], mask));
    m_counts = counts;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const Value over = m_domain.add(at[d], extents[d], -1);
        if (!at[d].known || !over.known) {
            leave_open(proof, at[d].known ? over.why : at[d].why);
            continue;
        }
        const auto outside = outside_of(at[d], over, mask);
        const bool is_open = !m_domain.bounds_of(at[d].terms).known || !m_domain.bounds_of(over.terms).known;
        if (!outside) {
            if (is_open)
                leave_open(proof, "it depends on a size that is not known");
            continue;
        }
        Escape escape = escape_at(outside->thread, outside->at);
        escape.threads = outside->threads;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            escape.index.push_back(at[i].known ? number_at(at[i], *outside) : 0);
            escape.shape.push_back(extents[i].known ? number_at(extents[i], *outside) : 0);
        }
        const auto dtype = scalar_of(indices[d]->type).value_or(DType::I64);
        const char* doubt = !std::ranges::all_of(at, &Value::known) ? "another index is not known"
                            : may_wrap(at[d], dtype)                ? "an index that wraps around"
                            : !is_checked ? "its index leaves its dimension, and its address may stay in the tensor"
                                          : nullptr;
        note_escape(proof, std::move(escape), doubt);
    }
}

void BoundsTracer::prove_bytes(Proof& proof, const Value& address, const std::array<int, 1024>& bytes,
                               const Mask& mask) {
    if (address.object < 0)
        return leave_open(proof, "an address that is not known");
    const Object& object = m_objects[static_cast<std::size_t>(address.object)];
    const auto size = bytes_of_object(object);
    if (!size)
        return leave_open(proof, "how much memory is behind the address is not known");
    if (!m_domain.bounds_of(address.terms).known)
        return leave_open(proof, "it depends on a size that is not known");
    Value at = address, over = address; // the last byte of each thread, behind the end
    at.constant -= object.begin;
    at.memory = over.memory = Memory::None;
    Value last = m_domain.each([&](std::size_t t) { return bytes[t] - 1; });
    over = m_domain.add(at, last);
    over.constant -= *size;
    const auto outside = outside_of(at, over, mask);
    if (!outside)
        return;
    Escape escape = escape_at(outside->thread, outside->at);
    escape.threads = outside->threads;
    escape.at = number_at(at, *outside), escape.bytes = bytes[outside->thread], escape.size = *size;
    note_escape(proof, std::move(escape), nullptr);
}

void BoundsTracer::touched(const Node& at, AccessKind kind, const Value& address, int bytes, const ExprRef& base,
                           const Mask& mask, const Value* lane_bytes, const CopySource*) {
    Proof& proof = proof_of(at, kind, address.memory == Memory::Shared);
    if (proof.check.tensor.empty())
        proof.check.tensor = name_of(address, base);
    if (lane_bytes && (!lane_bytes->known || !lane_bytes->terms.empty()))
        return leave_open(proof, lane_bytes->known ? "how much is copied differs" : lane_bytes->why);
    const std::array<int, 1024> sizes = sizes_of(bytes, mask, lane_bytes);
    Mask lanes;
    for (std::size_t t = 0; t < m_domain.threads(); ++t)
        if (mask.has(t) && sizes[t] > 0)
            lanes.warps[t / 32] |= std::uint32_t{1} << t % 32;
    if (!lanes.any())
        return;
    const auto* element = at.kind == Kind::TensorElement ? static_cast<const TensorElement*>(&at) : nullptr;
    const auto* stored = at.kind == Kind::StoreStmt ? static_cast<const StoreStmt*>(&at) : nullptr;
    const TensorElement* behind = element ? element : element_behind_address(base);
    const ExprRef* of = stored ? &stored->base : behind ? &behind->base : nullptr;
    const ExprVec* indices = stored ? &stored->indices : behind ? &behind->indices : nullptr;
    const TensorType* tensor = of ? tensor_of((*of)->type) : nullptr;
    const auto* var = of ? as<Var>(*of) : nullptr;
    // The tensor itself, and not what is seen of it through another one: then inside of its shape is inside of its memory.
    const bool is_whole =
        tensor && var && address.object >= 0 && m_objects[static_cast<std::size_t>(address.object)].var == var;
    const bool is_single = element || stored || kind == AccessKind::Atomic;
    proof.element = stored ? static_cast<const Node*>(stored) : behind;
    proof.is_element = is_whole && is_single;
    if (tensor && tensor->shape.size() == indices->size()) {
        const bool is_checked = is_single || at.kind == Kind::Deref;
        prove_indices(proof, *tensor, *indices, lanes, is_checked);
        if (is_whole && is_single)
            return;
    }
    if (!address.known)
        return leave_open(proof, address.why);
    prove_bytes(proof, address, sizes, lanes);
}

// The copy unit leaves out what of a box lies outside of its tensor.
void BoundsTracer::copy_by_unit(const Intrinsic& expr, std::span<const Value> args, const Mask& mask) {
    const auto whole = [&](std::size_t arg, const Value& bytes) {
        touched(expr, AccessKind::CopyUnit, args[arg], 0, expr.args[arg], mask, &bytes, nullptr);
    };
    switch (expr.id) {
    case IntrinsicId::CopyBulkG2S:
    case IntrinsicId::CopyBulkS2G:
    case IntrinsicId::CopyBulkReduce: whole(1, args[0]), whole(2, args[0]); return;
    case IntrinsicId::CopyTensorG2S:
    case IntrinsicId::CopyTensorS2G:
    case IntrinsicId::CopyTensorReduce: break;
    default:
        for (const bool is_shared : {false, true})
            leave_open(proof_of(expr, AccessKind::CopyUnit, is_shared), "what the copy unit copies");
        return;
    }
    const std::shared_ptr<const Box>& box = box_behind(expr.args[1]);
    if (!box)
        return leave_open(proof_of(expr, AccessKind::CopyUnit, true), "the tensor map of the copy unit");
    proof_of(expr, AccessKind::CopyUnit, false).check.tensor = box->tensor;
    whole(0, Domain::constant(bytes_of(*box)));
}

} // namespace hidet::compiler::access
