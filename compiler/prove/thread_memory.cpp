// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/wide_access.h"
#include "compiler/prove/thread_state.h"
#include "lang/base/text.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

bool is_packed(const TypeRef& element) {
    const auto dtype = scalar_of(element);
    return dtype && is_subbyte(*dtype);
}

} // namespace

// ---- what the analysis does not see through -------------------------------------------------------------------------------

// Instructions that order memory otherwise than by barriers, or reach what no address of the thread says.
std::optional<Obstacle> ThreadValues::unseen(IntrinsicId id) {
    const IntrinsicInfo& row = info(id);
    const auto hidden = [](const char* what, bool accesses, bool meetings) {
        return Obstacle{nullptr, what, accesses, meetings};
    };
    switch (id) {
    case IntrinsicId::LoadAcquire:
    case IntrinsicId::StoreRelease:
    case IntrinsicId::ThreadFence: return hidden("memory that is ordered by acquire and release", false, false);
    default: break;
    }
    if (std::string_view(row.name).starts_with("cuda.tcgen05"))
        return hidden("tensor memory", true, true);
    return std::nullopt;
}

void ThreadValues::obstacle(const Node& at, Obstacle of) {
    if (m_is_silent || m_is_host || is_false(running()))
        return;
    of.at = &at;
    if (std::ranges::none_of(m_facts.obstacles, [&](const Obstacle& known) { return known.what == of.what; }))
        m_facts.obstacles.push_back(std::move(of));
}

// None may have returned before.
void ThreadValues::meet_lanes(const Intrinsic& expr, int of_threads) {
    if (!m_is_silent)
        m_facts.meetings.push_back({&expr, running(), m_terms.truth(false), nullptr, "where the lanes of a warp are",
                                    of_threads, m_iterations});
}

void ThreadValues::forget(const ExprRef& place, const char* why) {
    if (const auto* var = as<Var>(place))
        forget(var, why);
}

void ThreadValues::forget(const Var* var, const char* why) {
    if (const auto at = m_state.variables.find(var); at != m_state.variables.end())
        at->second = {.term = unknown(var->type, why)};
}

// ---- places -----------------------------------------------------------------------------------------------------------

int ThreadValues::object_of(const Var* var, Space space, Term bytes, const std::string& name) {
    const auto [at, is_new] = m_objects.try_emplace(var, static_cast<int>(m_facts.objects.size()));
    const TypeRef element = is_new && var ? element_of(var->type) : nullptr;
    if (is_new)
        m_facts.objects.push_back({var, name, space, bytes, m_written.contains(name), element && is_packed(element)});
    return at->second;
}

// The object that a tensor is, or that a pointer of a parameter points at.
Value ThreadValues::object_value(const Var& var, Space space) {
    Term bytes = nullptr;
    if (const auto known = m_objects.find(&var); known == m_objects.end()) {
        if (const TensorType* tensor = tensor_of(var.type)) {
            const Term slots = number(ir::size_of(tensor->layout ? tensor->layout : layout_of(*tensor)));
            const std::int64_t size = size_in_bytes(tensor->element);
            if (is_packed(tensor->element)) {
                const Packing packing = packing_of(*scalar_of(tensor->element));
                const Term units = m_terms.quotient(m_terms.add(slots, m_terms.constant(packing.per_unit - 1)),
                                                    m_terms.constant(packing.per_unit));
                bytes = m_terms.scaled(units, bytes_of(packing.unit));
            } else {
                bytes = size > 0 ? m_terms.scaled(slots, size) : nullptr;
            }
        } else if (is_array(var.type) && size_in_bytes(var.type) > 0) {
            bytes = m_terms.constant(size_in_bytes(var.type));
        } else if (space == Space::Register && size_in_bytes(var.type) > 0) {
            bytes = m_terms.constant(size_in_bytes(var.type));
        }
    }
    Value out;
    out.object = object_of(&var, space, bytes, var.name);
    out.offset = m_terms.constant(0);
    return out;
}

Value ThreadValues::moved(Value address, Term bytes) {
    if (Terms::constant_of(bytes) == 0)
        return address;
    address = beyond_element(std::move(address));
    address.offset = address.offset ? m_terms.add(address.offset, bytes) : nullptr;
    return address;
}

// What is reached from an element on is elsewhere, but the element has to be one.
Value ThreadValues::beyond_element(Value address) {
    if (!address.index.empty())
        address.views.push_back({m_facts.objects[static_cast<std::size_t>(address.object)].name,
                                 std::exchange(address.index, {}), std::exchange(address.shape, {})});
    return address;
}

Value ThreadValues::as_number(Value address) {
    address.views.clear();
    address.is_number = true;
    return address;
}

Value ThreadValues::address_of(const ExprRef& place) {
    if (const auto* element = as<TensorElement>(place))
        return address_of_element(element->base, element->indices);
    if (const auto* deref = as<Deref>(place))
        return eval(deref->pointer);
    const auto* var = as<Var>(place);
    if (!var)
        return {};
    if (is_array(var->type))
        return read_variable(*var);
    return object_value(*var, Space::Register);
}

Value ThreadValues::address_of_element(const ExprRef& base, const ExprVec& indices) {
    const Value from = eval(base);
    std::vector<Term> index;
    for (const ExprRef& expr : indices)
        index.push_back(number(expr));
    const TypeRef element = element_of(base->type);
    const TensorType* tensor = tensor_of(base->type);
    if (from.object < 0)
        return from;
    Value out = from;
    out.index.clear(), out.shape.clear(), out.views.clear();
    const std::int64_t bytes = bytes_of_element(element);
    Term slot = nullptr;
    if (!tensor) {
        slot = index.at(0);
    } else {
        const LayoutRef layout = tensor->layout ? tensor->layout : layout_of(*tensor);
        if (const auto* strides = as<StridesLayout>(layout)) {
            slot = m_terms.constant(0);
            for (std::size_t d = 0; d < index.size(); ++d)
                slot = m_terms.add(slot, m_terms.multiply(index[d], number(strides->strides[d])));
        } else {
            slot = number(slot_of(layout, indices));
        }
    }
    if (is_packed(element))
        slot = m_terms.quotient(slot, m_terms.constant(packing_of(*scalar_of(element)).per_unit));
    out.offset = from.offset ? m_terms.add(from.offset, m_terms.scaled(slot, bytes)) : nullptr;
    // The tensor itself, and not what is seen of it through another one.
    const auto* var = as<Var>(base);
    std::vector<Term> shape;
    if (tensor)
        for (const ExprRef& extent : tensor->shape)
            shape.push_back(number(extent));
    else if (const auto* array = as<ArrayType>(base->type))
        shape.push_back(m_terms.constant(array->count));
    if (tensor && var && m_facts.objects[static_cast<std::size_t>(from.object)].var == var)
        out.index = std::move(index), out.shape = std::move(shape);
    else if (!shape.empty())
        out.views.push_back({var ? var->name : "a view", std::move(index), std::move(shape)});
    return out;
}

// ---- accesses ---------------------------------------------------------------------------------------------------------

Value ThreadValues::load(const Node& at, const Value& address, const TypeRef& type) {
    const std::int64_t bytes = bytes_of_element(type);
    if (const auto known = m_elements.find({address.object, address.offset}); m_is_host && known != m_elements.end())
        return known->second;
    access(at, Does::Reads, address, m_terms.constant(bytes), bytes, bytes);
    const auto dtype = scalar_of(type);
    if (!dtype || !is_integer(*dtype) || is_subbyte(*dtype))
        return {.term = unknown(type, "a value in memory")};
    const Object* object = address.object >= 0 ? &m_facts.objects[static_cast<std::size_t>(address.object)] : nullptr;
    if (!object || object->space != Space::Global || object->is_written || !address.offset)
        return {.term = unknown(type, object && object->space == Space::Register ? "an element of an array"
                                                                                 : "a value in memory")};
    // Memory that nobody writes has one number at each place.
    const IntegerRange range = integer_range(*dtype);
    const bool is_bounded = range.highest <= (std::uint64_t{1} << 33);
    return {.term =
                m_terms.apply(cat("memory ", address.object, *dtype == DType::Bool ? " bool" : ""),
                              address.index.empty() ? std::vector<Term>{address.offset} : address.index,
                              is_bounded ? range.lowest : 0, is_bounded ? static_cast<std::int64_t>(range.highest) : -1,
                              "a value in memory", *dtype == DType::Bool)};
}

// `aligned`: of its address.
void ThreadValues::access(const Node& at, Does does, const Value& address, Term bytes, std::int64_t element_bytes,
                          std::int64_t aligned, bool is_by_warp) {
    const Moment now = moment();
    const Term when = running();
    if (address.object >= 0 && does != Does::Reads)
        forget(m_facts.objects[static_cast<std::size_t>(address.object)].var,
               "a variable that is written by its address");
    if (m_is_host || is_false(when))
        return;
    if (address.object < 0)
        return obstacle(at, {nullptr, "an address that is not known", true, false});
    Object& object = m_facts.objects[static_cast<std::size_t>(address.object)];
    if (does != Does::Reads)
        object.is_written = true;
    MemoryAccess out{
        &at,
        {address.object, address.index, address.shape, 1, address.views, address.offset, bytes, address.block},
        does,
        when,
        is_by_warp,
        aligned,
        m_is_repeated || m_is_silent,
        now};
    // A vector of elements of the last dimension.
    const auto whole = Terms::constant_of(bytes);
    const TensorType* tensor = object.var ? tensor_of(object.var->type) : nullptr;
    const std::int64_t of_tensor = tensor ? bytes_of_element(tensor->element) : element_bytes;
    bool is_of_elements = !address.index.empty() && whole && *whole % of_tensor == 0 &&
                          (*whole == of_tensor || is_row_major(layout_of(*tensor)));
    if (is_of_elements)
        out.place.count = *whole / of_tensor;
    if (object.is_packed && at.kind != Kind::TensorElement && at.kind != Kind::StoreStmt) // whole bytes
        is_of_elements = false;
    if (out.place.count > 1 && tensor->layout && !is_row_major(tensor->layout))
        is_of_elements = false;
    if (!is_of_elements && !out.place.index.empty()) {
        if (!address.is_number)
            out.place.views.push_back({object.name, out.place.index, out.place.shape});
        out.place.index.clear(), out.place.shape.clear();
        out.place.count = 1;
    }
    m_facts.accesses.push_back(std::move(out));
    if (object.space != Space::Register)
        m_state.open.push_back({m_facts.accesses.size() - 1});
}

// An operand of an instruction that says where memory is read or written. Registers are so many from an element on.
void ThreadValues::access_operand(const Intrinsic& expr, std::size_t operand, const Value& address) {
    const IntrinsicParameter& parameter = parameter_of(info(expr.id), operand, expr.args.size());
    if (parameter.role != ParameterRole::Address || !parameter.access.any())
        return;
    const std::int64_t bytes = bytes_of_operand(expr, operand);
    if (bytes <= 0)
        return obstacle(expr, {nullptr, info(expr.id).name, true, false});
    const bool is_registers = parameter.space == MemorySpace::Registers;
    const Value from = is_registers ? beyond_element(address) : address;
    const std::int64_t aligned = is_registers ? std::min<std::int64_t>(bytes, bytes_of_word) : bytes;
    if (parameter.access.reads)
        access(expr, Does::Reads, from, m_terms.constant(bytes), aligned, aligned);
    if (parameter.access.writes)
        access(expr, Does::Writes, from, m_terms.constant(bytes), aligned, aligned);
}

bool ThreadValues::wide_access_of(const Intrinsic& expr) {
    return wide_access(expr.id).has_value();
}

// Several registers at once, of global memory where a predicate holds.
void ThreadValues::access_wide(const Intrinsic& expr) {
    const WideAccess wide = *wide_access(expr.id);
    const auto registers = static_cast<std::size_t>(wide.registers());
    for (std::size_t i = 0; i < registers; ++i)
        access_operand(expr, i, eval(expr.args[i]));
    const Value address = eval(expr.args[registers]);
    const Term holds = wide.is_shared ? m_terms.truth(true) : condition(expr.args[registers + 1]);
    under(holds, [&] {
        for (int at = 0; at < wide.bytes(); at += wide.bytes_at_once())
            access(expr, wide.is_load ? Does::Reads : Does::Writes, moved(address, m_terms.constant(at)),
                   m_terms.constant(wide.bytes_at_once()), wide.bytes_at_once(), wide.bytes_at_once());
        return 0;
    });
}

void ThreadValues::copy_async(const Intrinsic& expr) {
    const Value to = as_number(eval(expr.args[0])), from = as_number(eval(expr.args[1]));
    const std::int64_t bytes = number_attribute(expr.attr, "cp_size");
    const std::size_t begin = m_state.open.size();
    access(expr, Does::Writes, to, m_terms.constant(bytes), bytes, bytes);
    const Term size = expr.args.size() < 3 ? m_terms.constant(bytes) : number(expr.args[2]);
    under(m_terms.less(m_terms.constant(0), size), [&] {
        access(expr, Does::Reads, from, Terms::constant_of(size) ? size : m_terms.constant(bytes), bytes, bytes);
        return 0;
    });
    for (std::size_t i = begin; i < m_state.open.size(); ++i) {
        m_state.open[i].group = groups(EndsBy::CopyGroup), m_state.open[i].is_under_way = true;
        m_facts.accesses[m_state.open[i].access].ends_by = EndsBy::CopyGroup;
    }
}

Term& ThreadValues::groups(EndsBy kind) {
    Value& known = m_state.variables[group_counter(kind)];
    if (!known.term)
        known.term = m_terms.constant(0);
    return known.term;
}

void ThreadValues::close_group(EndsBy kind) {
    const Term before = groups(kind);
    groups(kind) = m_terms.choose(m_state.left, before, m_terms.add(before, m_terms.constant(1)));
    const Term here = running();
    for (OpenAccess& open : m_state.open)
        if (open.is_under_way && m_facts.accesses[open.access].ends_by == kind)
            open.closed = open.closed ? m_terms.either(open.closed, here) : here;
}

// Copies of all groups but so many of the newest are done, if the thread comes here; where they were, they are accesses like
// others.
void ThreadValues::wait_for_groups(EndsBy kind, Term most_groups, Until until) {
    const Term done_below = m_terms.sub(groups(kind), most_groups);
    const Term here = running();
    const Moment now = moment();
    std::vector<OpenAccess> done;
    for (OpenAccess& open : m_state.open) {
        const MemoryAccess& access = m_facts.accesses[open.access];
        if (!open.is_under_way || access.ends_by != kind || (until == Until::ItHasRead && access.does != Does::Reads))
            continue;
        const Term before = open.when ? open.when : m_terms.truth(true);
        Term is_done = m_terms.less(open.group, done_below);
        if (Terms::constant_of(most_groups) == 0 && open.closed)
            is_done = m_terms.either(is_done, open.closed);
        const Term given = m_comes_when ? m_terms.both(access.when, m_comes_when) : access.when;
        is_done = m_terms.both(is_done, m_terms.beside(here, given));
        OpenAccess part = open;
        part.is_under_way = false, part.when = m_terms.both(before, is_done);
        part.waited = now;
        open.when = m_terms.both(before, m_terms.negate(is_done));
        done.push_back(part);
    }
    m_state.open.insert(m_state.open.end(), done.begin(), done.end());
    std::erase_if(m_state.open, [](const OpenAccess& open) { return open.when && is_false(open.when); });
}

} // namespace hidet::compiler::prove
