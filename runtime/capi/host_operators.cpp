// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/host_operators.h"

#include "runtime/capi/dtypes.h"
#include "runtime/package/execution.h"
#include "runtime/package/input_check.h"
#include "runtime/package/plan_names.h"

namespace hidet::capi {

using namespace package;

namespace {

const Step& step_of(const HostStep& step) {
    return step.execution->body().steps[step.step];
}

Text onnx_name(const Step& step) {
    for (const PlanAttribute<Flat>& each : step.attributes)
        if (each.name == text("op") && !each.texts.empty())
            return each.texts[0];
    return {};
}

// What dense elements of these extents take; what nobody has, where that cannot be.
std::uint64_t bytes_of(operators::Element element, const std::int64_t* extents, std::uint32_t rank) {
    std::uint64_t bytes = static_cast<std::uint64_t>(scalar_bytes(element));
    for (std::uint32_t d = 0; d < rank; ++d)
        if (extents[d] < 0 || extents[d] > most_addressable || __builtin_mul_overflow(bytes, extents[d], &bytes))
            return UINT64_MAX;
    return bytes;
}

} // namespace

bool HostOperators::open(Problem& problem) {
    std::size_t inputs = 0, results = 0;
    for (Row body = no_row, next = 0; next <= m_plan.bodies.size(); body = next++)
        for (const Step& step : m_plan.body(body).steps) {
            if (step.kind != StepKind::Host)
                continue;
            if (!check(step, problem))
                return false;
            inputs = step.reads.size() > inputs ? step.reads.size() : inputs;
            results = step.writes.size() > results ? step.writes.size() : results;
        }
    return (m_memory.make(operands, inputs) && m_memory.make(m_inputs, inputs) && m_memory.make(m_results, results)) ||
           refuse(problem, Code::Memory, "memory for operators of the host");
}

bool HostOperators::check(const Step& step, Problem& problem) {
    if (is_input_check(step)) {
        m_has_input_checks = true;
        return (step.reads.size() == 1 && step.kind == StepKind::Host) ||
               refuse(problem, Code::Damaged, "the package is damaged: a check of inputs reads ", step.reads.size());
    }
    if (operators::exchanges(step.op) && !m_options.exchange)
        return refuse(problem, Code::Unsupported, "the operator '", text(enum_name(step.op)),
                      "' exchanges tensors with other processes, and this one is alone");
    const Text name = step.op == HostOperator::OnnxNode ? onnx_name(step) : text(enum_name(step.op));
    return operators::has_operator(step.op, name) ||
           refuse(problem, Code::Unsupported, "the operator '", name,
                  "', whose parameters are data, is not one that packages have");
}

bool HostOperators::check_inputs(Execution& execution, void* self, Elements elements, Problem& problem) {
    for (Row row = 0; m_has_input_checks && row < m_plan.steps.size(); ++row) {
        const Step& planned = m_plan.steps[row];
        if (!is_input_check(planned) || m_plan.values[planned.reads[0]].place != Place::Input)
            continue;
        const Value& input = m_plan.values[planned.reads[0]];
        operators::Extents extents;
        TensorValue given{input.dtype, extents.items, input.shape.count, execution.address(planned.reads[0])};
        HostStep step{&execution, row, {&given, 1}, {}};
        operators::Element element{};
        if (!execution.extents(planned.reads[0], extents.items, problem))
            return false;
        const std::uint64_t bytes =
            operators::find_element(input.dtype, element) ? bytes_of(element, extents.items, input.shape.count) : 0;
        if (bytes > given.address.bytes)
            return refuse(problem, Code::Damaged, "the package is damaged: '", input.name, "' has no place");
        operands[0] = bytes > 0 ? elements(self, planned.reads[0], bytes, problem) : &input;
        if (!operands[0] || !run(step, nullptr, nullptr, problem))
            return false;
    }
    return true;
}

struct HostOperators::Run {
    HostOperators& operators;
    HostStep& step;
    void* self;
    Make make;

    unsigned char* result(std::size_t which, operators::Element element, const std::int64_t* extents,
                          std::uint32_t rank, Problem& problem) {
        operators::Extents& kept = operators.m_results[which];
        kept.rank = rank;
        std::memcpy(kept.items, extents, rank * sizeof *extents);
        unsigned char* data = make(self, step, which, bytes_of(element, extents, rank), problem);
        TensorValue& result = step.results[which];
        result.dtype = text(operators::dtype_name(element));
        result.extents = kept.items;
        result.rank = rank;
        return data;
    }
};

bool HostOperators::run(HostStep& step, void* self, Make make, Problem& problem) {
    Memory memory;
    const Step& planned = step_of(step);
    List<operators::Attribute> attributes;
    if (!memory.make(attributes, planned.attributes.size()))
        return refuse(problem, Code::Memory, "memory for an operator");
    if (!describe(step, problem))
        return false;
    for (std::size_t i = 0; i < attributes.size(); ++i)
        if (!describe(step, planned.attributes[i], attributes[i], memory, problem))
            return false;
    Run run{*this, step, self, make};
    const operators::Results results{&run, [](void* self, std::size_t which, operators::Element element,
                                              const std::int64_t* extents, std::uint32_t rank, Problem& problem) {
                                         return static_cast<Run*>(self)->result(which, element, extents, rank, problem);
                                     }};
    const List<operators::Tensor> inputs{m_inputs.items, step.inputs.count};
    operators::Call call(planned.op, inputs, attributes, step.results.size(), results, problem);
    const operators::Others others{this, [](void* self, const operators::Exchanged& what, Problem& why) {
                                       return static_cast<HostOperators*>(self)->exchange(what, why);
                                   }};
    call.others = m_options.exchange ? &others : nullptr;
    return operators::run(call);
}

bool HostOperators::exchange(const operators::Exchanged& what, Problem& problem) const {
    constexpr const char* names[] = {"sum", "prod", "min", "max", "avg"};
    const char* reduction = "";
    for (const char* name : names)
        if (what.reduction == text(name))
            reduction = name;
    const auto view = [this](const operators::Tensor& tensor, const void* data) {
        const DTypeRow* dtype = find_dtype(text(operators::dtype_name(tensor.element)));
        return hidet_tensor{const_cast<void*>(data),
                            exchanged_on.device,
                            static_cast<int32_t>(tensor.rank),
                            dtype->dtype,
                            const_cast<std::int64_t*>(tensor.extents),
                            nullptr,
                            0};
    };
    const hidet_tensor given = view(what.given, what.given.data), made = view(what.made, what.into);
    const hidet_exchange exchange = {enum_name(what.op),
                                     reduction,
                                     static_cast<int32_t>(what.root),
                                     static_cast<int32_t>(what.size),
                                     static_cast<int32_t>(what.step),
                                     &given,
                                     &made,
                                     exchanged_on.stream};
    hidet_error error = {};
    const hidet_status status = m_options.exchange(m_options.exchange_self, &exchange, &error);
    return status == HIDET_OK ||
           refuse(problem, status == HIDET_CANCELLED ? Code::Cancelled : Code::Failed, text(error.message));
}

bool HostOperators::describe(const HostStep& step, Problem& problem) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const TensorValue& given = step.inputs[i];
        operators::Tensor& input = m_inputs[i];
        if (!operators::find_element(given.dtype, input.element))
            return refuse(problem, Code::Unsupported, "an operator of the host does not read ", given.dtype);
        if (bytes_of(input.element, given.extents, given.rank) > given.address.bytes)
            return refuse(problem, Code::Damaged, "the package is damaged: an operand of an operator is ", given.dtype,
                          " in ", given.address.bytes, " bytes");
        input.extents = given.extents;
        input.rank = given.rank;
        input.data = static_cast<const unsigned char*>(operands[i]);
    }
    return true;
}

bool HostOperators::describe(const HostStep& step, const PlanAttribute<Flat>& from, operators::Attribute& to,
                             Memory& memory, Problem& problem) {
    to = {from.name, from.kind, from.ints, from.reals, from.texts, {}};
    if (from.kind == AttributeKind::Shape) {
        if (!memory.make(to.ints, from.rows.size()))
            return refuse(problem, Code::Memory, "memory for an operator");
        for (std::size_t i = 0; i < from.rows.size(); ++i) {
            const ExprValue& extent = step.execution->expressions()[from.rows[i]];
            if (!extent.is_known)
                return refuse(problem, Code::Refused, "'", from.name, "' of an operator is not known");
            to.ints[i] = extent.value;
        }
    }
    if (from.kind != AttributeKind::Weight)
        return true;
    const PlanWeight<Flat>& weight = m_plan.weights[from.rows[0]];
    Bytes bytes;
    if (!m_package.weight(weight, bytes, problem))
        return false;
    to.tensor.extents = weight.shape.items;
    to.tensor.rank = weight.shape.count;
    to.tensor.data = bytes.data;
    return (operators::find_element(weight.dtype, to.tensor.element) &&
            bytes_of(to.tensor.element, weight.shape.items, weight.shape.count) <= bytes.count) ||
           refuse(problem, Code::Damaged, "the package is damaged: '", from.name, "' of an operator is no tensor");
}

} // namespace hidet::capi
