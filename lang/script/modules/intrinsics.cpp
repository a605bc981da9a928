// SPDX-License-Identifier: Apache-2.0
#include "lang/script/modules/intrinsics.h"

#include "compiler/ir/wide_access.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/mma.h"
#include "lang/script/translator.h"

namespace hidet::lang {

using ir::IntrinsicParameter;
using ir::ParameterRole;

ir::ExprRef pointer_argument(const Value& value, Span span) {
    ir::ExprRef expr = to_expr(value, span);
    if (ir::as<ir::TensorType>(expr->type) || ir::is_pointer(expr->type))
        return expr;
    fail(DiagId::ScriptNotAPointer, span, describe(value));
}

ir::TypeRef pointee(const ir::ExprRef& pointer, Span span) {
    ir::TypeRef type = ir::element_of(pointer->type);
    if (!type || ir::as<ir::VoidType>(type))
        fail(DiagId::ScriptVoidPointer, span, type_text(pointer->type));
    if (auto dtype = ir::scalar_of(type); dtype && ir::is_subbyte(*dtype))
        typed(span, [&]() -> ir::ExprRef {
            throw ir::TypeError(cat("no instruction reads or writes an '", ir::info(*dtype).short_name,
                                    "' alone, which is smaller than a byte; cast the pointer to that of units"));
        });
    return type;
}

ir::ExprRef converted(Evaluator& evaluator, const Value& value, ir::DType dtype, Span span) {
    return convert_to(to_expr(value, span), ir::data_type(dtype), span, evaluator.sink());
}

Value on_gpu(Evaluator& evaluator, std::string_view name, const ir::IntrinsicAttr& attr, ir::ExprVec args, Span call,
             ir::TypeRef type) {
    Operations::of(evaluator).need_gpu(name, call);
    return Value::expr(typed(call, [&] { return ir::make_intrinsic(attr, std::move(args), std::move(type)); }));
}

// How many bytes lie behind an address, where that is known: of a tensor, or of its rest from an element on.
static std::optional<std::int64_t> bytes_behind(const ir::ExprRef& address) {
    const auto* pointer = ir::as<ir::Address>(address);
    const auto* element = pointer ? ir::as<ir::TensorElement>(pointer->place) : nullptr;
    const ir::ExprRef& base = element ? element->base : address;
    const auto* tensor = ir::as<ir::TensorType>(base->type);
    if (!tensor)
        return std::nullopt;
    const ir::LayoutRef layout = ir::layout_of(*tensor);
    const auto size = ir::constant_int(ir::size_of(layout));
    const auto at = element ? ir::constant_int(ir::slot_of(layout, element->indices)) : 0;
    const std::int64_t each = ir::size_in_bytes(tensor->element);
    return size && at && each > 0 ? std::optional((*size - *at) * each) : std::nullopt;
}

void check_bulk_size(const ir::ExprRef& bytes, Span span) {
    if (const auto count = ir::constant_int(bytes); count && (*count <= 0 || *count % 16))
        fail(DiagId::ScriptUnknownChoice, span, "'size'", *count, "multiples of 16");
}

// Words of 32 bits may stand for what is packed in them.
static bool is_mma_type(ir::DType given, ir::DType wanted) {
    return given == wanted || given == ir::DType::U32 || given == ir::DType::I32 ||
           (wanted == ir::DType::TF32 && given == ir::DType::F32);
}

void check_registers(const ir::ExprRef& address, Span span, std::string_view name, std::string_view instruction,
                     int count, ir::DType wanted) {
    const auto refuse = [&](const std::string& given) {
        fail(DiagId::ScriptMmaOperand, span, name, instruction, count, ir::info(wanted).short_name, given);
    };
    const ir::TypeRef element = ir::element_of(address->type);
    const auto dtype = element ? ir::scalar_of(element) : std::nullopt;
    if (dtype && !is_mma_type(*dtype, wanted))
        refuse(cat("of '", ir::info(*dtype).short_name, "'"));
    const auto bytes = bytes_behind(address);
    if (bytes && *bytes < count * ir::bytes_of(wanted))
        refuse(cat(*bytes / ir::bytes_of(wanted)));
}

namespace {

// A call in the making: each parameter adds an operand, or a part of the attributes.
struct Call {
    const ir::IntrinsicInfo& row;
    DiagnosticSink& sink;
    ir::IntrinsicAttr attr;
    ir::ExprVec operands{};
    ir::TypeRef pointee{}; // of the first address
};

std::string allowed_list(const IntrinsicParameter& parameter) {
    if (parameter.number_count == 0 && parameter.role != ParameterRole::Word)
        return cat(parameter.lowest, " to ", parameter.highest);
    return join(ir::allowed_texts(parameter), ", ");
}

std::int64_t allowed_number(const IntrinsicParameter& parameter, const Value& value, Span span) {
    std::int64_t number = to_int(value, span, cat("'", parameter.name, "'"));
    if (!parameter.allows(number))
        fail(DiagId::ScriptUnknownChoice, span, parameter.name, number, allowed_list(parameter));
    return number;
}

std::int64_t allowed_word(const IntrinsicParameter& parameter, const Value& value, Span span) {
    if (parameter.set == ir::ChoiceSet::Mma) {
        auto* config = value.extension<MmaConfig>();
        if (!config)
            fail(DiagId::ScriptNotAConfig, span, describe(value));
        return static_cast<std::int64_t>(config->mma);
    }
    std::string text = to_text(value, span, parameter.name);
    auto words = ir::words_of(parameter.set);
    auto number = static_cast<std::int64_t>(std::ranges::find(words, text) - words.begin());
    if (number < static_cast<std::int64_t>(words.size()) && parameter.allows(number))
        return number;
    throw DiagnosticError(
        Diagnostic::make(DiagId::ScriptUnknownChoice, span, parameter.name, text, allowed_list(parameter))
            .suggest(span, text, ir::allowed_texts(parameter)));
}

std::int16_t allowed_attribute(const IntrinsicParameter& parameter, const Value& value, Span span) {
    const bool is_word = parameter.role == ParameterRole::Word;
    return static_cast<std::int16_t>(is_word ? allowed_word(parameter, value, span)
                                             : allowed_number(parameter, value, span));
}

ir::ExprRef value_operand(const Call& call, const IntrinsicParameter& parameter, const Value& value, Span span) {
    ir::ExprRef expr = to_expr(value, span);
    if (parameter.is_pointee)
        return convert_to(expr, call.pointee, span, call.sink);
    if (parameter.dtype == ir::DType::Bool)
        return typed(span, [&] { return ir::as_condition(expr); });
    return parameter.dtype ? convert_to(expr, ir::data_type(*parameter.dtype), span, call.sink) : expr;
}

ir::ExprRef address_operand(Call& call, const IntrinsicParameter& parameter, const Value& value, Span span) {
    ir::ExprRef address = pointer_argument(value, span);
    bool wants_type =
        call.row.result.kind == ir::IntrinsicResult::Kind::Pointee ||
        std::ranges::any_of(call.row.parameters, [](const IntrinsicParameter& other) { return other.is_pointee; });
    if (wants_type && !call.pointee)
        call.pointee = pointee(address, span);
    bool is_register = parameter.dtype && parameter.space == ir::MemorySpace::Registers;
    ir::TypeRef element = ir::element_of(address->type);
    if (is_register && ir::size_in_bytes(element) != ir::bytes_of(*parameter.dtype))
        fail(DiagId::ScriptRegisterSize, span, type_text(element));
    if (call.row.id == ir::IntrinsicId::Tcgen05Alloc && !ir::as<ir::VoidType>(element) &&
        ir::size_in_bytes(element) != 4)
        fail(DiagId::ScriptRegisterSize, span, type_text(element));
    if (parameter.role == ParameterRole::Barrier && ir::size_in_bytes(element) != 8)
        fail(DiagId::ScriptBarrierSize, span, type_text(element));
    return address;
}

ir::ExprRef operand(Call& call, const IntrinsicParameter& parameter, const Value& value, Span span) {
    switch (parameter.role) {
    case ParameterRole::Address: return address_operand(call, parameter, value, span);
    case ParameterRole::Constant: return ir::int_constant(allowed_number(parameter, value, span));
    case ParameterRole::Text:
        return ir::string_constant(kernel_text(to_text(value, span, cat("'", parameter.name, "'")), span));
    case ParameterRole::Barrier:
        return parameter.access.any() ? address_operand(call, parameter, value, span)
                                      : value_operand(call, parameter, value, span);
    case ParameterRole::Value:
    case ParameterRole::Word:
    case ParameterRole::Number:
    case ParameterRole::Ignored: break;
    }
    return value_operand(call, parameter, value, span);
}

void check_mma(const Call& call, const Arguments& a) {
    const ir::MmaShape& shape = ir::info(ir::attribute<ir::Mma>(call.attr));
    const int counts[] = {shape.m * shape.k / 32, shape.k * shape.n / 32, shape.m * shape.n / 32};
    for (std::size_t i = 0; i < call.operands.size() && i < std::size(counts); ++i)
        check_registers(call.operands[i], a.span(i + 1), call.row.parameters[i + 1].name, shape.name, counts[i],
                        i < 2 ? shape.in : shape.out);
}

void check_cp_async(const Call& call, const Arguments& a) {
    constexpr std::size_t level = 4; // its place among the parameters
    bool is_short = ir::number_attribute(call.attr, "cp_size") != 16;
    if (is_short && ir::attribute<ir::CacheLevel>(call.attr) == ir::CacheLevel::global)
        fail(DiagId::ScriptUnknownChoice, a.span(level), "cache_level of fewer than 16 bytes", "global", "always");
}

void check_word(const Call& call, const Arguments& a) {
    const auto dtype = ir::scalar_of(call.pointee);
    if (!dtype || !ir::is_integer(*dtype) || ir::bytes_of(*dtype) < 4)
        fail(DiagId::ScriptUnknownChoice, a.span(0), "what 'ptr' points at", type_text(call.pointee),
             "integers of 32 and 64 bits");
}

void check_read(const Call& call, const Arguments& a) {
    check_word(call, a);
    if (const auto order = ir::constant_int(call.operands.at(1)); order && !ir::is_order_of_read(*order))
        fail(DiagId::ScriptUnknownChoice, a.span(1), "the order of a read", *order,
             "0, 1, 2 and 5: it releases nothing");
}

void check_type(const Call& call, const Arguments& a, std::size_t operand, bool (*takes)(ir::DType),
                std::string_view what) {
    const ir::TypeRef& type = call.operands.at(operand)->type;
    const auto dtype = ir::scalar_of(type);
    if (!dtype || !takes(*dtype))
        fail(DiagId::ScriptUnknownChoice, a.span(operand), cat("the type of '", call.row.parameters[operand].name, "'"),
             type_text(type), what);
}

// A register may be part of an array of anything; whether so much lies behind the pointer is known for arrays alone.
void check_wide(const Call& call, const ir::WideAccess& wide, const Arguments& a) {
    const int bytes = wide.bytes_of_register();
    for (std::size_t i = 0; i < static_cast<std::size_t>(wide.registers()); ++i) {
        const ir::TypeRef element = ir::element_of(call.operands[i]->type);
        const auto behind = bytes_behind(call.operands[i]);
        if (behind && *behind < bytes)
            fail(DiagId::ScriptMmaOperand, a.span(i), call.row.parameters[i].name, call.row.short_name(), 1,
                 bytes == 4   ? "u32"
                 : bytes == 2 ? "u16"
                              : "u8",
                 cat("a '", type_text(element), "'"));
    }
}

// What no single parameter can say.
void check(const Call& call, const Arguments& a) {
    if (const auto wide = ir::wide_access(call.row.id))
        return check_wide(call, *wide, a);
    switch (call.row.id) {
    case ir::IntrinsicId::MmaSync: return check_mma(call, a);
    case ir::IntrinsicId::CpAsync: return check_cp_async(call, a);
    case ir::IntrinsicId::CopyBulkG2S:
    case ir::IntrinsicId::CopyBulkS2S:
    case ir::IntrinsicId::CopyBulkS2G:
    case ir::IntrinsicId::CopyBulkPrefetch: return check_bulk_size(call.operands.at(0), a.span(0));
    case ir::IntrinsicId::Tcgen05Alloc:
    case ir::IntrinsicId::Tcgen05Dealloc: return check_tensor_columns(call.operands.at(1), a.span(1));
    case ir::IntrinsicId::Tcgen05Mma:
    case ir::IntrinsicId::Tcgen05MmaTmem: return check_tensor_product(call.attr, call.operands.at(3), a.span(4));
    case ir::IntrinsicId::CpuAtomicLoad: return check_read(call, a);
    case ir::IntrinsicId::CpuAtomicAdd:
    case ir::IntrinsicId::CpuAtomicXor: return check_word(call, a);
    case ir::IntrinsicId::Popc:
    case ir::IntrinsicId::Clz:
    case ir::IntrinsicId::Ffs:
    case ir::IntrinsicId::Brev: return check_type(call, a, 0, ir::is_register_integer, "i32, u32, i64, u64");
    case ir::IntrinsicId::MatchAnySync:
    case ir::IntrinsicId::MatchAllSync:
        return check_type(call, a, 1, ir::is_match_type, "i32, u32, i64, u64, f32, f64");
    case ir::IntrinsicId::ReduxSync:
        return check_type(
            call, a, 1, [](ir::DType dtype) { return dtype == ir::DType::I32 || dtype == ir::DType::U32; }, "i32, u32");
    case ir::IntrinsicId::SetMaxNReg:
        if (auto count = ir::constant_int(call.operands.at(0)); count && *count % 8 != 0)
            fail(DiagId::ScriptUnknownChoice, a.span(0), "reg_count", *count, "multiples of 8 from 24 to 256");
        return;
    default: return;
    }
}

void bind(Call& call, const Arguments& a) {
    std::size_t index = 0, attribute = 0;
    for (const IntrinsicParameter& parameter : call.row.parameters) {
        std::size_t i = index++;
        bool is_given = a.given(i) && (parameter.is_required || !a[i].is(ValueKind::None));
        if (parameter.is_attribute()) {
            std::size_t at = attribute++;
            if (is_given)
                call.attr.values[at] = allowed_attribute(parameter, a[i], a.span(i));
        } else if (parameter.is_operand() && (is_given || parameter.has_default)) {
            Value value = is_given ? a[i] : Value::integer(parameter.otherwise);
            call.operands.push_back(operand(call, parameter, value, a.span(i)));
        }
    }
    check(call, a);
}

std::vector<std::string> parameter_names(const ir::IntrinsicInfo& row) {
    std::vector<std::string> names;
    for (const IntrinsicParameter& parameter : row.parameters)
        names.push_back(cat(parameter.name, parameter.is_required ? "" : "="));
    return names;
}

void need_place(Evaluator& evaluator, const ir::IntrinsicInfo& row, std::string_view name, Span span) {
    switch (ir::place_of(row.category)) {
    case ir::IntrinsicPlace::Kernel: return Operations::of(evaluator).need_gpu(name, span);
    case ir::IntrinsicPlace::Host: return Operations::of(evaluator).need_host(name, span);
    case ir::IntrinsicPlace::Anywhere: return;
    }
}

} // namespace

void set_attribute(ir::IntrinsicAttr& attr, std::string_view name, const Value& value, Span span) {
    std::size_t at = 0;
    for (const IntrinsicParameter& parameter : ir::info(attr.id).parameters) {
        if (!parameter.is_attribute())
            continue;
        if (parameter.name == name) {
            attr.values[at] = allowed_attribute(parameter, value, span);
            return;
        }
        ++at;
    }
}

NativeFunction intrinsic_function(ir::IntrinsicId id, std::string_view name) {
    return [&row = ir::info(id), name = std::string(name),
            names = parameter_names(ir::info(id))](Evaluator& evaluator, Args& args, Span span) {
        std::vector<std::string_view> parameters(names.begin(), names.end());
        Arguments a(args, span, name, parameters);
        Call call{.row = row, .sink = evaluator.sink(), .attr = ir::default_attr(row.id)};
        bind(call, a);
        need_place(evaluator, row, name, span);
        ir::TypeRef type = row.result.kind == ir::IntrinsicResult::Kind::Pointee ? call.pointee : nullptr;
        return Value::expr(
            typed(span, [&] { return ir::make_intrinsic(call.attr, std::move(call.operands), std::move(type)); }));
    };
}

// What scripts give is what the row says: no type by name, no list of registers.
static bool is_bound_by_row(const ir::IntrinsicInfo& row) {
    bool has_lists =
        std::ranges::any_of(row.parameters, [](const IntrinsicParameter& parameter) { return parameter.most != 1; });
    return row.result.kind != ir::IntrinsicResult::Kind::Given && !has_lists;
}

void export_intrinsics(HostModule& module, std::string_view group) {
    export_missing(module, group);
    for (const ir::IntrinsicInfo& row : ir::all_intrinsics()) {
        std::string_view full = row.name;
        bool is_of_group = full.starts_with(group) && full.substr(group.size()).starts_with('.');
        if (is_of_group && is_bound_by_row(row))
            module.function(std::string(row.short_name()), intrinsic_function(row.id, row.short_name()));
    }
}

void export_missing(HostModule& module, std::string_view group) {
    for (const ir::MissingIntrinsic& row : ir::missing_intrinsics())
        if (row.group == group)
            module.add(std::string(row.name),
                       new_extension<UnsupportedObject>(std::string(row.name), std::string(row.sentence)));
}

} // namespace hidet::lang
