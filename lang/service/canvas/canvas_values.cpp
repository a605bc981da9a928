// SPDX-License-Identifier: Apache-2.0
// Values as pictures: mappings, layouts, and what lanes hold of the operands of matrix instructions.
#include "compiler/ir/constant_tasks.h"
#include "compiler/ir/layout.h"
#include "lang/base/transformed.h"
#include "lang/script/modules/mma.h"
#include "lang/script/modules/wgmma.h"
#include "lang/script/objects.h"
#include "lang/service/canvas/canvas_parts.h"

namespace hidet::lang::service {

namespace {

constexpr std::int64_t most_numbers = std::int64_t{1} << 20; // of one picture

ir::ExprVec extents(std::initializer_list<int> numbers) {
    return transformed(numbers, [&](int number) { return ir::int_constant(number); });
}

Pictured of_mapping(ir::MappingRef mapping, std::string title = "") {
    return {std::move(title), std::move(mapping), nullptr, 0};
}

void add_tensor(std::vector<Pictured>& out, const ir::TypeRef& type, bool is_declared) {
    const ir::TensorType* tensor = ir::tensor_of(type);
    if (!tensor || (!tensor->layout && !is_declared))
        return;
    Pictured pictured;
    pictured.layout = tensor->layout ? tensor->layout : ir::row_major(tensor->shape);
    if (const auto dtype = ir::scalar_of(tensor->element))
        pictured.element_bits = ir::info(*dtype).bits;
    out.push_back(std::move(pictured));
}

void add_extension(std::vector<Pictured>& out, const Value& value) {
    if (const auto* loop = value.extension<LoopIterable>(); loop && loop->mapping)
        out.push_back(of_mapping(loop->mapping));
    if (const auto* declaration = value.extension<Declaration>())
        add_tensor(out, declaration->type, true);
    if (const auto* config = value.extension<MmaConfig>()) {
        out.push_back(of_mapping(config->a_load_map, "a"));
        out.push_back(of_mapping(config->b_load_map, "b"));
        out.push_back(of_mapping(config->c_store_map, "c"));
    }
    if (const auto* config = value.extension<WgmmaConfig>()) {
        out.push_back(of_mapping(config->a_load_map(), "a in registers"));
        out.push_back(of_mapping(config->c_store_map(), "c"));
    }
}

// The rows of 8 x 8 matrices that lie one below the other: lane l has two neighbours of row l / 4 of each; of matrices that
// are transposed two of column l / 4.
ir::MappingRef matrix_lanes(int matrices, bool is_transposed) {
    const ir::MappingRef each =
        is_transposed ? ir::compose(ir::spatial(extents({4, 8}), ir::column_ranks(2)), ir::repeat(extents({2, 1})))
                      : ir::compose(ir::spatial(extents({8, 4})), ir::repeat(extents({1, 2})));
    return ir::compose(ir::repeat(extents({matrices, 1})), each);
}

std::string_view called_name(const ast::Call& call) {
    if (const auto* name = ast::as<ast::Name>(call.callee))
        return name->id;
    const auto* attribute = ast::as<ast::Attribute>(call.callee);
    return attribute ? attribute->name.text : std::string_view();
}

const ast::Expr* argument(const ast::Call& call, std::size_t place, std::string_view name) {
    for (const ast::Keyword& keyword : call.keywords)
        if (keyword.name.text == name)
            return keyword.value;
    return place < call.args.size() ? call.args[place] : nullptr;
}

// How many registers a list of them names; 0: not known.
int items_of(const ast::Expr* list) {
    if (const auto* written = ast::as<ast::List>(list))
        return static_cast<int>(written->items.size());
    const auto* comprehension = ast::as<ast::Comprehension>(list);
    if (!comprehension || comprehension->clauses.size() != 1)
        return 0;
    const auto* range = ast::as<ast::Call>(comprehension->clauses[0].iterable);
    const auto* count = range && range->args.size() == 1 ? ast::as<ast::Constant>(range->args[0]) : nullptr;
    return count && count->what == ast::ConstantKind::Int ? static_cast<int>(count->integer) : 0;
}

bool is_true(const Document& document, const ast::Expr* expr) {
    if (!expr)
        return false;
    if (const auto* constant = ast::as<ast::Constant>(expr))
        return constant->what == ast::ConstantKind::True;
    const Fact* fact = document.facts.find(text_range(*expr));
    return fact && !fact->values.empty() && fact->values.front() == "True";
}

std::string text_value(const Document& document, const ast::Expr* expr) {
    const auto* constant = ast::as<ast::Constant>(expr);
    if (constant && constant->what == ast::ConstantKind::String)
        return std::string(constant->text);
    const Fact* fact = expr ? document.facts.find(text_range(*expr)) : nullptr;
    if (!fact || fact->values.empty())
        return "";
    const std::string& value = fact->values.front();
    return value.size() >= 2 ? value.substr(1, value.size() - 2) : value;
}

int element_bytes_of(const Document& document, const ast::Expr* dtype) {
    const Fact* fact = dtype ? document.facts.find(text_range(*dtype)) : nullptr;
    if (!fact || fact->values.empty())
        return 0;
    const auto found = ir::find_dtype(fact->values.front());
    if (found && ir::info(*found).bits % 8 == 0)
        return ir::info(*found).bits / 8;
    return 0;
}

// Rows as long as the swizzle, of pieces of 16 bytes: eight rows of 128 bytes go through all ways to exchange them.
std::vector<Pictured> swizzled_box(const Document& document, const ast::Call& call) {
    const std::string swizzle = text_value(document, argument(call, 9, "swizzle"));
    const int bytes = swizzle == "128B" ? 128 : swizzle == "64B" ? 64 : swizzle == "32B" ? 32 : 0;
    const int element = element_bytes_of(document, argument(call, 1, "dtype"));
    if (!bytes || !element)
        return {};
    const int step = bytes == 128 ? 0 : bytes == 64 ? 1 : 2; // rows of 128 bytes hold so many, as a logarithm
    const ir::LayoutRef pieces = ir::swizzle(ir::row_major(extents({8, bytes / 16})), 1, 0, step);
    return {{cat("a box in shared memory, swizzled by ", bytes, " bytes"), nullptr,
             ir::compose(pieces, ir::row_major(extents({1, 16 / element}))), 8 * element}};
}

std::vector<Pictured> instruction(const Document& document, const ast::Call& call) {
    const std::string_view name = called_name(call);
    if (name == "ldmatrix" || name == "stmatrix") {
        const int matrices = items_of(argument(call, 0, "regs"));
        const bool is_transposed = is_true(document, argument(call, 3, "trans"));
        if (matrices != 1 && matrices != 2 && matrices != 4)
            return {};
        return {of_mapping(matrix_lanes(matrices, is_transposed),
                           is_transposed ? "matrices that are transposed" : "matrices")};
    }
    if (name == "create_tensor_map")
        return swizzled_box(document, call);
    if (!name.starts_with("mma_sync") && !name.starts_with("wgmma_async"))
        return {};
    for (const ast::Expr* arg : call.args)
        if (const Fact* fact = document.facts.find(text_range(*arg));
            fact && (fact->type == "MmaConfig" || fact->type == "WgmmaConfig"))
            return fact->pictured;
    return {};
}

void fill_mapping(CanvasPicture& out, const ir::MappingRef& mapping) {
    out.kind = CanvasKind::Mapping;
    const auto extents = ir::constant_extents(mapping);
    if (!extents) {
        out.refusal = "how far it extends is known when the kernel runs";
        return;
    }
    out.shape = extents->shape;
    out.workers = extents->workers;
    out.per_worker = extents->per_worker;
    auto tasks = ir::constant_tasks(mapping, most_numbers);
    std::int64_t count = 1;
    for (std::int64_t extent : out.shape)
        if (__builtin_mul_overflow(count, extent, &count) || count > most_numbers)
            tasks.reset();
    if (tasks)
        out.elements = std::move(tasks->elements);
    else
        out.refusal = "it has more tasks than can be drawn";
}

void fill_layout(CanvasPicture& out, const Pictured& pictured) {
    out.kind = CanvasKind::Layout;
    out.element_bits = pictured.element_bits;
    std::int64_t count = 1;
    for (const ir::ExprRef& extent : ir::shape_of(pictured.layout)) {
        const auto number = ir::constant_int(extent);
        if (!number || *number <= 0) {
            out.refusal = "how far it extends is known when the kernel runs";
            return;
        }
        out.shape.push_back(*number);
        if (__builtin_mul_overflow(count, *number, &count))
            count = most_numbers + 1;
    }
    const auto size = ir::constant_int(ir::size_of(pictured.layout));
    if (!size || count > most_numbers) {
        out.refusal = !size ? "its strides are known when the kernel runs" : "it has more elements than can be drawn";
        return;
    }
    out.size = *size;
    out.places.reserve(static_cast<std::size_t>(count));
    std::vector<std::int64_t> index(out.shape.size());
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i;
        for (std::size_t d = index.size(); d-- > 0; rest /= out.shape[d])
            index[d] = rest % out.shape[d];
        out.places.push_back(ir::slot_of(pictured.layout, index));
    }
}

} // namespace

std::vector<Pictured> pictured_of(const Value& value) {
    std::vector<Pictured> out;
    switch (value.kind()) {
    case ValueKind::Mapping: out.push_back(of_mapping(value.as_mapping())); break;
    case ValueKind::Layout: {
        Pictured pictured;
        pictured.layout = value.as_layout();
        out.push_back(std::move(pictured));
        break;
    }
    case ValueKind::Expr: add_tensor(out, value.as_expr()->type, false); break;
    case ValueKind::Extension: add_extension(out, value); break;
    default: break;
    }
    return out;
}

std::vector<Pictured> pictured_at(const Document& document, const ast::Expr& expr) {
    const Fact* fact = document.facts.find(text_range(expr));
    if (fact && !fact->pictured.empty())
        return fact->pictured;
    const auto* call = ast::as<ast::Call>(&expr);
    return call ? instruction(document, *call) : std::vector<Pictured>();
}

CanvasPicture picture_of(const Pictured& pictured) {
    CanvasPicture out;
    out.title = pictured.title;
    if (pictured.mapping)
        fill_mapping(out, pictured.mapping);
    else
        fill_layout(out, pictured);
    return out;
}

} // namespace hidet::lang::service
