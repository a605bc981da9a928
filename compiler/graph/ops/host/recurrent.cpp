// SPDX-License-Identifier: Apache-2.0
// Recurrent layers.
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

enum class Cell : std::uint8_t { Rnn, Gru, Lstm };

constexpr const char* recurrent_attributes =
    "given: ints = [], hidden_size: int = None, activations: strs = [], activation_alpha: floats = [], "
    "activation_beta: floats = [], clip: float = None, linear_before_reset: int = 0, input_forget: int = 0";
constexpr std::int64_t last_input = 7; // of ONNX's list

std::int64_t directions_of(const OpCall& call) {
    const std::string direction = call.attributes.get<std::string>("direction");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
        throw OpError(call.op->python, " has no direction '", direction, "'");
    return direction == "bidirectional" ? 2 : 1;
}

void check_activations(const OpCall& call, Cell cell, std::int64_t directions) {
    const Texts names = call.attributes.get<Texts>("activations");
    const auto wanted = static_cast<std::size_t>(directions * (cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 2 : 3));
    if (!names.empty() && names.size() != wanted)
        throw OpError(call.op->python, " wants ", wanted, " activations, not ", text_of(Attribute(names)));
    for (const std::string& name : names)
        if (!is_activation(name))
            throw OpError("there is no activation '", name, "'");
}

void check_inputs(const OpCall& call) {
    const Ints& given = call.attributes.get<Ints>("given"); // after the first three
    if (given.size() + 3 != call.inputs.size())
        throw OpError("a recurrent layer wants as many inputs as it names");
    for (const std::int64_t position : given)
        if (position < 0 || position > last_input)
            throw OpError(call.op->python, " has no input ", position);
}

// Y, Y_h and, of an LSTM, Y_c.
template <Cell cell>
std::vector<TensorSpec> infer_recurrent(const OpCall& call, FreshSymbols&) {
    const std::int64_t directions = directions_of(call);
    const bool batch_first = call.attributes.get<std::int64_t>("layout") != 0;
    check_activations(call, cell, directions);
    check_inputs(call);
    const TensorSpec& x = call.inputs[0];
    for (std::size_t i = 0; i < 3; ++i)
        if (call.inputs[i].shape.size() != 3)
            throw OpError(call.op->python, " wants an input and weights of three dimensions, not ",
                          text_of(call.inputs[i]));
    const Dim length = x.shape[batch_first ? 1 : 0];
    const Dim batch = x.shape[batch_first ? 0 : 1];
    const Dim hidden = call.inputs[2].shape[2];
    const Dim ways = dim(directions);
    const Shape y = batch_first ? Shape{batch, length, ways, hidden} : Shape{length, ways, batch, hidden};
    const Shape state = batch_first ? Shape{batch, ways, hidden} : Shape{ways, batch, hidden};
    std::vector<TensorSpec> specs = {{x.dtype, y}, {x.dtype, state}};
    if (cell == Cell::Lstm)
        specs.push_back({x.dtype, state});
    return specs;
}

} // namespace

std::span<const OpInfo> op_tables::recurrent() {
    static const OpInfo table[] = {
        {.id = OpId::GRU,
         .python = "gru",
         .parameters = "x, w, r, b: tensor = None, sequence_lens: tensor = None, initial_h: tensor = None, "
                       "direction: str = 'forward', layout: int = 0",
         .cls = OpClass::Host,
         .summary = "a layer of gated recurrent units over a sequence: all hidden states, and the last ones",
         .example = "hidet.ops.gru(hidet.randn([5, 2, 3]), hidet.randn([1, 12, 3]), hidet.randn([1, 12, 4]))",
         .more = recurrent_attributes,
         .infer = infer_recurrent<Cell::Gru>,
         .run = run_on_host},
        {.id = OpId::LSTM,
         .python = "lstm",
         .parameters = "x, w, r, b: tensor = None, sequence_lens: tensor = None, initial_h: tensor = None, "
                       "initial_c: tensor = None, p: tensor = None, direction: str = 'forward', layout: int = 0",
         .cls = OpClass::Host,
         .summary = "a layer of long short-term memory over a sequence: all hidden states, and the last ones",
         .example = "hidet.ops.lstm(hidet.randn([5, 2, 3]), hidet.randn([1, 16, 3]), hidet.randn([1, 16, 4]))",
         .more = recurrent_attributes,
         .infer = infer_recurrent<Cell::Lstm>,
         .run = run_on_host},
        {.id = OpId::RNN,
         .python = "rnn",
         .parameters = "x, w, r, b: tensor = None, sequence_lens: tensor = None, initial_h: tensor = None, "
                       "direction: str = 'forward', layout: int = 0",
         .cls = OpClass::Host,
         .summary = "a recurrent layer over a sequence: all hidden states, and the last ones",
         .example = "hidet.ops.rnn(hidet.randn([5, 2, 3]), hidet.randn([1, 4, 3]), hidet.randn([1, 4, 4]))",
         .more = recurrent_attributes,
         .infer = infer_recurrent<Cell::Rnn>,
         .run = run_on_host},
    };
    return table;
}

} // namespace hidet::graph
