// SPDX-License-Identifier: Apache-2.0
// Extents come from several places that must agree: the parameter's type, the shape that was asked for, the file that is to
// be read, the values of dimensions, and, where none of these says anything, the script's own first call. Names get their
// values first; then every shape can be worked out.
#include "app/session/kernel_bench/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

#include "app/session/execute/executor.h"
#include "app/session/kernel_bench/compare.h"
#include "app/session/kernel_bench/filling.h"
#include "compiler/ir/packing.h"
#include "lang/base/ranges.h"
#include "lang/tensor/npy.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_bytes = std::int64_t(4) << 30; // as much as a script may take

struct Stop {}; // reported

template <class Number>
std::optional<Number> number_of(const std::string& text) {
    Number value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> integer_of(const std::string& text) {
    return number_of<std::int64_t>(text);
}

std::optional<double> real_of(const std::string& text) {
    return text == "True" ? 1 : text == "False" ? 0 : number_of<double>(text);
}

class ArgumentMaker {
public:
    ArgumentMaker(Work& work, const ArgumentPlan& plan)
        : m_work(work), m_plan(plan), m_function(*plan.callable.function),
          m_device(has_gpu_kernel(*plan.callable.module) ? Device::Cuda : Device::Cpu) {
        for (std::size_t i = 0; i < m_function.params.size(); ++i)
            m_views.push_back(view_of(*m_function.params[i], plan.accesses[i]));
    }

    Arguments run() {
        check_names();
        for (const Dimension& dimension : m_plan.dimensions)
            m_values[dimension.name] = {dimension.value, ""};
        for (std::size_t i = 0; i < m_views.size(); ++i)
            bind_chosen(i);
        for (std::size_t i = 0; i < m_views.size(); ++i)
            bind_of_script(i);
        std::vector<std::vector<std::int64_t>> shapes;
        for (std::size_t i = 0; i < m_views.size(); ++i)
            shapes.push_back(is_memory(i) && !is_null(i) ? shape_of(i) : std::vector<std::int64_t>());
        check_size(shapes);
        Arguments args;
        for (std::size_t i = 0; i < m_views.size(); ++i)
            args.push_back({value_of(i, shapes[i]), m_views[i].name, m_plan.callable.site});
        return args;
    }

private:
    using Value = std::variant<std::int64_t, double, lang::TensorRef, std::string>;
    struct Known {
        std::int64_t value = 0;
        std::string from; // a parameter; empty: asked for
    };

    template <class... Args>
    [[noreturn]] void refuse(DiagId id, const Args&... args) {
        m_work.sink.report(id, m_function.origin.span, args...);
        throw Stop{};
    }
    [[noreturn]] void refuse_file(std::size_t i, const Error& error) {
        if (error.code == "file-not-found" || error.code == "file-unreadable")
            m_work.status = Status::WrongUsage;
        refuse(DiagId::TryArgumentFile, m_views[i].name, error.message);
    }
    [[noreturn]] void needs(std::size_t i, const std::string& what) {
        refuse(DiagId::TryArgumentMissing, m_views[i].name, m_plan.callable.name, what);
    }

    bool is_memory(std::size_t i) const {
        return m_views[i].kind == ParameterKind::Tensor || m_views[i].kind == ParameterKind::Pointer;
    }
    const ArgumentSpec* spec_of(std::size_t i) const {
        for (const ArgumentSpec& spec : m_plan.specs)
            if (spec.name == m_views[i].name)
                return &spec;
        return nullptr;
    }
    bool is_null(std::size_t i) const {
        const ArgumentSpec* spec = spec_of(i);
        return spec && spec->value == "None" && m_views[i].kind == ParameterKind::Pointer;
    }
    const lang::CallArgument* script_argument(std::size_t i) const {
        return m_plan.script && i < m_plan.script->args.size() ? &m_plan.script->args[i] : nullptr;
    }
    lang::TensorRef script_tensor(std::size_t i) const {
        const lang::CallArgument* arg = script_argument(i);
        const auto* tensor = arg ? std::get_if<lang::TensorRef>(&arg->value) : nullptr;
        return tensor ? *tensor : nullptr;
    }
    // Without any choice at all it repeats the script's call.
    Fill fill_of(std::size_t i) const {
        const ArgumentSpec* spec = spec_of(i);
        Fill fill = spec ? spec->fill : Fill::Default;
        if (fill != Fill::Default)
            return fill;
        bool nothing_chosen = m_plan.specs.empty() && m_plan.dimensions.empty();
        if (nothing_chosen && m_plan.script && m_plan.script->has_data)
            return Fill::FromScript;
        return m_plan.accesses[i].written && !m_plan.accesses[i].read ? Fill::Empty : Fill::Random;
    }

    void check_names() {
        const std::vector<std::string> names = transformed(m_views, &ParameterView::name);
        for (const ArgumentSpec& spec : m_plan.specs) {
            if (std::find(names.begin(), names.end(), spec.name) != names.end())
                continue;
            m_work.sink.report(
                Diagnostic::make(DiagId::TryNoParameter, m_function.origin.span, m_plan.callable.name, spec.name)
                    .suggest({}, spec.name, names));
            throw Stop{};
        }
    }

    void bind(const std::string& name, std::int64_t value, std::size_t i) {
        auto [known, fresh] = m_values.emplace(name, Known{value, m_views[i].name});
        if (fresh || known->second.value == value)
            return;
        const std::string& other = known->second.from;
        refuse(DiagId::TryDimension, name, value, m_views[i].name, known->second.value,
               other.empty() ? "the benchmark" : other);
    }
    void bind_shape(std::size_t i, const std::vector<std::int64_t>& shape) {
        const std::vector<std::string>& wanted = m_views[i].shape;
        if (m_views[i].kind != ParameterKind::Tensor)
            return;
        bool fits = wanted.size() == shape.size();
        for (std::size_t d = 0; fits && d < shape.size(); ++d)
            if (auto known = integer_of(wanted[d]))
                fits = *known == shape[d];
        if (!fits)
            refuse(DiagId::TryArgumentShape, m_views[i].name, extents_text(shape), type_text(m_views[i]));
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (wanted[d] != "?" && !integer_of(wanted[d]))
                bind(wanted[d], shape[d], i);
    }

    // What the choices themselves say.
    void bind_chosen(std::size_t i) {
        const ArgumentSpec* spec = spec_of(i);
        if (m_views[i].kind == ParameterKind::Scalar && spec && !spec->value.empty())
            if (auto value = integer_of(spec->value))
                return bind(m_views[i].name, *value, i);
        if (!is_memory(i) || is_null(i))
            return;
        if (fill_of(i) == Fill::File)
            return bind_shape(i, m_file_shapes[i] = shape_of_file(i));
        if (fill_of(i) == Fill::FromScript)
            return bind_shape(i, tensor_of_script(i)->shape);
        if (!spec || spec->shape.empty())
            return;
        std::vector<std::int64_t> known;
        for (const std::string& extent : spec->shape)
            if (auto value = integer_of(extent))
                known.push_back(*value);
        if (known.size() == spec->shape.size())
            bind_shape(i, known);
    }

    // What nothing else says is as in the script's call.
    void bind_of_script(std::size_t i) {
        const lang::CallArgument* arg = script_argument(i);
        if (!arg)
            return;
        if (const auto* integer = std::get_if<std::int64_t>(&arg->value); integer && !spec_of(i))
            m_values.emplace(m_views[i].name, Known{*integer, m_views[i].name});
        lang::TensorRef tensor = script_tensor(i);
        if (!tensor || m_views[i].kind != ParameterKind::Tensor || tensor->shape.size() != m_views[i].shape.size())
            return;
        for (std::size_t d = 0; d < tensor->shape.size(); ++d)
            if (const std::string& name = m_views[i].shape[d]; name != "?" && !integer_of(name))
                m_values.emplace(name, Known{tensor->shape[d], m_views[i].name});
    }

    std::optional<std::int64_t> extent(const std::string& text) const {
        if (auto number = integer_of(text))
            return number;
        auto known = m_values.find(text);
        return known == m_values.end() ? std::nullopt : std::optional(known->second.value);
    }
    std::optional<std::int64_t> expression(const ir::ExprRef& expr) const {
        if (auto known = ir::constant_int(expr))
            return known;
        if (const auto* symbol = ir::as<ir::SymbolVar>(expr))
            return extent(symbol->name);
        if (const auto* var = ir::as<ir::Var>(expr))
            return extent(var->name);
        const auto* binary = ir::as<ir::Binary>(expr);
        auto a = binary ? expression(binary->a) : std::nullopt, b = binary ? expression(binary->b) : std::nullopt;
        std::int64_t result = 0;
        if (!a || !b)
            return std::nullopt;
        switch (binary->op) {
        case ir::BinOp::Add: return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
        case ir::BinOp::Sub: return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
        case ir::BinOp::Mul: return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
        case ir::BinOp::FloorDiv:
        case ir::BinOp::Div: return *b > 0 && *a >= 0 ? std::optional(*a / *b) : std::nullopt;
        default: return std::nullopt;
        }
    }

    std::vector<std::int64_t> shape_of(std::size_t i) {
        std::vector<std::int64_t> shape = shape_without_axes(i);
        for (const Dimension& dimension : m_plan.dimensions)
            if (auto axis = axis_of(dimension.name); axis && axis->parameter == m_views[i].name)
                set_axis(i, shape, axis->axis, dimension.value);
        for (std::int64_t extent : shape)
            if (extent < 0)
                refuse(DiagId::TryArgumentShape, m_views[i].name, extents_text(shape), type_text(m_views[i]));
        return shape;
    }
    void set_axis(std::size_t i, std::vector<std::int64_t>& shape, std::size_t axis, std::int64_t value) {
        std::vector<std::int64_t> changed = shape;
        if (axis < changed.size())
            changed[axis] = value;
        bool is_fixed = m_views[i].kind == ParameterKind::Tensor && axis < shape.size() && changed != shape;
        if (axis >= shape.size() || is_fixed)
            refuse(DiagId::TryArgumentShape, m_views[i].name, extents_text(changed), type_text(m_views[i]));
        shape = changed;
    }
    std::vector<std::int64_t> shape_without_axes(std::size_t i) {
        if (fill_of(i) == Fill::File)
            return m_file_shapes[i];
        if (fill_of(i) == Fill::FromScript)
            return tensor_of_script(i)->shape;
        const ArgumentSpec* spec = spec_of(i);
        if (spec && !spec->shape.empty()) {
            std::vector<std::int64_t> shape = shape_of_words(i, spec->shape);
            bind_shape(i, shape);
            return shape;
        }
        if (m_views[i].kind == ParameterKind::Tensor)
            return shape_of_type(i);
        if (lang::TensorRef tensor = script_tensor(i))
            return tensor->shape;
        needs(i, "a shape, for it is a pointer");
    }
    std::vector<std::int64_t> shape_of_words(std::size_t i, const std::vector<std::string>& words) {
        std::vector<std::int64_t> shape;
        for (const std::string& word : words) {
            auto value = extent(word);
            if (!value)
                needs(i, cat("a value for '", word, "'"));
            shape.push_back(*value);
        }
        return shape;
    }
    std::vector<std::int64_t> shape_of_type(std::size_t i) {
        const ir::TensorType& type = *ir::tensor_of(m_function.params[i]->type);
        std::vector<std::int64_t> shape;
        for (std::size_t d = 0; d < type.shape.size(); ++d) {
            auto value = expression(type.shape[d]);
            if (!value && script_tensor(i) && script_tensor(i)->shape.size() == type.shape.size())
                value = script_tensor(i)->shape[d];
            if (!value)
                needs(i, m_views[i].shape[d] == "?" ? "a shape" : cat("a value for '", m_views[i].shape[d], "'"));
            shape.push_back(*value);
        }
        return shape;
    }

    lang::TensorRef tensor_of_script(std::size_t i) {
        lang::TensorRef tensor = script_tensor(i);
        if (tensor && m_plan.script->has_data)
            return tensor;
        refuse(DiagId::TryNoCall, m_plan.script_name, m_plan.callable.name, m_views[i].name);
    }

    // ---- files ----
    std::string path_of(std::size_t i) const {
        const std::string& file = spec_of(i)->file;
        bool stands_alone = file.empty() || file[0] == '/' || m_plan.folder.empty();
        return stands_alone ? file : m_plan.folder + "/" + file;
    }
    std::string in_users_words(std::size_t i, std::string message) const {
        std::string path = path_of(i);
        if (std::size_t at = message.find(path); at != std::string::npos)
            message.replace(at, path.size(), spec_of(i)->file);
        return message;
    }
    std::vector<std::int64_t> shape_of_file(std::size_t i) {
        Result<lang::NpyHeader> header = lang::read_npy_header(path_of(i));
        if (!header)
            refuse_file(i, {header.error().code, in_users_words(i, header.error().message)});
        return header.value().shape;
    }
    lang::TensorRef tensor_of_file(std::size_t i, ir::DType dtype) {
        Result<lang::TensorRef> read = lang::read_npy(path_of(i), dtype);
        if (!read)
            refuse_file(i, {read.error().code, in_users_words(i, read.error().message)});
        const lang::TensorRef& tensor = read.value();
        if (tensor->dtype != dtype)
            refuse(DiagId::TryArgumentType, m_views[i].name,
                   cat(ir::info(tensor->dtype).short_name, " in '", spec_of(i)->file, "'"), ir::info(dtype).short_name);
        return tensor;
    }

    // ---- values ----
    ir::DType dtype_for(std::size_t i) {
        auto dtype = dtype_of(*m_function.params[i]);
        const ArgumentSpec* spec = spec_of(i);
        const std::optional<ir::DType> asked = ir::find_dtype(spec ? spec->dtype : "");
        bool is_any = m_views[i].kind == ParameterKind::Pointer && (!dtype || dtype == ir::DType::U8);
        if (asked && dtype && *asked != *dtype && !is_any)
            refuse(DiagId::TryArgumentType, m_views[i].name, ir::info(*asked).short_name, type_text(m_views[i]));
        if (!asked && !dtype)
            needs(i, "a data type");
        ir::DType chosen = asked ? *asked : *dtype;
        if (!lang::holds_values(chosen))
            refuse(DiagId::TryArgumentType, m_views[i].name, ir::info(chosen).short_name, "numbers of whole bytes");
        return chosen;
    }
    Value value_of(std::size_t i, const std::vector<std::int64_t>& shape) {
        if (!is_memory(i))
            return scalar_of(i);
        if (is_null(i))
            return lang::TensorRef();
        if (fill_of(i) == Fill::FromScript)
            return tensor_of_script(i);
        ir::DType dtype = dtype_for(i);
        lang::TensorRef tensor = fill_of(i) == Fill::File ? tensor_of_file(i, dtype) : new_tensor(dtype, shape);
        tensor->device = m_device;
        if (fill_of(i) == Fill::Empty)
            fill_with_pattern(*tensor);
        else
            fill(*tensor, fill_of(i), m_plan.seed * 0x9E3779B97F4A7C15 + i);
        return tensor;
    }
    static lang::TensorRef new_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape) {
        lang::TensorRef tensor(new lang::Tensor);
        tensor->dtype = dtype;
        tensor->shape = shape;
        tensor->is_torch = true;
        tensor->storage =
            std::make_shared<lang::Storage>(static_cast<std::size_t>(ir::packed_bytes(dtype, tensor->count())));
        return tensor;
    }
    Value scalar_of(std::size_t i) {
        const ArgumentSpec* spec = spec_of(i);
        std::string text = spec ? spec->value : "";
        if (m_views[i].kind == ParameterKind::Text)
            return text;
        auto dtype = dtype_of(*m_function.params[i]);
        if (text.empty())
            return scalar_without_text(i, dtype && ir::is_float(*dtype));
        auto real = real_of(text);
        auto integer = integer_of(text);
        if (dtype && ir::is_float(*dtype) && real)
            return *real;
        if (!integer && real && *real == std::floor(*real) && std::fabs(*real) < 0x1p62)
            integer = static_cast<std::int64_t>(*real);
        if (!integer)
            refuse(DiagId::TryArgumentType, m_views[i].name, "'" + text + "'", type_text(m_views[i]));
        check_range(i, dtype, *integer);
        return *integer;
    }
    Value scalar_without_text(std::size_t i, bool is_float) {
        if (auto known = m_values.find(m_views[i].name); known != m_values.end()) {
            if (is_float)
                return static_cast<double>(known->second.value);
            check_range(i, dtype_of(*m_function.params[i]), known->second.value);
            return known->second.value;
        }
        if (const lang::CallArgument* arg = script_argument(i))
            return arg->value;
        needs(i, "a value");
    }
    void check_range(std::size_t i, std::optional<ir::DType> dtype, std::int64_t value) {
        if (!dtype || !ir::is_integer(*dtype))
            return;
        ir::IntegerRange range = ir::integer_range(*dtype);
        if (value < range.lowest || (value > 0 && static_cast<std::uint64_t>(value) > range.highest))
            refuse(DiagId::TryArgumentType, m_views[i].name, cat(value), type_text(m_views[i]));
    }
    void check_size(const std::vector<std::vector<std::int64_t>>& shapes) {
        double bytes = 0;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (!is_memory(i) || is_null(i) || fill_of(i) == Fill::FromScript)
                continue;
            double each = ir::info(dtype_for(i)).bits / 8.0;
            for (std::int64_t extent : shapes[i])
                each *= static_cast<double>(extent);
            bytes += each;
        }
        if (bytes > static_cast<double>(most_bytes))
            refuse(DiagId::TryArgumentSize, static_cast<std::int64_t>(std::min(bytes / 0x1p20, 0x1p62)),
                   most_bytes >> 20);
    }

    Work& m_work;
    const ArgumentPlan& m_plan;
    const ir::Function& m_function;
    Device m_device;
    std::vector<ParameterView> m_views;
    std::map<std::string, Known> m_values;
    std::map<std::size_t, std::vector<std::int64_t>> m_file_shapes;
};

} // namespace

std::optional<AxisName> axis_of(const std::string& name) {
    std::size_t dot = name.rfind('.');
    auto axis = dot == std::string::npos ? std::nullopt : integer_of(name.substr(dot + 1));
    if (!axis || *axis < 0)
        return std::nullopt;
    return AxisName{name.substr(0, dot), static_cast<std::size_t>(*axis)};
}

Arguments copy_of(const Arguments& args) {
    Arguments out = args;
    std::map<const lang::Storage*, std::shared_ptr<lang::Storage>> copies;
    for (lang::CallArgument& arg : out) {
        auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        if (!tensor || !*tensor)
            continue;
        lang::TensorRef copy(new lang::Tensor(**tensor));
        std::shared_ptr<lang::Storage>& storage = copies[copy->storage.get()];
        if (!storage) {
            storage = std::make_shared<lang::Storage>(copy->storage->bytes);
            storage->uninitialised = copy->storage->uninitialised;
            std::memcpy(storage->write(), copy->storage->read(), storage->bytes);
        }
        copy->storage = storage;
        *tensor = copy;
    }
    return out;
}

std::optional<Arguments> make_arguments(Work& work, const ArgumentPlan& plan) {
    try {
        return ArgumentMaker(work, plan).run();
    } catch (const Stop&) {
        return std::nullopt;
    }
}

} // namespace hidet::session
