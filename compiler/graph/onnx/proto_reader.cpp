// SPDX-License-Identifier: Apache-2.0
// The one file that sees protobuf. The bytes of a weight are freed in the message as soon as the tensor has them, so that a
// model takes its own size and one tensor more.
#include "compiler/graph/onnx/model.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <unistd.h>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx.pb.h>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/onnx/external_data.h"
#include "compiler/graph/onnx/packed.h"
#include "lang/base/files.h"

namespace hidet::graph::onnx {

namespace {

namespace pb = ::onnx;
using ir::DType;

class FileBytes : public google::protobuf::io::CopyingInputStream {
public:
    explicit FileBytes(const InputFile& file) : m_file(file) {}
    int Read(void* buffer, int size) override {
        ssize_t count = 0;
        do
            count = ::read(m_file.descriptor(), buffer, static_cast<std::size_t>(size));
        while (count < 0 && errno == EINTR);
        return static_cast<int>(count);
    }

private:
    const InputFile& m_file;
};

std::string text_of(const std::vector<std::int64_t>& dims) {
    std::string text = "[";
    for (std::int64_t each : dims)
        text += (text.size() > 1 ? ", " : "") + std::to_string(each);
    return text + "]";
}

// Nothing when the product does not fit.
std::optional<std::int64_t> count_of(const std::vector<std::int64_t>& dims) {
    if (std::ranges::find(dims, 0) != dims.end())
        return 0;
    std::int64_t count = 1;
    for (std::int64_t each : dims)
        if (__builtin_mul_overflow(count, each, &count))
            return std::nullopt;
    return count;
}

class Reader {
public:
    explicit Reader(const ReadLimits& limits) : m_limits(limits) {}

    Model model(pb::ModelProto& from);
    Tensor tensor(pb::TensorProto& from);

private:
    GraphDef graph(pb::GraphProto& from);
    Function function(pb::FunctionProto& from);
    Node node(pb::NodeProto& from);
    Attribute attribute(pb::AttributeProto& from);
    ValueInfo value_info(const pb::ValueInfoProto& from);
    Tensor sparse(pb::SparseTensorProto& from);
    void read_data(Tensor& tensor, pb::TensorProto& from);
    void read_raw(Tensor& tensor, std::size_t count, const std::string& bytes);
    void read_fields(Tensor& tensor, std::size_t count, const pb::TensorProto& from);
    void read_outside(Tensor& tensor, std::size_t bytes, const pb::TensorProto& from);
    lang::TensorRef allocate(Tensor& tensor, std::size_t bytes); // null: too much

    const ReadLimits& m_limits;
    std::int64_t m_bytes = 0;
};

std::string standard_domain(const std::string& domain) {
    return domain == "ai.onnx" ? "" : domain;
}

Opsets opsets_of(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& from) {
    Opsets opsets;
    for (const pb::OperatorSetIdProto& each : from) {
        const auto [found, is_new] = opsets.emplace(standard_domain(each.domain()), each.version());
        if (!is_new && found->second != each.version())
            found->second = several_versions;
    }
    return opsets;
}

template <class To, class From>
std::vector<To> list_of(const From& from) {
    return std::vector<To>(from.begin(), from.end());
}

// ---- tensors ------------------------------------------------------------------------------------------------------

lang::TensorRef Reader::allocate(Tensor& tensor, std::size_t bytes) {
    if (static_cast<std::int64_t>(bytes) > m_limits.max_bytes - m_bytes) {
        tensor.problem = "the constants of the model take more than " + std::to_string(m_limits.max_bytes) + " bytes";
        return nullptr;
    }
    m_bytes += static_cast<std::int64_t>(bytes);
    lang::TensorRef result(new lang::Tensor);
    result->dtype = *dtype_of(tensor.type);
    result->shape = tensor.dims;
    result->storage = std::make_shared<lang::Storage>(bytes);
    return result;
}

void normalise_bools(const lang::TensorRef& tensor, std::size_t count) {
    if (tensor->dtype != DType::Bool)
        return;
    std::byte* data = tensor->data();
    for (std::size_t i = 0; i < count; ++i)
        data[i] = static_cast<std::byte>(data[i] != std::byte{0});
}

void Reader::read_raw(Tensor& tensor, std::size_t count, const std::string& bytes) {
    const auto wide = static_cast<std::size_t>(ir::bytes_of(*dtype_of(tensor.type)));
    const std::size_t expected = is_packed(tensor.type) ? packed_bytes(tensor.type, count) : count * wide;
    if (bytes.size() != expected) {
        tensor.problem = "its shape " + text_of(tensor.dims) + " of " + elem_type_name(tensor.type) + " takes " +
                         std::to_string(expected) + " bytes, and there are " + std::to_string(bytes.size());
        return;
    }
    tensor.data = allocate(tensor, count * wide);
    if (!tensor.data || count == 0)
        return;
    if (is_packed(tensor.type))
        unpack(tensor.type, reinterpret_cast<const std::byte*>(bytes.data()), count, tensor.data->data());
    else
        std::memcpy(tensor.data->data(), bytes.data(), bytes.size());
    normalise_bools(tensor.data, count);
}

template <class To, class From>
void convert(const From& from, std::byte* to) {
    for (int i = 0; i < from.size(); ++i) {
        const To value = static_cast<To>(from.Get(i));
        std::memcpy(to + static_cast<std::size_t>(i) * sizeof(To), &value, sizeof(To));
    }
}

template <class From>
void convert_as(std::size_t width, const From& from, std::byte* to) {
    switch (width) {
    case 1: return convert<std::uint8_t>(from, to);
    case 2: return convert<std::uint16_t>(from, to);
    case 4: return convert<std::uint32_t>(from, to);
    default: return convert<std::uint64_t>(from, to);
    }
}

void Reader::read_fields(Tensor& tensor, std::size_t count, const pb::TensorProto& from) {
    const auto wide = static_cast<std::size_t>(ir::bytes_of(*dtype_of(tensor.type)));
    const auto size = [&]() -> int {
        switch (tensor.type) {
        case Float: return from.float_data_size();
        case Double: return from.double_data_size();
        case Int64: return from.int64_data_size();
        case Uint32:
        case Uint64: return from.uint64_data_size();
        default: return from.int32_data_size();
        }
    }();
    const std::size_t expected = is_packed(tensor.type) ? packed_bytes(tensor.type, count) : count;
    if (static_cast<std::size_t>(size) != expected) {
        tensor.problem = "its shape " + text_of(tensor.dims) + " takes " + std::to_string(expected) +
                         " elements, and there are " + std::to_string(size);
        return;
    }
    tensor.data = allocate(tensor, count * wide);
    if (!tensor.data || count == 0)
        return;
    std::byte* to = tensor.data->data();
    if (is_packed(tensor.type)) {
        std::vector<std::byte> packed(expected);
        convert<std::uint8_t>(from.int32_data(), packed.data());
        unpack(tensor.type, packed.data(), count, to);
        return;
    }
    switch (tensor.type) {
    case Float: convert<float>(from.float_data(), to); break;
    case Double: convert<double>(from.double_data(), to); break;
    case Int64: convert_as(wide, from.int64_data(), to); break;
    case Uint32:
    case Uint64: convert_as(wide, from.uint64_data(), to); break;
    default: convert_as(wide, from.int32_data(), to); break;
    }
    normalise_bools(tensor.data, count);
}

void Reader::read_outside(Tensor& tensor, std::size_t bytes, const pb::TensorProto& from) {
    ExternalPlace place;
    for (const pb::StringStringEntryProto& entry : from.external_data()) {
        const auto number = [&](std::int64_t& into) {
            const char* end = entry.value().data() + entry.value().size();
            const auto read = std::from_chars(entry.value().data(), end, into);
            if (read.ec != std::errc() || read.ptr != end || into < 0)
                tensor.problem = "its external " + entry.key() + " '" + entry.value() + "' is not a number of bytes";
        };
        if (entry.key() == "location")
            place.location = entry.value();
        else if (entry.key() == "offset")
            number(place.offset);
        else if (entry.key() == "length")
            number(place.length);
    }
    if (!tensor.problem.empty())
        return;
    const std::size_t count = bytes / static_cast<std::size_t>(ir::bytes_of(*dtype_of(tensor.type)));
    const bool unpacks = is_packed(tensor.type);
    const std::size_t stored = unpacks ? packed_bytes(tensor.type, count) : bytes;
    if (Result<void> checked = check_external(m_limits.folder, place, stored); !checked) {
        tensor.problem = checked.error().message;
        return;
    }
    tensor.data = allocate(tensor, bytes);
    if (!tensor.data)
        return;
    std::vector<std::byte> packed(unpacks ? stored : 0);
    std::byte* to = unpacks ? packed.data() : tensor.data->data();
    if (Result<void> read = read_external(m_limits.folder, place, to, stored); !read) {
        tensor.problem = read.error().message;
        tensor.data = nullptr;
        return;
    }
    if (unpacks)
        unpack(tensor.type, packed.data(), count, tensor.data->data());
    normalise_bools(tensor.data, bytes);
}

// In how many of its fields a tensor has elements.
int fields_with_data(const pb::TensorProto& from) {
    return !from.raw_data().empty() + (from.float_data_size() > 0) + (from.double_data_size() > 0) +
           (from.int32_data_size() > 0) + (from.int64_data_size() > 0) + (from.uint64_data_size() > 0) +
           (from.string_data_size() > 0);
}

void Reader::read_data(Tensor& tensor, pb::TensorProto& from) {
    const bool is_outside = from.data_location() == pb::TensorProto::EXTERNAL;
    if (fields_with_data(from) + is_outside > 1) {
        tensor.problem = is_outside ? "its elements are in another file, and in the model as well"
                                    : "its elements are there twice, in different fields";
        return;
    }
    if (std::ranges::any_of(tensor.dims, [](std::int64_t each) { return each < 0; })) {
        tensor.problem = "its shape " + text_of(tensor.dims) + " has a negative dimension";
        return;
    }
    const std::optional<std::int64_t> count = count_of(tensor.dims);
    if (!count || *count > std::numeric_limits<std::int64_t>::max() / 16) {
        tensor.problem = "its shape " + text_of(tensor.dims) + " has more elements than memory can have";
        return;
    }
    if (tensor.type == String) {
        if (from.string_data_size() != *count)
            tensor.problem = "its shape takes " + std::to_string(*count) + " strings, and there are " +
                             std::to_string(from.string_data_size());
        tensor.strings = list_of<std::string>(from.string_data());
        return;
    }
    const std::optional<DType> dtype = dtype_of(tensor.type);
    if (!dtype) {
        tensor.problem = "tensors of " + elem_type_name(tensor.type) + " are not supported";
        return;
    }
    const auto elements = static_cast<std::size_t>(*count);
    if (is_outside)
        read_outside(tensor, elements * static_cast<std::size_t>(ir::bytes_of(*dtype)), from);
    else if (from.has_raw_data())
        read_raw(tensor, elements, from.raw_data());
    else
        read_fields(tensor, elements, from);
}

Tensor Reader::tensor(pb::TensorProto& from) {
    Tensor tensor;
    tensor.name = from.name();
    tensor.type = from.data_type();
    tensor.dims = list_of<std::int64_t>(from.dims());
    if (tensor.dims.size() > most_dimensions)
        tensor.problem = "it has " + std::to_string(tensor.dims.size()) + " dimensions; at most " +
                         std::to_string(most_dimensions) + " are supported";
    else if (from.has_segment())
        tensor.problem = "tensors in segments are not supported";
    else
        read_data(tensor, from);
    delete from.release_raw_data();
    return tensor;
}

// Indices are places in the flattened tensor, or one row of coordinates each.
Tensor Reader::sparse(pb::SparseTensorProto& from) {
    const Tensor values = tensor(*from.mutable_values());
    const Tensor indices = tensor(*from.mutable_indices());
    Tensor dense;
    dense.name = values.name;
    dense.type = values.type;
    dense.dims = list_of<std::int64_t>(from.dims());
    dense.problem = values.problem.empty() ? indices.problem : values.problem;
    const std::optional<std::int64_t> count = count_of(dense.dims);
    if (dense.problem.empty() &&
        (!values.data || !indices.data || indices.type != Int64 || values.dims.size() != 1 || !count ||
         std::ranges::any_of(dense.dims, [](std::int64_t each) { return each < 0; })))
        dense.problem = "it is a broken sparse tensor";
    // A few bytes may claim any size.
    constexpr std::int64_t allowance = 64ll << 20;
    if (dense.problem.empty() && *count > allowance)
        dense.problem = "it is a sparse tensor of more than " + std::to_string(allowance) + " elements";
    if (!dense.problem.empty())
        return dense;
    const auto rank = static_cast<std::int64_t>(dense.dims.size());
    const bool is_linear = indices.dims.size() == 1;
    const std::int64_t stored = values.dims[0];
    if (is_linear ? indices.dims[0] != stored : indices.dims != std::vector<std::int64_t>{stored, rank}) {
        dense.problem = "it is a sparse tensor whose indices do not fit its values";
        return dense;
    }
    const auto wide = static_cast<std::size_t>(ir::bytes_of(*dtype_of(dense.type)));
    dense.data = allocate(dense, static_cast<std::size_t>(*count) * wide);
    if (!dense.data)
        return dense;
    const auto* index = reinterpret_cast<const std::int64_t*>(indices.data->read());
    for (std::int64_t i = 0; i < stored; ++i) {
        std::int64_t place = is_linear ? index[i] : 0;
        bool is_inside = place >= 0 && place < *count;
        for (std::int64_t d = 0; !is_linear && d < rank; ++d) {
            const std::int64_t at = index[i * rank + d];
            const std::int64_t extent = dense.dims[static_cast<std::size_t>(d)];
            is_inside = is_inside && at >= 0 && at < extent;
            place = is_inside ? place * extent + at : 0;
        }
        if (!is_inside) {
            dense.problem = "it is a sparse tensor with an index outside of its shape";
            dense.data = nullptr;
            return dense;
        }
        std::memcpy(dense.data->data() + static_cast<std::size_t>(place) * wide,
                    values.data->read() + static_cast<std::size_t>(i) * wide, wide);
    }
    return dense;
}

// ---- graphs -------------------------------------------------------------------------------------------------------

Attribute Reader::attribute(pb::AttributeProto& from) {
    using Kind = Attribute::Kind;
    Attribute to;
    to.name = from.name();
    to.ref_attr_name = from.ref_attr_name();
    // Files before version 2 of the format do not say the type.
    const auto guessed = [&] {
        if (from.has_f())
            return pb::AttributeProto::FLOAT;
        if (from.has_i())
            return pb::AttributeProto::INT;
        if (from.has_s())
            return pb::AttributeProto::STRING;
        if (from.has_t())
            return pb::AttributeProto::TENSOR;
        if (from.has_g())
            return pb::AttributeProto::GRAPH;
        if (from.floats_size())
            return pb::AttributeProto::FLOATS;
        if (from.ints_size())
            return pb::AttributeProto::INTS;
        return from.strings_size() ? pb::AttributeProto::STRINGS : pb::AttributeProto::UNDEFINED;
    };
    switch (from.has_type() ? from.type() : guessed()) {
    case pb::AttributeProto::FLOAT: to.kind = Kind::Float, to.f = from.f(); break;
    case pb::AttributeProto::INT: to.kind = Kind::Int, to.i = from.i(); break;
    case pb::AttributeProto::STRING: to.kind = Kind::String, to.s = from.s(); break;
    case pb::AttributeProto::TENSOR:
        to.kind = Kind::Tensor;
        to.t = std::make_shared<const Tensor>(tensor(*from.mutable_t()));
        break;
    case pb::AttributeProto::SPARSE_TENSOR:
        to.kind = Kind::Tensor;
        to.t = std::make_shared<const Tensor>(sparse(*from.mutable_sparse_tensor()));
        break;
    case pb::AttributeProto::GRAPH:
        to.kind = Kind::Graph;
        to.g = std::make_shared<const GraphDef>(graph(*from.mutable_g()));
        break;
    case pb::AttributeProto::FLOATS: to.kind = Kind::Floats, to.floats = list_of<float>(from.floats()); break;
    case pb::AttributeProto::INTS: to.kind = Kind::Ints, to.ints = list_of<std::int64_t>(from.ints()); break;
    case pb::AttributeProto::STRINGS:
        to.kind = Kind::Strings;
        to.strings = list_of<std::string>(from.strings());
        break;
    case pb::AttributeProto::UNDEFINED: break;
    default: to.kind = Kind::Other; break;
    }
    return to;
}

// "['', 'layer1', 'layer1.0', 'layer1.0.conv1', 'conv2d']": the last but one is the module, the last the call.
std::string module_of(const std::string& scopes) {
    std::vector<std::string> names;
    for (std::size_t at = scopes.find('\''); at != std::string::npos;) {
        const std::size_t end = scopes.find('\'', at + 1);
        if (end == std::string::npos)
            break;
        names.push_back(scopes.substr(at + 1, end - at - 1));
        at = scopes.find('\'', end + 1);
    }
    return names.size() < 2 ? "" : names[names.size() - 2];
}

Node Reader::node(pb::NodeProto& from) {
    Node to;
    to.name = from.name();
    to.domain = standard_domain(from.domain());
    to.op_type = from.op_type();
    to.overload = from.overload();
    to.inputs = list_of<std::string>(from.input());
    to.outputs = list_of<std::string>(from.output());
    for (const pb::StringStringEntryProto& entry : from.metadata_props())
        if (entry.key() == "pkg.torch.onnx.name_scopes")
            to.scope = module_of(entry.value());
    for (pb::AttributeProto& each : *from.mutable_attribute())
        to.attributes.push_back(attribute(each));
    return to;
}

ValueInfo Reader::value_info(const pb::ValueInfoProto& from) {
    ValueInfo to;
    to.name = from.name();
    switch (from.type().value_case()) {
    case pb::TypeProto::kTensorType: to.kind = "tensor"; break;
    case pb::TypeProto::kSequenceType: to.kind = "sequence"; return to;
    case pb::TypeProto::kOptionalType: to.kind = "optional"; return to;
    case pb::TypeProto::kMapType: to.kind = "map"; return to;
    case pb::TypeProto::kSparseTensorType: to.kind = "sparse tensor"; return to;
    case pb::TypeProto::kOpaqueType: to.kind = "opaque"; return to;
    case pb::TypeProto::VALUE_NOT_SET: return to;
    }
    const pb::TypeProto::Tensor& tensor = from.type().tensor_type();
    to.elem_type = tensor.elem_type();
    to.has_shape = tensor.has_shape();
    for (const pb::TensorShapeProto::Dimension& each : tensor.shape().dim()) {
        Dimension dimension;
        if (each.has_dim_value())
            dimension.value = each.dim_value();
        dimension.param = each.dim_param();
        if (each.has_dim_value() && each.dim_value() < 0 && dimension.param.empty())
            dimension.param = "?"; // some exporters write -1 for what is not known
        to.shape.push_back(std::move(dimension));
    }
    return to;
}

GraphDef Reader::graph(pb::GraphProto& from) {
    GraphDef to;
    to.name = from.name();
    for (pb::TensorProto& each : *from.mutable_initializer())
        to.initializers.push_back(tensor(each));
    for (pb::SparseTensorProto& each : *from.mutable_sparse_initializer())
        to.initializers.push_back(sparse(each));
    for (pb::NodeProto& each : *from.mutable_node())
        to.nodes.push_back(node(each));
    for (const pb::ValueInfoProto& each : from.input())
        to.inputs.push_back(value_info(each));
    for (const pb::ValueInfoProto& each : from.output())
        to.outputs.push_back(value_info(each));
    return to;
}

Function Reader::function(pb::FunctionProto& from) {
    Function to;
    to.domain = standard_domain(from.domain());
    to.name = from.name();
    to.overload = from.overload();
    to.inputs = list_of<std::string>(from.input());
    to.outputs = list_of<std::string>(from.output());
    to.attributes = list_of<std::string>(from.attribute());
    for (pb::AttributeProto& each : *from.mutable_attribute_proto())
        to.defaults.push_back(attribute(each));
    for (pb::NodeProto& each : *from.mutable_node())
        to.nodes.push_back(node(each));
    to.opsets = opsets_of(from.opset_import());
    return to;
}

Model Reader::model(pb::ModelProto& from) {
    Model to;
    to.ir_version = from.ir_version();
    to.producer = from.producer_name();
    if (!from.producer_version().empty())
        to.producer += " " + from.producer_version();
    to.opsets = opsets_of(from.opset_import());
    to.graph = graph(*from.mutable_graph());
    for (pb::FunctionProto& each : *from.mutable_functions())
        to.functions.push_back(function(each));
    return to;
}

Result<Model> finish(pb::ModelProto& message, bool is_parsed, const ReadLimits& limits) {
    if (!is_parsed)
        return Error{"model-broken", "the file is not an ONNX model, or it is cut off"};
    if (!message.has_graph())
        return Error{"model-broken", "the model has no graph"};
    return Reader(limits).model(message);
}

Result<Tensor> finish(pb::TensorProto& message, bool is_parsed) {
    if (!is_parsed)
        return Error{"model-broken", "the file is not a tensor of ONNX, or it is cut off"};
    const ReadLimits limits;
    Tensor tensor = Reader(limits).tensor(message);
    if (!tensor.problem.empty())
        return Error{"model-broken", "the tensor cannot be read: " + tensor.problem};
    return tensor;
}

template <class Message>
bool parse(const InputFile& file, Message& message) {
    FileBytes bytes(file);
    google::protobuf::io::CopyingInputStreamAdaptor stream(&bytes);
    return message.ParseFromZeroCopyStream(&stream);
}

} // namespace

Result<Model> read_model(std::string_view bytes, const ReadLimits& limits) {
    pb::ModelProto message;
    const bool fits = bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
    return finish(message, fits && message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())), limits);
}

Result<Model> read_model_file(const std::string& path, const ReadLimits& limits) {
    HIDET_TRY(const InputFile file, InputFile::open(path));
    pb::ModelProto message;
    return finish(message, parse(file, message), limits);
}

Result<Tensor> read_tensor_file(const std::string& path) {
    HIDET_TRY(const InputFile file, InputFile::open(path));
    pb::TensorProto message;
    return finish(message, parse(file, message));
}

} // namespace hidet::graph::onnx
