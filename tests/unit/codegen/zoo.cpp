// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/codegen/zoo.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/intrinsics/bulk_copy.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/packing.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using namespace ir;

namespace {

class Collector {
public:
    std::vector<ZooCall> calls;

    void add(const IntrinsicAttr& attr, ExprVec args, const TypeRef& type, const std::string& what) {
        std::string text = to_text(attr);
        ExprRef expr = make_intrinsic(attr, std::move(args), type);
        calls.push_back(
            {cat(info(attr.id).name, text.empty() ? "" : cat(" ", text), what.empty() ? "" : cat(" ", what)),
             ir::cast<Intrinsic>(expr)});
    }
    void add(IntrinsicId id, ExprVec args, const TypeRef& type, const std::string& what) {
        add(default_attr(id), std::move(args), type, what);
    }
    void add_math(IntrinsicId id, DType dtype) {
        ExprVec args;
        for (int i = 0; i < info(id).max_args; ++i)
            args.push_back(make_var("x", data_type(dtype)));
        try {
            ExprRef expr = math(id, args);
            if (as<Intrinsic>(expr))
                calls.push_back({cat(info(id).name, " ", info(dtype).short_name), ir::cast<Intrinsic>(expr)});
        } catch (const TypeError&) { // not defined for the type
        }
    }
};

ExprRef value(const TypeRef& type) {
    return make_var("x", type);
}
ExprRef value(DType dtype) {
    return value(data_type(dtype));
}
TypeRef pointer(DType dtype) {
    return pointer_type(data_type(dtype));
}

// The space of an address is not said in generated code, and a warp group's columns are a number in it.
std::vector<std::string> tried_values(const IntrinsicParameter& attribute) {
    std::vector<std::string> values = allowed_texts(attribute);
    if (attribute.role == ParameterRole::Word && attribute.set == ChoiceSet::AddressSpace)
        values.resize(1);
    if (attribute.role == ParameterRole::Word && attribute.set == ChoiceSet::WgmmaN)
        values = {values.front(), values.back()};
    if (std::string_view(attribute.name) == "num") // how often a shape of tensor memory is repeated
        values = {"1", "32"};
    return values;
}

// Every value of every attribute.
std::vector<IntrinsicAttr> all_attrs(const IntrinsicInfo& row) {
    std::vector<std::string> texts{""};
    for (const IntrinsicParameter& parameter : row.parameters) {
        if (!parameter.is_attribute())
            continue;
        std::vector<std::string> values = tried_values(parameter), longer;
        for (const std::string& text : texts)
            for (const std::string& value : values)
                longer.push_back(cat(text, text.empty() ? "" : ".", value));
        texts = std::move(longer);
    }
    std::vector<IntrinsicAttr> out;
    for (const std::string& text : texts)
        out.push_back(*parse_attr(row.id, text));
    return out;
}

// Only elements of 16 bits can be transposed, and integers have no signs.
bool is_refused_product(const IntrinsicAttr& attr) {
    const auto types = attribute<WgmmaTypes>(attr);
    const bool is_wide = types == WgmmaTypes::f16_f16 || types == WgmmaTypes::f16_f32 || types == WgmmaTypes::bf16_f32;
    const bool is_integer = types == WgmmaTypes::i8_i32 || types == WgmmaTypes::u8_i32;
    const bool is_transposed = number_attribute(attr, "trans_b") == 1 ||
                               (attr.id == IntrinsicId::Wgmma && number_attribute(attr, "trans_a") == 1);
    const bool is_negated = number_attribute(attr, "scale_a") == -1 || number_attribute(attr, "scale_b") == -1;
    return (is_transposed && !is_wide) || (is_negated && is_integer);
}

// The shape says which lanes get a copy, and formats come in pairs.
bool is_refused_copy(const IntrinsicAttr& attr) {
    const auto shape = attribute<TensorCopyShape>(attr);
    const auto lanes = attribute<TensorCopyLanes>(attr);
    const bool is_pair = lanes == TensorCopyLanes::warpx2_02_13 || lanes == TensorCopyLanes::warpx2_01_23;
    const bool is_right = shape == TensorCopyShape::s64x128b   ? is_pair
                          : shape == TensorCopyShape::s32x128b ? lanes == TensorCopyLanes::warpx4
                                                               : lanes == TensorCopyLanes::none;
    const bool has_target = attribute<TensorCopyTarget>(attr) != TensorCopyTarget::none;
    return !is_right || has_target != (attribute<TensorCopySource>(attr) != TensorCopySource::none);
}

bool is_refused(const IntrinsicAttr& attr) {
    if (attr.id == IntrinsicId::Tcgen05Copy)
        return is_refused_copy(attr);
    if (attr.id == IntrinsicId::Wgmma || attr.id == IntrinsicId::WgmmaRegisters)
        return is_refused_product(attr);
    if (attr.id == IntrinsicId::CopyBulkReduce)
        return !can_reduce(attribute<BulkReduction>(attr), attribute<TensorMapType>(attr));
    return attr.id == IntrinsicId::CpAsync && attribute<CacheLevel>(attr) == CacheLevel::global &&
           number_attribute(attr, "cp_size") != 16;
}

bool is_typed_by_call(const IntrinsicParameter& parameter) {
    return parameter.is_pointee || (parameter.role == ParameterRole::Value && !parameter.dtype);
}

// What an operand may be.
ExprVec operands_for(const IntrinsicParameter& parameter, DType dtype) {
    TypeRef type = data_type(is_typed_by_call(parameter) ? dtype : parameter.dtype.value_or(dtype));
    switch (parameter.role) {
    case ParameterRole::Text: return {string_constant("n")};
    case ParameterRole::Address: return {value(pointer_type(type))};
    case ParameterRole::Barrier: return {value(parameter.access.any() ? pointer_type(type) : type)};
    case ParameterRole::Constant: {
        ExprVec out;
        bool are_few = parameter.highest - parameter.lowest < 10;
        for (std::int64_t i = parameter.lowest; i <= parameter.highest;
             i += are_few ? 1 : parameter.highest - parameter.lowest)
            out.push_back(int_constant(i));
        return out;
    }
    default: break;
    }
    if (parameter.has_default)
        return {value(type), int_constant(parameter.otherwise, *parameter.dtype)};
    return parameter.is_required ? ExprVec{value(type)} : ExprVec{nullptr, value(type)};
}

// The calls of a row about values of a type.
void add_row(Collector& out, const IntrinsicInfo& row, DType dtype, const std::string& what) {
    std::vector<ExprVec> lists{{}};
    for (const IntrinsicParameter& parameter : row.parameters) {
        if (!parameter.is_operand())
            continue;
        std::vector<ExprVec> longer;
        for (const ExprVec& list : lists)
            for (const ExprRef& operand : operands_for(parameter, dtype)) {
                longer.push_back(list);
                if (operand)
                    longer.back().push_back(operand);
            }
        lists = std::move(longer);
    }
    for (const IntrinsicAttr& attr : all_attrs(row))
        for (std::size_t i = 0; i < lists.size() && !is_refused(attr); ++i)
            out.add(attr, lists[i], nullptr, cat(what, i == 0 ? "" : cat(what.empty() ? "" : " ", "form ", i)));
}

// Those whose types or number of operands the row alone does not say are written out below.
bool is_by_row(const IntrinsicInfo& row) {
    bool has_lists = std::any_of(row.parameters.begin(), row.parameters.end(),
                                 [](const IntrinsicParameter& parameter) { return parameter.most != 1; });
    return row.category != IntrinsicCategory::Math && row.result.kind != IntrinsicResult::Kind::Given && !has_lists;
}

void add_rows(Collector& out) {
    for (const IntrinsicInfo& row : all_intrinsics()) {
        bool has_any_type = row.result.kind == IntrinsicResult::Kind::Pointee ||
                            std::any_of(row.parameters.begin(), row.parameters.end(), is_typed_by_call);
        if (!is_by_row(row))
            continue;
        if (!has_any_type)
            add_row(out, row, DType::F16, "");
        for (const DTypeInfo& type : all_dtypes())
            if (has_any_type)
                add_row(out, row, type.dtype, type.short_name);
    }
}

void add_vectors(Collector& out, DType dtype) {
    const DTypeInfo& row = info(dtype);
    const DType type = is_subbyte(row.lane) ? carrier_of(row.lane) : row.lane; // as generators meet them
    ExprVec lanes(static_cast<std::size_t>(row.lanes), nullptr);
    for (ExprRef& lane : lanes)
        lane = value(type);
    out.add(IntrinsicId::MakeVector, lanes, data_type(dtype), row.short_name);
    out.add(IntrinsicId::MakeVector, {value(type)}, data_type(dtype), cat(row.short_name, " of one"));
    out.add(IntrinsicId::VectorLane, {value(dtype), int_constant(row.lanes - 1)}, data_type(type), row.short_name);
}

// Boxes of one and of five dimensions.
void add_tensor_copies(Collector& out) {
    const ExprRef tile = value(pointer(DType::F16)), map = value(pointer_type(void_type())),
                  barrier = value(pointer(DType::U64)), mask = value(DType::U16);
    for (std::size_t dims : {1, 5}) {
        const ExprVec coords(dims, value(DType::I32));
        const auto add = [&](const IntrinsicAttr& attr, ExprVec args, const std::string& what) {
            args.insert(args.end(), coords.begin(), coords.end());
            out.add(attr, std::move(args), nullptr, cat(dims, "d", what));
        };
        for (IntrinsicId id : {IntrinsicId::CopyTensorS2G, IntrinsicId::CopyTensorReduce})
            for (const IntrinsicAttr& attr : all_attrs(info(id)))
                add(attr, {tile, map}, "");
        for (const IntrinsicAttr& attr : all_attrs(info(IntrinsicId::CopyIm2colG2S)))
            out.add(
                attr,
                {tile, map, barrier, mask, value(DType::I32), value(DType::I32), value(DType::I32), value(DType::I32)},
                nullptr, "");
        for (const IntrinsicAttr& attr : all_attrs(info(IntrinsicId::CopyTensorG2S))) {
            add(attr, {tile, map, barrier, int_constant(0, DType::U16)}, "");
            add(attr, {tile, map, barrier, mask}, " to several blocks");
        }
    }
    out.add(parse_attr(IntrinsicId::CreateIm2colMap, "f16.3.0.0.0").value(), ExprVec(12, value(DType::I64)), nullptr,
            "");
    out.add(IntrinsicId::CreateTensorMap, {map, tile, value(DType::I64), value(DType::I64), value(DType::I64)}, nullptr,
            "");
}

void add_lists(Collector& out) {
    add_tensor_copies(out);
    for (IntrinsicId id : {IntrinsicId::LdMatrix, IntrinsicId::StMatrix})
        for (const IntrinsicAttr& attr : all_attrs(info(id)))
            for (int count : {1, 2, 4})
                for (bool is_shared_address : {false, true}) {
                    ExprVec args(static_cast<std::size_t>(count), value(pointer(DType::U32)));
                    args.push_back(is_shared_address ? value(DType::U32) : value(pointer(DType::F16)));
                    out.add(attr, args, nullptr, cat("x", count, is_shared_address ? " shared address" : ""));
                }
    for (const IntrinsicAttr& attr : all_attrs(info(IntrinsicId::RequestWorkspace)))
        out.add(attr, {value(DType::I64), value(DType::Bool)}, pointer_type(void_type()), "");
    out.add(IntrinsicId::CpuAllocate, {value(DType::I64), value(DType::I64)}, pointer_type(void_type()), "");
    out.add(IntrinsicId::Printf, {string_constant("%d"), value(DType::I32)}, nullptr, "");
    out.add(IntrinsicId::Inside,
            {value(DType::I32), string_constant("x"), int_constant(1), int_constant(1), value(DType::I64),
             value(DType::I64)},
            data_type(DType::I32), "");
}

// "float* x0"
std::string parameter(const Dialect& dialect, const TypeRef& type, std::size_t index, Snippets& snippets) {
    bool is_address = is_pointer(type);
    TypeRef element = is_address ? element_of(type) : type;
    std::string text = "void";
    if (auto dtype = scalar_of(element)) {
        TargetSyntax syntax = *dialect.type(*dtype);
        text = syntax.text;
        snippets.merge(syntax.needs);
    }
    return cat(text, is_address ? "* x" : " x", index);
}

std::string substituted(std::string text, const ExprVec& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        std::string hole = cat("{", i, "}");
        auto number = constant_int(args[i]);
        std::string shown = number ? std::to_string(*number) : as<Constant>(args[i]) ? "\"n\"" : cat("x", i);
        for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole))
            text.replace(at, hole.size(), shown);
    }
    return text;
}

} // namespace

std::vector<ZooCall> all_calls() {
    Collector out;
    for (const DTypeInfo& row : all_dtypes()) {
        for (const IntrinsicInfo& function : all_intrinsics())
            if (function.category == IntrinsicCategory::Math)
                out.add_math(function.id, row.dtype);
        if (is_vector(row.dtype))
            add_vectors(out, row.dtype);
        out.add(IntrinsicId::DynamicSharedMemory, {value(DType::I32)}, pointer(row.dtype), row.short_name);
        for (const DTypeInfo& to : all_dtypes())
            if (row.bits == to.bits && row.dtype != to.dtype)
                out.add(IntrinsicId::Bitcast, {value(row.dtype)}, data_type(to.dtype),
                        cat(row.short_name, " to ", to.short_name));
    }
    add_rows(out);
    add_lists(out);
    return std::move(out.calls);
}

std::vector<DType> all_types(const Dialect& dialect) {
    std::vector<DType> out;
    for (const DTypeInfo& row : all_dtypes())
        if (dialect.type(row.dtype))
            out.push_back(row.dtype);
    return out;
}

std::string function_of(const Dialect& dialect, const ZooCall& zoo, const TargetSyntax& syntax, std::string_view name,
                        Snippets& snippets) {
    const Intrinsic& call = *zoo.call;
    snippets.insert(syntax.needs.begin(), syntax.needs.end());
    std::string result = "void", params;
    if (!as<VoidType>(call.type)) {
        result = parameter(dialect, call.type, 0, snippets);
        result = result.substr(0, result.find(" x"));
    }
    for (std::size_t i = 0; i < call.args.size(); ++i)
        if (!as<Constant>(call.args[i]))
            params += cat(params.empty() ? "" : ", ", parameter(dialect, call.args[i]->type, i, snippets));
    return cat(result, " ", name, "(", params, ") { ", result == "void" ? "" : "return ",
               substituted(syntax.text, call.args), "; }\n");
}

std::string operators_of(const Dialect& dialect, DType dtype, std::string_view specifier, int& number,
                         Snippets& snippets) {
    std::string text;
    std::string type = dialect.type(dtype)->text;
    for (BinOp op : {BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne}) {
        Snippets needs = dialect.operators(op, dtype);
        const bool is_order = op == BinOp::Lt || op == BinOp::Le;
        if (needs.empty() || (is_order && is_complex(dtype)))
            continue;
        snippets.merge(needs);
        text += cat(specifier, is_comparison(op) ? "bool" : type, " f", number++, "(", type, " a, ", type,
                    " b) { return a ", spelling(op), " b; }\n");
    }
    Snippets needs = dialect.operators(UnOp::Neg, dtype);
    if (needs.empty())
        return text;
    snippets.merge(needs);
    return text + cat(specifier, type, " f", number++, "(", type, " a) { return -a; }\n");
}

std::string conversion_of(const Dialect& dialect, DType from, DType to, std::string_view name, Snippets& snippets) {
    auto cast = dialect.cast(from, to);
    std::string source = parameter(dialect, data_type(from), 0, snippets);
    std::string target = parameter(dialect, data_type(to), 0, snippets);
    target = target.substr(0, target.find(' '));
    if (cast)
        snippets.insert(cast->needs.begin(), cast->needs.end());
    std::string text = cast ? cast->text : cat("static_cast<", target, ">({0})");
    text.replace(text.find("{0}"), 3, "x0");
    return cat(target, " ", name, "(", source, ") { return ", text, "; }\n");
}

} // namespace hidet::compiler
