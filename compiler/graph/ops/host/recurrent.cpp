// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/recurrent.h"

#include <algorithm>

#include "compiler/graph/ops/host/activation.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

// Positions of inputs in ONNX's list.
enum Input : std::int64_t { InX, InW, InR, InBias, InLengths, InInitialH, InInitialC, InPeepholes };

std::int64_t gates_of(Cell cell) {
    return cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 3 : 4;
}

const char* name_of(Cell cell) {
    return cell == Cell::Rnn ? "rnn" : cell == Cell::Gru ? "gru" : "lstm";
}

struct Options {
    std::int64_t directions = 1;
    bool is_reverse = false; // the only direction
    bool batch_first = false;
    bool linear_before_reset = false;
    bool input_forget = false;
    std::optional<double> clip;
    std::vector<Activation> activations; // of all directions
};

std::vector<Activation> activations_of(const Attributes& attributes, Cell cell, std::int64_t directions) {
    Texts names = attributes.get<Texts>("activations");
    if (names.empty()) {
        const Texts own = cell == Cell::Rnn   ? Texts{"Tanh"}
                          : cell == Cell::Gru ? Texts{"Sigmoid", "Tanh"}
                                              : Texts{"Sigmoid", "Tanh", "Tanh"};
        for (std::int64_t d = 0; d < directions; ++d)
            names.insert(names.end(), own.begin(), own.end());
    }
    const auto wanted = static_cast<std::size_t>(directions * (cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 2 : 3));
    if (names.size() != wanted)
        throw OpError(std::string(name_of(cell)) + " wants " + std::to_string(wanted) + " activations, not " +
                      text_of(Attribute(names)));
    // Parameters are listed for those activations that take them, in order.
    const Floats alphas = attributes.get<Floats>("activation_alpha");
    const Floats betas = attributes.get<Floats>("activation_beta");
    std::size_t alpha = 0;
    std::size_t beta = 0;
    const auto next = [](const Floats& values, std::size_t& at, bool takes) {
        return takes && at < values.size() ? std::optional<double>(values[at++]) : std::nullopt;
    };
    std::vector<Activation> activations;
    for (const std::string& name : names) {
        const auto a = next(alphas, alpha, Activation::takes_alpha(name));
        const auto b = next(betas, beta, Activation::takes_beta(name));
        activations.emplace_back(name, a, b);
    }
    return activations;
}

Options options_of(const Attributes& attributes, Cell cell) {
    Options options;
    const std::string direction = attributes.get<std::string>("direction");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
        throw OpError(std::string(name_of(cell)) + " has no direction '" + direction + "'");
    options.directions = direction == "bidirectional" ? 2 : 1;
    options.is_reverse = direction == "reverse";
    options.batch_first = attributes.get<std::int64_t>("layout") != 0;
    options.linear_before_reset = attributes.get<std::int64_t>("linear_before_reset") != 0;
    options.input_forget = attributes.get<std::int64_t>("input_forget") != 0;
    if (attributes.find("clip"))
        options.clip = attributes.get<double>("clip");
    options.activations = activations_of(attributes, cell, options.directions);
    return options;
}

Ints given_inputs(const OpCall& call) {
    Ints positions = {InX, InW, InR};
    const Ints more = call.attributes.get<Ints>("given");
    positions.insert(positions.end(), more.begin(), more.end());
    if (positions.size() != call.inputs.size())
        throw OpError("a recurrent layer wants as many inputs as it names");
    return positions;
}

// One direction of a layer over one batch entry.
struct Layer {
    Cell cell;
    const Options& options;
    std::size_t direction;
    std::size_t features;
    std::size_t hidden;
    const double* w;
    const double* r;
    const double* bias;      // of W then of R; null: none
    const double* peepholes; // input, output, forget; null: none
    std::vector<double> h;
    std::vector<double> c;

    double unclipped(std::size_t which, double x) const {
        const std::size_t each = options.activations.size() / static_cast<std::size_t>(options.directions);
        return options.activations[direction * each + which](x);
    }
    double activated(std::size_t which, double x) const {
        if (options.clip)
            x = std::min(std::max(x, -*options.clip), *options.clip);
        return unclipped(which, x);
    }
    double product(const double* matrix, std::size_t row, const double* x, std::size_t count) const {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i)
            sum += matrix[row * count + i] * x[i];
        return sum;
    }
    double from_input(std::size_t gate, std::size_t i, const double* x) const {
        const std::size_t row = gate * hidden + i;
        return product(w, row, x, features) + (bias ? bias[row] : 0);
    }
    double recurrent_bias(std::size_t gate, std::size_t i) const {
        const auto gates = static_cast<std::size_t>(gates_of(cell));
        return bias ? bias[(gates + gate) * hidden + i] : 0;
    }
    double from_state(std::size_t gate, std::size_t i, const std::vector<double>& state) const {
        return product(r, gate * hidden + i, state.data(), hidden);
    }
    double gate(std::size_t which, std::size_t i, const double* x) const {
        return from_input(which, i, x) + from_state(which, i, h) + recurrent_bias(which, i);
    }
    double peephole(std::size_t which, std::size_t i, double state) const {
        return peepholes ? peepholes[which * hidden + i] * state : 0;
    }

    void step(const double* x) {
        switch (cell) {
        case Cell::Rnn: return rnn(x);
        case Cell::Gru: return gru(x);
        case Cell::Lstm: return lstm(x);
        }
    }
    void rnn(const double* x) {
        std::vector<double> next(hidden);
        for (std::size_t i = 0; i < hidden; ++i)
            next[i] = activated(0, gate(0, i, x));
        h = std::move(next);
    }
    void gru(const double* x) { // gates: update, reset, hidden
        std::vector<double> update(hidden);
        std::vector<double> reset(hidden);
        std::vector<double> kept(hidden);
        for (std::size_t i = 0; i < hidden; ++i) {
            update[i] = activated(0, gate(0, i, x));
            reset[i] = activated(0, gate(1, i, x));
            kept[i] = reset[i] * h[i];
        }
        std::vector<double> next(hidden);
        for (std::size_t i = 0; i < hidden; ++i) {
            const double past = options.linear_before_reset ? reset[i] * (from_state(2, i, h) + recurrent_bias(2, i))
                                                            : from_state(2, i, kept) + recurrent_bias(2, i);
            const double candidate = activated(1, from_input(2, i, x) + past);
            next[i] = (1 - update[i]) * candidate + update[i] * h[i];
        }
        h = std::move(next);
    }
    void lstm(const double* x) { // gates: input, output, forget, cell; peepholes: input, output, forget
        std::vector<double> next(hidden);
        for (std::size_t i = 0; i < hidden; ++i) {
            const double in = activated(0, gate(0, i, x) + peephole(0, i, c[i]));
            const double forget = options.input_forget ? 1 - in : activated(0, gate(2, i, x) + peephole(2, i, c[i]));
            const double state = forget * c[i] + in * activated(1, gate(3, i, x));
            const double out = activated(0, gate(1, i, x) + peephole(1, i, state));
            next[i] = out * unclipped(2, state); // the state is no sum of inputs
            c[i] = state;
        }
        h = std::move(next);
    }
};

struct Extents {
    std::size_t length, batch, features, hidden, directions;
};

class Run {
public:
    Run(const HostCall& host, Cell cell)
        : m_host(host), m_cell(cell), m_options(options_of(host.call.attributes, cell)) {
        const Ints positions = given_inputs(host.call);
        m_inputs.resize(8);
        for (std::size_t i = 0; i < positions.size(); ++i)
            m_inputs[static_cast<std::size_t>(positions[i])] = host.inputs[i];
        const std::vector<std::int64_t>& x = m_inputs[InX]->shape;
        const auto extent = [](std::int64_t value) { return static_cast<std::size_t>(value); };
        const bool first = m_options.batch_first;
        m_extents = {extent(x[first ? 1 : 0]), extent(x[first ? 0 : 1]), extent(x[2]), extent(m_inputs[InR]->shape[2]),
                     extent(m_options.directions)};
        check();
        for (const lang::TensorRef& input : m_inputs)
            m_values.push_back(input ? doubles_of(input) : std::vector<double>());
    }

    std::vector<lang::TensorRef> run() {
        const Extents& e = m_extents;
        m_y.resize(e.length * e.directions * e.batch * e.hidden);
        m_last_h.resize(e.directions * e.batch * e.hidden);
        m_last_c.resize(m_last_h.size());
        for (std::size_t d = 0; d < e.directions; ++d)
            for (std::size_t b = 0; b < e.batch; ++b)
                run_entry(d, b);
        const std::vector<TensorSpec> specs = infer_recurrent(concrete_call(), m_cell);
        std::vector<lang::TensorRef> results = {host_tensor(specs[0].dtype, *constant_shape(specs[0].shape), m_y),
                                                host_tensor(specs[1].dtype, *constant_shape(specs[1].shape), m_last_h)};
        if (m_cell == Cell::Lstm)
            results.push_back(host_tensor(specs[2].dtype, *constant_shape(specs[2].shape), m_last_c));
        return results;
    }

private:
    OpCall concrete_call() const {
        OpCall call = m_host.call;
        for (std::size_t i = 0; i < call.inputs.size(); ++i)
            call.inputs[i].shape = shape_of(m_host.inputs[i]->shape);
        return call;
    }
    void check() const {
        const Extents& e = m_extents;
        const auto gates = static_cast<std::size_t>(gates_of(m_cell));
        const auto require = [&](std::int64_t which, std::size_t count) {
            const lang::TensorRef& input = m_inputs[static_cast<std::size_t>(which)];
            if (input && static_cast<std::size_t>(input->count()) != count)
                throw OpError(std::string(name_of(m_cell)) + ": input " + std::to_string(which) +
                              " does not go with the others");
        };
        require(InW, e.directions * gates * e.hidden * e.features);
        require(InR, e.directions * gates * e.hidden * e.hidden);
        require(InBias, e.directions * 2 * gates * e.hidden);
        require(InLengths, e.batch);
        require(InInitialH, e.directions * e.batch * e.hidden);
        require(InInitialC, e.directions * e.batch * e.hidden);
        require(InPeepholes, e.directions * 3 * e.hidden);
    }
    const double* part(std::int64_t which, std::size_t direction) const {
        const std::vector<double>& values = m_values[static_cast<std::size_t>(which)];
        return values.empty() ? nullptr : values.data() + direction * (values.size() / m_extents.directions);
    }
    std::size_t length_of(std::size_t b) const {
        const double length = m_values[InLengths][b];
        if (!(length >= 0 && length <= static_cast<double>(m_extents.length)))
            throw OpError(cat(name_of(m_cell), ": sequence ", b, " has a length of ", length, ", and there are ",
                              m_extents.length, " steps"));
        return static_cast<std::size_t>(length);
    }
    // Of a state [directions, batch, hidden], or with the batch first.
    std::size_t state_slot(std::size_t d, std::size_t b) const {
        const Extents& e = m_extents;
        return (m_options.batch_first ? b * e.directions + d : d * e.batch + b) * e.hidden;
    }
    std::vector<double> initial(std::int64_t which, std::size_t d, std::size_t b) const {
        const std::vector<double>& values = m_values[static_cast<std::size_t>(which)];
        if (values.empty())
            return std::vector<double>(m_extents.hidden);
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(state_slot(d, b));
        return {begin, begin + static_cast<std::ptrdiff_t>(m_extents.hidden)};
    }
    void run_entry(std::size_t d, std::size_t b) {
        const Extents& e = m_extents;
        Layer layer{m_cell,
                    m_options,
                    d,
                    e.features,
                    e.hidden,
                    part(InW, d),
                    part(InR, d),
                    part(InBias, d),
                    part(InPeepholes, d),
                    initial(InInitialH, d, b),
                    initial(InInitialC, d, b)};
        std::size_t length = e.length;
        if (m_inputs[InLengths])
            length = length_of(b);
        const bool backwards = d == 1 || m_options.is_reverse;
        for (std::size_t step = 0; step < length; ++step) {
            const std::size_t t = backwards ? length - 1 - step : step;
            const std::size_t row = m_options.batch_first ? b * e.length + t : t * e.batch + b;
            layer.step(m_values[InX].data() + row * e.features);
            const std::size_t to =
                m_options.batch_first ? (b * e.length + t) * e.directions + d : (t * e.directions + d) * e.batch + b;
            std::ranges::copy(layer.h, m_y.begin() + static_cast<std::ptrdiff_t>(to * e.hidden));
        }
        std::ranges::copy(layer.h, m_last_h.begin() + static_cast<std::ptrdiff_t>(state_slot(d, b)));
        std::ranges::copy(layer.c, m_last_c.begin() + static_cast<std::ptrdiff_t>(state_slot(d, b)));
    }

    const HostCall& m_host;
    Cell m_cell;
    Options m_options;
    Extents m_extents{};
    std::vector<lang::TensorRef> m_inputs; // by position; null: not given
    std::vector<std::vector<double>> m_values;
    std::vector<double> m_y;
    std::vector<double> m_last_h;
    std::vector<double> m_last_c;
};

} // namespace

std::vector<TensorSpec> infer_recurrent(const OpCall& call, Cell cell) {
    const Options options = options_of(call.attributes, cell);
    for (std::int64_t position : given_inputs(call))
        if (position < 0 || position > InPeepholes)
            throw OpError(std::string(name_of(cell)) + " has no input " + std::to_string(position));
    const TensorSpec& x = call.inputs[0];
    for (std::size_t i = 0; i < 3; ++i)
        if (call.inputs[i].shape.size() != 3)
            throw OpError(std::string(name_of(cell)) + " wants an input and weights of three dimensions, not " +
                          text_of(call.inputs[i]));
    const Dim length = x.shape[options.batch_first ? 1 : 0];
    const Dim batch = x.shape[options.batch_first ? 0 : 1];
    const Dim hidden = call.inputs[2].shape[2];
    const Dim directions = dim(options.directions);
    const Shape y =
        options.batch_first ? Shape{batch, length, directions, hidden} : Shape{length, directions, batch, hidden};
    const Shape state = options.batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
    std::vector<TensorSpec> specs = {{x.dtype, y}, {x.dtype, state}};
    if (cell == Cell::Lstm)
        specs.push_back({x.dtype, state});
    return specs;
}

std::vector<lang::TensorRef> run_recurrent(const HostCall& host, Cell cell) {
    return Run(host, cell).run();
}

} // namespace hidet::graph
