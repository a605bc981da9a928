// SPDX-License-Identifier: Apache-2.0
// Extents come from several places that must agree: the parameter's type, the shape that was asked for, the file that is to
// be read, the values of dimensions, and, where none of these says anything, the script's own first call. Names get their
// values first; then every shape can be worked out.
#include "app/session/kernel_bench/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "app/session/compare/compare.h"
#include "app/session/execute/executor.h"
#include "compiler/ir/evaluate.h"
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

// A parameter, with all that was said of its argument.
struct Parameter {
    std::size_t number = 0;
    const ir::Var* param = nullptr;
    ParameterView view;
    const ArgumentSpec* spec = nullptr;        // null: nothing was chosen
    const lang::CallArgument* given = nullptr; // by the script; null: it makes no such call
    Fill fill = Fill::Default;
    bool is_redrawn = false;
    std::string path; // of its file
    std::vector<std::int64_t> file_shape, shape;

    bool is_memory() const { return view.kind == ParameterKind::Tensor || view.kind == ParameterKind::Pointer; }
    bool is_null() const { return spec && spec->value == "None" && view.kind == ParameterKind::Pointer; }
    lang::TensorRef tensor() const { // of the script
        const auto* tensor = given ? std::get_if<lang::TensorRef>(&given->value) : nullptr;
        return tensor ? *tensor : nullptr;
    }
    bool has_room_for(std::int64_t value) const {
        const auto dtype = dtype_of(*param);
        if (!dtype || !ir::is_integer(*dtype))
            return true;
        const ir::IntegerRange range = ir::integer_range(*dtype);
        return value >= range.lowest && (value <= 0 || static_cast<std::uint64_t>(value) <= range.highest);
    }
    std::string in_users_words(std::string message) const {
        if (const std::size_t at = message.find(path); at != std::string::npos)
            message.replace(at, path.size(), spec->file);
        return message;
    }
};

Parameter parameter_of(const ArgumentPlan& plan, std::size_t number) {
    const compiler::ParameterAccess& access = plan.accesses[number];
    Parameter out;
    out.number = number;
    out.param = plan.callable.function->params[number].get();
    out.view = view_of(*out.param, access);
    const auto spec = std::ranges::find(plan.specs, out.view.name, &ArgumentSpec::name);
    out.spec = spec == plan.specs.end() ? nullptr : &*spec;
    out.given = plan.script && number < plan.script->args.size() ? &plan.script->args[number] : nullptr;
    if (out.spec) {
        const std::string& file = out.spec->file;
        const bool stands_alone = file.empty() || file[0] == '/' || plan.folder.empty();
        out.path = stands_alone ? file : plan.folder + "/" + file;
    }
    // Without any choice at all it repeats the script's call.
    const bool nothing_chosen = plan.specs.empty() && plan.dimensions.empty();
    out.fill = out.spec ? out.spec->fill : Fill::Default;
    if (out.fill == Fill::Default)
        out.fill = nothing_chosen && plan.script && plan.script->has_data ? Fill::FromScript
                   : access.written && !access.read                       ? Fill::Empty
                                                                          : Fill::Random;
    out.is_redrawn = out.fill == Fill::FromScript && number < plan.redrawn.size() && plan.redrawn[number];
    return out;
}

lang::TensorRef new_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape) {
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = shape;
    tensor->is_torch = true;
    tensor->storage =
        std::make_shared<lang::Storage>(static_cast<std::size_t>(ir::packed_bytes(dtype, tensor->count())));
    return tensor;
}

class ArgumentMaker {
public:
    ArgumentMaker(Work& work, const ArgumentPlan& plan)
        : m_work(work), m_plan(plan), m_function(*plan.callable.function),
          m_device(has_gpu_kernel(*plan.callable.module) ? Device::Cuda : Device::Cpu) {
        for (std::size_t i = 0; i < m_function.params.size(); ++i)
            m_parameters.push_back(parameter_of(plan, i));
    }

    Arguments run() {
        check_names();
        for (const Dimension& dimension : m_plan.dimensions)
            m_values[dimension.name] = {dimension.value, ""};
        for (Parameter& each : m_parameters)
            bind_chosen(each);
        for (const Parameter& each : m_parameters)
            bind_of_script(each);
        for (Parameter& each : m_parameters)
            if (each.is_memory() && !each.is_null())
                each.shape = shape_of(each);
        check_size();
        Arguments args;
        for (const Parameter& each : m_parameters)
            args.push_back({value_of(each), each.view.name, m_plan.callable.site});
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
    [[noreturn]] void refuse_file(const Parameter& of, const Error& error) {
        if (error.code == "file-not-found" || error.code == "file-unreadable")
            m_work.status = Status::WrongUsage;
        refuse(DiagId::TryArgumentFile, of.view.name, of.in_users_words(error.message));
    }
    [[noreturn]] void needs(const Parameter& of, const std::string& what) {
        refuse(DiagId::TryArgumentMissing, of.view.name, m_plan.callable.name, what);
    }

    void check_names() {
        const std::vector<std::string> names =
            transformed(m_parameters, [](const Parameter& of) { return of.view.name; });
        for (const ArgumentSpec& spec : m_plan.specs) {
            if (std::find(names.begin(), names.end(), spec.name) != names.end())
                continue;
            m_work.sink.report(
                Diagnostic::make(DiagId::TryNoParameter, m_function.origin.span, m_plan.callable.name, spec.name)
                    .suggest({}, spec.name, names));
            throw Stop{};
        }
    }

    void bind(const std::string& name, std::int64_t value, const Parameter& of) {
        auto [known, fresh] = m_values.emplace(name, Known{value, of.view.name});
        if (fresh || known->second.value == value)
            return;
        const std::string& other = known->second.from;
        refuse(DiagId::TryDimension, name, value, of.view.name, known->second.value,
               other.empty() ? "the benchmark" : other);
    }
    void bind_shape(const Parameter& of, const std::vector<std::int64_t>& shape) {
        const std::vector<std::string>& wanted = of.view.shape;
        if (of.view.kind != ParameterKind::Tensor)
            return;
        bool fits = wanted.size() == shape.size();
        for (std::size_t d = 0; fits && d < shape.size(); ++d)
            if (auto known = integer_of(wanted[d]))
                fits = *known == shape[d];
        if (!fits)
            refuse(DiagId::TryArgumentShape, of.view.name, extents_text(shape), type_text(of.view));
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (wanted[d] != "?" && !integer_of(wanted[d]))
                bind(wanted[d], shape[d], of);
    }

    // What the choices themselves say.
    void bind_chosen(Parameter& of) {
        if (of.view.kind == ParameterKind::Scalar && of.spec && !of.spec->value.empty())
            if (auto value = integer_of(of.spec->value))
                return bind(of.view.name, *value, of);
        if (!of.is_memory() || of.is_null())
            return;
        if (of.fill == Fill::File)
            return bind_shape(of, of.file_shape = shape_of_file(of));
        if (of.is_redrawn)
            return;
        if (of.fill == Fill::FromScript)
            return bind_shape(of, tensor_of_script(of)->shape);
        if (!of.spec || of.spec->shape.empty())
            return;
        std::vector<std::int64_t> known;
        for (const std::string& extent : of.spec->shape)
            if (auto value = integer_of(extent))
                known.push_back(*value);
        if (known.size() == of.spec->shape.size())
            bind_shape(of, known);
    }

    // What nothing else says is as in the script's call.
    void bind_of_script(const Parameter& of) {
        if (!of.given)
            return;
        if (const auto* integer = std::get_if<std::int64_t>(&of.given->value); integer && !of.spec)
            m_values.emplace(of.view.name, Known{*integer, of.view.name});
        lang::TensorRef tensor = of.tensor();
        if (!tensor || of.view.kind != ParameterKind::Tensor || tensor->shape.size() != of.view.shape.size())
            return;
        for (std::size_t d = 0; d < tensor->shape.size(); ++d)
            if (const std::string& name = of.view.shape[d]; name != "?" && !integer_of(name))
                m_values.emplace(name, Known{tensor->shape[d], of.view.name});
    }

    std::optional<std::int64_t> extent(const std::string& text) const {
        if (auto number = integer_of(text))
            return number;
        auto known = m_values.find(text);
        return known == m_values.end() ? std::nullopt : std::optional(known->second.value);
    }
    std::optional<std::int64_t> expression(const ir::ExprRef& expr) const {
        return ir::evaluate_whole(expr, [this](const ir::ExprRef& leaf) -> std::optional<std::int64_t> {
            const auto* symbol = ir::as<ir::SymbolVar>(leaf);
            const auto* var = ir::as<ir::Var>(leaf);
            return symbol ? extent(symbol->name) : var ? extent(var->name) : std::nullopt;
        });
    }

    std::vector<std::int64_t> shape_of(const Parameter& of) {
        std::vector<std::int64_t> shape = shape_without_axes(of);
        for (const Dimension& dimension : m_plan.dimensions)
            if (auto axis = axis_of(dimension.name); axis && axis->parameter == of.view.name)
                set_axis(of, shape, axis->axis, dimension.value);
        for (std::int64_t extent : shape)
            if (extent < 0)
                refuse(DiagId::TryArgumentShape, of.view.name, extents_text(shape), type_text(of.view));
        return shape;
    }
    void set_axis(const Parameter& of, std::vector<std::int64_t>& shape, std::size_t axis, std::int64_t value) {
        std::vector<std::int64_t> changed = shape;
        if (axis < changed.size())
            changed[axis] = value;
        bool is_fixed = of.view.kind == ParameterKind::Tensor && axis < shape.size() && changed != shape;
        if (axis >= shape.size() || is_fixed)
            refuse(DiagId::TryArgumentShape, of.view.name, extents_text(changed), type_text(of.view));
        shape = changed;
    }
    std::vector<std::int64_t> shape_without_axes(const Parameter& of) {
        if (of.fill == Fill::File)
            return of.file_shape;
        if (of.fill == Fill::FromScript && !of.is_redrawn)
            return tensor_of_script(of)->shape;
        if (of.spec && !of.spec->shape.empty()) {
            std::vector<std::int64_t> shape = shape_of_words(of, of.spec->shape);
            bind_shape(of, shape);
            return shape;
        }
        if (of.view.kind == ParameterKind::Tensor)
            return shape_of_type(of);
        if (lang::TensorRef tensor = of.tensor())
            return tensor->shape;
        needs(of, "a shape, for it is a pointer");
    }
    std::vector<std::int64_t> shape_of_words(const Parameter& of, const std::vector<std::string>& words) {
        return transformed(words, [&](const std::string& word) {
            const auto value = extent(word);
            if (!value)
                needs(of, cat("a value for '", word, "'"));
            return *value;
        });
    }
    std::vector<std::int64_t> shape_of_type(const Parameter& of) {
        const ir::TensorType& type = *ir::tensor_of(of.param->type);
        std::vector<std::int64_t> shape;
        for (std::size_t d = 0; d < type.shape.size(); ++d) {
            auto value = expression(type.shape[d]);
            if (!value && of.tensor() && of.tensor()->shape.size() == type.shape.size())
                value = of.tensor()->shape[d];
            if (!value)
                needs(of, of.view.shape[d] == "?" ? "a shape" : cat("a value for '", of.view.shape[d], "'"));
            shape.push_back(*value);
        }
        return shape;
    }

    lang::TensorRef tensor_of_script(const Parameter& of) {
        lang::TensorRef tensor = of.tensor();
        if (tensor && m_plan.script->has_data)
            return tensor;
        refuse(DiagId::TryNoCall, m_plan.script_name, m_plan.callable.name, of.view.name);
    }

    // ---- files ----
    std::vector<std::int64_t> shape_of_file(const Parameter& of) {
        Result<lang::NpyHeader> header = lang::read_npy_header(of.path);
        if (!header)
            refuse_file(of, header.error());
        return header.value().shape;
    }
    lang::TensorRef tensor_of_file(const Parameter& of, ir::DType dtype) {
        Result<lang::TensorRef> read = lang::read_npy(of.path, dtype);
        if (!read)
            refuse_file(of, read.error());
        const lang::TensorRef& tensor = read.value();
        if (tensor->dtype != dtype)
            refuse(DiagId::TryArgumentType, of.view.name,
                   cat(ir::info(tensor->dtype).short_name, " in '", of.spec->file, "'"), ir::info(dtype).short_name);
        return tensor;
    }

    // ---- values ----
    ir::DType dtype_for(const Parameter& of) {
        auto dtype = dtype_of(*of.param);
        const std::optional<ir::DType> asked = ir::find_dtype(of.spec ? of.spec->dtype : "");
        bool is_any = of.view.kind == ParameterKind::Pointer && (!dtype || dtype == ir::DType::U8);
        if (asked && dtype && *asked != *dtype && !is_any)
            refuse(DiagId::TryArgumentType, of.view.name, ir::info(*asked).short_name, type_text(of.view));
        if (!asked && !dtype)
            needs(of, "a data type");
        ir::DType chosen = asked ? *asked : *dtype;
        if (!lang::holds_values(chosen))
            refuse(DiagId::TryArgumentType, of.view.name, ir::info(chosen).short_name, "numbers of whole bytes");
        return chosen;
    }
    Value value_of(const Parameter& of) {
        if (!of.is_memory())
            return scalar_of(of);
        if (of.is_null())
            return lang::TensorRef();
        if (of.fill == Fill::FromScript && !is_made_anew(of))
            return tensor_of_script(of);
        ir::DType dtype = dtype_for(of);
        lang::TensorRef tensor = of.fill == Fill::File ? tensor_of_file(of, dtype) : new_tensor(dtype, of.shape);
        tensor->device = m_device;
        if (of.fill == Fill::Empty)
            fill_with_pattern(*tensor);
        else
            fill(*tensor, of.fill == Fill::Random || of.is_redrawn ? m_plan.random : of.fill,
                 {.seed = m_plan.seed * 0x9E3779B97F4A7C15 + of.number,
                  .largest = m_plan.largest_number,
                  .source = of.is_redrawn ? tensor_of_script(of) : nullptr});
        return tensor;
    }
    // Integers of a script say where things are: they stay as they are where they can.
    bool is_made_anew(const Parameter& of) {
        if (!of.is_redrawn)
            return false;
        const lang::TensorRef tensor = tensor_of_script(of);
        return ir::is_float(tensor->dtype) || tensor->shape != of.shape;
    }
    Value scalar_of(const Parameter& of) {
        std::string text = of.spec ? of.spec->value : "";
        if (of.view.kind == ParameterKind::Text)
            return text;
        auto dtype = dtype_of(*of.param);
        if (text.empty())
            return scalar_without_text(of, dtype && ir::is_float(*dtype));
        auto real = real_of(text);
        auto integer = integer_of(text);
        if (dtype && ir::is_float(*dtype) && real)
            return *real;
        if (!integer && real && *real == std::floor(*real) && std::fabs(*real) < 0x1p62)
            integer = static_cast<std::int64_t>(*real);
        if (!integer)
            refuse(DiagId::TryArgumentType, of.view.name, "'" + text + "'", type_text(of.view));
        check_range(of, *integer);
        return *integer;
    }
    Value scalar_without_text(const Parameter& of, bool is_float) {
        if (auto known = m_values.find(of.view.name); known != m_values.end()) {
            if (is_float)
                return static_cast<double>(known->second.value);
            check_range(of, known->second.value);
            return known->second.value;
        }
        if (of.given)
            return of.given->value;
        needs(of, "a value");
    }
    void check_range(const Parameter& of, std::int64_t value) {
        if (!of.has_room_for(value))
            refuse(DiagId::TryArgumentType, of.view.name, cat(value), type_text(of.view));
    }
    void check_size() {
        double bytes = 0;
        for (const Parameter& of : m_parameters) {
            if (!of.is_memory() || of.is_null() || of.fill == Fill::FromScript)
                continue;
            double each = ir::info(dtype_for(of)).bits / 8.0;
            for (std::int64_t extent : of.shape)
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
    std::vector<Parameter> m_parameters;
    std::map<std::string, Known> m_values;
};

} // namespace

std::optional<AxisName> axis_of(const std::string& name) {
    std::size_t dot = name.rfind('.');
    auto axis = dot == std::string::npos ? std::nullopt : integer_of(name.substr(dot + 1));
    if (!axis || *axis < 0)
        return std::nullopt;
    return AxisName{name.substr(0, dot), static_cast<std::size_t>(*axis)};
}

Fill fill_of(const ArgumentPlan& plan, std::size_t parameter) {
    return parameter_of(plan, parameter).fill;
}

bool is_drawn(const ArgumentPlan& plan, std::size_t parameter) {
    const Parameter of = parameter_of(plan, parameter);
    return of.is_memory() && !of.is_null() && (of.fill == Fill::Random || of.is_redrawn);
}

lang::TensorRef tensor_of_script(const ArgumentPlan& plan, std::size_t parameter) {
    return plan.script && plan.script->has_data ? parameter_of(plan, parameter).tensor() : nullptr;
}

std::optional<Arguments> make_arguments(Work& work, const ArgumentPlan& plan) {
    try {
        return ArgumentMaker(work, plan).run();
    } catch (const Stop&) {
        return std::nullopt;
    }
}

} // namespace hidet::session
