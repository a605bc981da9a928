// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "lang/base/file_place.h"
#include "lang/base/out_of_memory.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/npy.h"
#include "lang/tensor/random.h"

namespace hidet::session {

using namespace graph;

namespace {

Result<lang::TensorRef> read_proto(const std::string& path, std::optional<ir::DType> dtype) {
    Result<lang::TensorRef> tensor = read_tensor_proto(path, dtype);
    if (tensor || tensor.error().code.starts_with("file-")) // which names the file
        return tensor;
    return Error{tensor.error().code, cat("cannot read '", path, "': ", tensor.error().message)};
}

Result<lang::TensorRef> read_tensor(const std::string& path, ir::DType dtype) {
    return path.ends_with(".pb") ? read_proto(path, dtype) : lang::read_npy(path, dtype);
}

bool refuse(Work& work, const Error& error) {
    work.sink.report(DiagId::BadValue, {}, error.message);
    if (error.code == "file-not-found")
        work.status = Status::WrongUsage;
    return false;
}

std::string data_file(const ModelRunRequest& request, std::size_t i) {
    return cat(request.data, "/input_", i, ".pb");
}

class InputReader {
public:
    InputReader(Work& work, const ModelRunRequest& request, const artifact::LaunchPlan& plan)
        : m_work(work), m_request(request), m_plan(plan), m_random(request.seed), m_inputs(plan.inputs.size()) {
        for (const artifact::PlanSymbol& symbol : plan.symbols) {
            const auto named = std::ranges::find(request.dims, symbol.name, &Dimension::name);
            m_symbols.push_back(named == request.dims.end() ? std::nullopt : artifact::ExprValue(named->value));
        }
    }

    std::optional<Tensors> run() {
        if (!read_data_set() || !read_files())
            return std::nullopt;
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            if (m_inputs[i])
                learn_extents(i);
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            if (!m_inputs[i] && !make_random(i))
                return std::nullopt;
        return std::move(m_inputs);
    }

private:
    const artifact::PlanValue& value(std::size_t i) const { return m_plan.values[m_plan.inputs[i]]; }
    ir::DType dtype(std::size_t i) const { return *ir::find_dtype(value(i).dtype); }

    static bool holds_data(const std::filesystem::path& folder) {
        return look_at(folder / "input_0.pb").exists() || look_at(folder / "output_0.pb").exists();
    }
    // Data sets of ONNX stand in folders beside the model.
    std::string hint_at_data() const {
        std::error_code failed;
        std::string first;
        for (const auto& entry : std::filesystem::directory_iterator(m_request.data, failed))
            if (std::string path = entry.path().string(); holds_data(path) && (first.empty() || path < first))
                first = std::move(path);
        return first.empty() ? "" : "; did you mean '" + first + "'?";
    }

    bool read_data_set() {
        if (m_request.data.empty())
            return true;
        if (const FilePlace place = look_at(m_request.data); place.kind != FilePlace::Kind::Folder)
            return refuse(m_work,
                          {"file-not-found", place.exists() ? cat("'", m_request.data, "' is a file, not a folder")
                                                            : cat("there is no folder '", m_request.data, "'")});
        if (!holds_data(m_request.data))
            return refuse(m_work, {"file-not-found", cat("folder '", m_request.data,
                                                         "' has no input_0.pb and no output_0.pb", hint_at_data())});
        if (look_at(data_file(m_request, m_inputs.size())).exists())
            return refuse(m_work, {"data-set-unfit", cat("the data set has an input_", m_inputs.size(),
                                                         ".pb, and the model has ", m_inputs.size(), " inputs")});
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            const std::string path = data_file(m_request, i);
            if (!look_at(path).exists()) {
                if (is_file_given(value(i).name))
                    continue;
                return refuse(m_work, {"data-set-unfit", cat("the data set has no input_", i, ".pb for '",
                                                             value(i).name, "'; --input gives it")});
            }
            Result<lang::TensorRef> tensor = read_proto(path, dtype(i));
            if (!tensor)
                return refuse(m_work, tensor.error());
            m_inputs[i] = std::move(tensor).value();
        }
        return true;
    }
    bool is_file_given(const std::string& name) const {
        return std::ranges::any_of(m_request.inputs, [&](const auto& each) { return each.first == name; });
    }

    bool read_files() {
        for (const auto& [name, path] : m_request.inputs) {
            std::vector<std::string> names;
            for (std::size_t i = 0; i < m_inputs.size(); ++i)
                names.push_back(value(i).name);
            const auto found = std::ranges::find(names, name);
            if (found == names.end()) {
                const std::string near = closest(name, names);
                m_work.status = Status::WrongUsage;
                return refuse(m_work, {"no-such-input", cat("the model has no input '", name, "'",
                                                            near.empty() ? "; it has '" + join(names, "', '") + "'"
                                                                         : "; did you mean '" + near + "'?")});
            }
            const auto i = static_cast<std::size_t>(found - names.begin());
            Result<lang::TensorRef> tensor = read_tensor(path, dtype(i));
            if (!tensor)
                return refuse(m_work, tensor.error());
            m_inputs[i] = std::move(tensor).value();
        }
        return true;
    }

    void learn_extents(std::size_t i) {
        const std::vector<artifact::Row>& shape = value(i).shape;
        if (shape.size() != m_inputs[i]->shape.size())
            return;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (const auto symbol = artifact::symbol_of(m_plan.expressions[shape[d]]))
                m_symbols[*symbol] = m_inputs[i]->shape[d];
    }

    // Dimensions that nobody names are 1. Integers are 0 or 1, which are indices, masks and token types of any model.
    bool make_random(std::size_t i) {
        for (const artifact::Row extent : value(i).shape)
            for (const artifact::ExprWord& word : m_plan.expressions[extent])
                if (word.op == artifact::ExprOp::Symbol)
                    if (artifact::ExprValue& symbol = m_symbols[static_cast<std::size_t>(word.operand)]; !symbol)
                        symbol = 1;
        const std::vector<artifact::ExprValue> known = artifact::evaluate(m_plan.expressions, m_symbols);
        const artifact::ExprValue bytes = known[value(i).bytes];
        constexpr std::int64_t most = std::int64_t{1} << 36;
        std::int64_t count = 1;
        const auto is_wrong = [&](artifact::Row extent) {
            return known[extent].value_or(-1) < 0 || __builtin_mul_overflow(count, *known[extent], &count);
        };
        if (!bytes || *bytes < 0 || *bytes > most || std::ranges::any_of(value(i).shape, is_wrong))
            return refuse(m_work, {"no-such-shape", cat("no random input can be made for '", value(i).name, "', ",
                                                        value(i).dtype, extents_text(m_plan, value(i).shape))});
        lang::TensorRef tensor(new lang::Tensor());
        tensor->dtype = dtype(i);
        for (const artifact::Row extent : value(i).shape)
            tensor->shape.push_back(*known[extent]);
        try {
            tensor->storage =
                std::make_shared<lang::Storage>(static_cast<std::size_t>(std::max<std::int64_t>(*bytes, 1)));
            fill(*tensor);
        } catch (const std::bad_alloc&) {
            throw OutOfMemory(cat(*bytes, " bytes for the input '", value(i).name, "', ", value(i).dtype,
                                  extents_text(m_plan, value(i).shape)));
        }
        m_inputs[i] = std::move(tensor);
        return true;
    }

    void fill(lang::Tensor& tensor) {
        const auto count = static_cast<std::size_t>(tensor.count());
        if (ir::is_float(tensor.dtype)) {
            lang::Doubles numbers(count);
            for (double& number : numbers)
                number = m_random.normal();
            lang::write_doubles(tensor, numbers);
        } else {
            lang::Integers numbers(count);
            for (std::int64_t& number : numbers)
                number = static_cast<std::int64_t>(m_random.next() >> 63);
            lang::write_integers(tensor, numbers);
        }
    }

    Work& m_work;
    const ModelRunRequest& m_request;
    const artifact::LaunchPlan& m_plan;
    lang::Random m_random;
    Tensors m_inputs;
    std::vector<artifact::ExprValue> m_symbols; // by row
};

} // namespace

std::optional<Tensors> model_inputs(Work& work, const ModelRunRequest& request, const artifact::LaunchPlan& plan) {
    work.enter("reading the inputs");
    Work::Clock clock(work, "inputs");
    return InputReader(work, request, plan).run();
}

ShapeOf shapes_of_files(const ModelRunRequest& request) {
    if (request.data.empty() && request.inputs.empty())
        return {};
    return [&request](std::size_t i, const std::string& name) -> std::optional<std::vector<std::int64_t>> {
        std::string path = request.data.empty() ? "" : data_file(request, i);
        for (const auto& [given, file] : request.inputs)
            if (given == name)
                path = file;
        if (path.empty() || look_at(path).kind != FilePlace::Kind::File)
            return std::nullopt;
        // The type is that of the file here: it is checked where the tensor is read for the run.
        const Result<lang::TensorRef> tensor = path.ends_with(".pb") ? read_tensor_proto(path) : lang::read_npy(path);
        return tensor ? std::optional(tensor.value()->shape) : std::nullopt;
    };
}

std::function<bool(const std::string&)> inputs_given(const ModelRunRequest& request) {
    if (request.data.empty() && request.inputs.empty())
        return {};
    return [&request, names = std::set<std::string>(), is_read = false](const std::string& name) mutable {
        if (!is_read) {
            is_read = true;
            for (const auto& [given, file] : request.inputs)
                names.insert(given);
            for (std::size_t i = 0; !request.data.empty(); ++i) {
                const std::string path = data_file(request, i);
                if (look_at(path).kind != FilePlace::Kind::File)
                    break;
                names.insert(tensor_proto_name(path));
            }
        }
        return names.contains(name);
    };
}

std::optional<Tensors> recorded_outputs(Work& work, const ModelRunRequest& request, const artifact::LaunchPlan& plan) {
    const bool is_data_set = !request.data.empty();
    const std::string& folder = is_data_set ? request.data : request.expected;
    Tensors out;
    while (!folder.empty()) {
        const std::string path = cat(folder, "/output_", out.size(), is_data_set ? ".pb" : ".npy");
        if (!look_at(path).exists())
            break;
        const std::size_t i = out.size();
        const auto dtype = i < plan.outputs.size() ? ir::find_dtype(plan.values[plan.outputs[i]].dtype) : std::nullopt;
        Result<lang::TensorRef> tensor = is_data_set ? read_proto(path, dtype) : lang::read_npy(path, dtype);
        if (!tensor) {
            refuse(work, tensor.error());
            return std::nullopt;
        }
        out.push_back(std::move(tensor).value());
    }
    return out;
}

} // namespace hidet::session
