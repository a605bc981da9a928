// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

#include <deque>
#include <optional>

#include "lang/tensor/elements.h"
#include "runtime/operators/activation.h"
#include "runtime/package/plan_names.h"

namespace hidet::graph {

namespace {

using package::AttributeKind;
using package::HostOperator;
using package::List;

package::Text flat(const std::string& text) {
    return {text.data(), static_cast<std::uint32_t>(text.size())};
}

std::optional<HostOperator> operator_named(std::string_view name) {
    for (std::size_t i = 0; i < package::enum_count<HostOperator>; ++i)
        if (name == package::enum_name(static_cast<HostOperator>(i)))
            return static_cast<HostOperator>(i);
    return std::nullopt;
}

// Attributes and tensors as the runtime has them. They are lent: the call outlives it.
class Lender {
public:
    explicit Lender(const HostCall& host) : m_name(host.call.op->name) {
        for (const lang::TensorRef& input : host.inputs)
            m_inputs.push_back(lent(*input));
        for (const auto& [name, value] : host.call.attributes.items()) {
            m_names.push_back(name);
            operators::Attribute& attribute = m_attributes.emplace_back();
            attribute.name = flat(m_names.back());
            std::visit([&](const auto& each) { lend(each, attribute); }, value);
        }
    }
    List<operators::Tensor> inputs() { return list(m_inputs); }
    List<operators::Attribute> attributes() { return list(m_attributes); }

private:
    template <class T>
    static List<T> list(std::vector<T>& values) {
        return {values.data(), static_cast<std::uint32_t>(values.size())};
    }
    operators::Tensor lent(const lang::Tensor& tensor) const {
        operators::Tensor lent;
        if (!operators::find_element(package::text(ir::info(tensor.dtype).name), lent.element))
            throw OpError(m_name, " does not read ", ir::info(tensor.dtype).name);
        lent.extents = tensor.shape.data();
        lent.rank = static_cast<std::uint32_t>(tensor.shape.size());
        lent.data = reinterpret_cast<const unsigned char*>(tensor.read());
        return lent;
    }
    void integers(Ints values, AttributeKind kind, operators::Attribute& to) {
        to.kind = kind;
        to.ints = list(m_ints.emplace_back(std::move(values)));
    }
    void reals(Floats values, AttributeKind kind, operators::Attribute& to) {
        to.kind = kind;
        to.reals = list(m_reals.emplace_back(std::move(values)));
    }
    void texts(const Texts& values, AttributeKind kind, operators::Attribute& to) {
        std::vector<package::Text>& flats = m_texts.emplace_back();
        for (const std::string& value : values)
            flats.push_back(flat(m_names.emplace_back(value)));
        to.kind = kind;
        to.texts = list(flats);
    }
    void lend(bool value, operators::Attribute& to) { integers({value}, AttributeKind::Bool, to); }
    void lend(std::int64_t value, operators::Attribute& to) { integers({value}, AttributeKind::Int, to); }
    void lend(double value, operators::Attribute& to) { reals({value}, AttributeKind::Real, to); }
    void lend(const std::string& value, operators::Attribute& to) { texts({value}, AttributeKind::Text, to); }
    void lend(ir::DType value, operators::Attribute& to) { texts({ir::info(value).name}, AttributeKind::DType, to); }
    void lend(const Ints& value, operators::Attribute& to) { integers(value, AttributeKind::Ints, to); }
    void lend(const Floats& value, operators::Attribute& to) { reals(value, AttributeKind::Reals, to); }
    void lend(const Texts& value, operators::Attribute& to) { texts(value, AttributeKind::Texts, to); }
    void lend(const Shape& value, operators::Attribute& to) {
        const auto extents = constant_shape(value);
        if (!extents)
            throw OpError(m_name, " wants extents that are known, not ", text_of(value));
        integers(*extents, AttributeKind::Shape, to);
    }
    void lend(const lang::TensorRef& value, operators::Attribute& to) {
        to.kind = AttributeKind::Weight;
        to.tensor = lent(*value);
    }
    void lend(const auto&, operators::Attribute&) { throw OpError(m_name, " has an attribute that is no data"); }

    const std::string m_name;
    std::vector<operators::Tensor> m_inputs;
    std::vector<operators::Attribute> m_attributes;
    std::deque<std::string> m_names;
    std::deque<Ints> m_ints;
    std::deque<Floats> m_reals;
    std::deque<std::vector<package::Text>> m_texts;
};

unsigned char* make_result(void* self, std::size_t which, operators::Element element, const std::int64_t* extents,
                           std::uint32_t rank, package::Problem&) {
    static unsigned char nothing; // of a tensor without elements
    const auto dtype = ir::find_dtype(operators::dtype_name(element));
    HIDET_CHECK(dtype, "a type of elements");
    lang::TensorRef& result = (*static_cast<std::vector<lang::TensorRef>*>(self))[which];
    result = host_tensor(*dtype, {extents, extents + rank});
    return result->count() > 0 ? reinterpret_cast<unsigned char*>(result->data()) : &nothing;
}

std::size_t results_of(const OpCall& call) {
    struct Unnamed : FreshSymbols { // only how many results there are is wanted
        Dim fresh(std::string_view) override { return dim(0); }
    } symbols;
    return call.op->infer(call, symbols).size();
}

} // namespace

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape) {
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    const auto bytes = static_cast<std::size_t>(ir::bytes_of(dtype));
    tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(tensor->count()) * bytes);
    return tensor;
}

std::vector<lang::TensorRef> run_on_host(const HostCall& host) {
    const auto op = operator_named(host.call.op->name);
    HIDET_CHECK(op, std::string(host.call.op->name) + " is not an operator of the host");
    std::vector<lang::TensorRef> made(results_of(host.call));
    Lender lender(host);
    package::Problem problem;
    const operators::Results results{&made, make_result};
    operators::Call call(*op, lender.inputs(), lender.attributes(), made.size(), results, problem);
    if (!operators::run(call))
        throw OpError(problem.message);
    for (const lang::TensorRef& each : made)
        HIDET_CHECK(each, "a result that was not made");
    return made;
}

OpInfo host_op(OpId id, const char* python, Parameters parameters, const char* summary, const char* example,
               std::vector<TensorSpec> (*infer)(const OpCall& call, FreshSymbols& symbols)) {
    OpInfo info{id, python, std::move(parameters), OpClass::Host, summary, example};
    info.infer = infer;
    info.run = run_on_host;
    return info;
}

bool runs_on_host(const std::string& onnx_op) {
    return operators::has_operator(HostOperator::OnnxNode, flat(onnx_op));
}

bool is_activation(const std::string& name) {
    return operators::is_activation(flat(name));
}

} // namespace hidet::graph
