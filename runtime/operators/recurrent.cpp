// SPDX-License-Identifier: Apache-2.0
// Recurrent layers as ONNX has them: one hidden state after the other, in either direction or both.
#include <algorithm>

#include "runtime/operators/activation.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

enum class Cell : std::uint8_t { Rnn, Gru, Lstm };

// Positions of inputs in ONNX's list.
enum Input : std::size_t { InX, InW, InR, InBias, InLengths, InInitialH, InInitialC, InPeepholes, input_count };

constexpr std::size_t most_activations = 3; // of a direction

std::int64_t gates_of(Cell cell) {
    return cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 3 : 4;
}
std::size_t activations_of(Cell cell) {
    return cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 2 : 3;
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
    bool is_clipped = false;
    double clip = 0;
    Activation activations[2][most_activations]; // by direction
};

bool read_activations(Call& call, Cell cell, Options& options) {
    const Text own[3][most_activations] = {
        {text("Tanh")}, {text("Sigmoid"), text("Tanh")}, {text("Sigmoid"), text("Tanh"), text("Tanh")}};
    const List<Text> names = call.words("activations");
    const std::size_t each = activations_of(cell), wanted = static_cast<std::size_t>(options.directions) * each;
    if (!names.empty() && names.size() != wanted)
        return call.refuse(name_of(cell), " wants ", wanted, " activations, not ", names.size());
    Parameters rest{call.reals("activation_alpha"), call.reals("activation_beta")};
    for (std::size_t i = 0; i < wanted; ++i) {
        const Text name = names.empty() ? own[static_cast<std::size_t>(cell)][i % each] : names[i];
        if (!find_activation(call, name, rest, options.activations[i / each][i % each]))
            return false;
    }
    return true;
}

bool read_options(Call& call, Cell cell, Options& options) {
    const Text direction = call.word("direction", "forward");
    options.is_reverse = direction == text("reverse");
    options.directions = direction == text("bidirectional") ? 2 : 1;
    if (options.directions == 1 && !options.is_reverse && !(direction == text("forward")))
        return call.refuse(name_of(cell), " has no direction '", direction, "'");
    options.batch_first = call.integer("layout") != 0;
    options.linear_before_reset = call.integer("linear_before_reset") != 0;
    options.input_forget = call.integer("input_forget") != 0;
    options.is_clipped = call.find("clip") != nullptr;
    options.clip = call.real("clip");
    return read_activations(call, cell, options);
}

// One direction of a layer over one entry of the batch.
struct Layer {
    Cell cell;
    const Options& options;
    const Activation* activations;
    std::size_t features, hidden;
    const double* w;
    const double* r;
    const double* bias;      // of W then of R; null: none
    const double* peepholes; // input, output, forget; null: none
    double* h;
    double* c;
    double* next;
    double* scratch; // of a gated unit: update, reset, what is kept

    double activated(std::size_t which, double x) const {
        if (options.is_clipped)
            x = std::min(std::max(x, -options.clip), options.clip);
        return activations[which](x);
    }
    static double product(const double* matrix, std::size_t row, const double* x, std::size_t count) {
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
        return bias ? bias[(static_cast<std::size_t>(gates_of(cell)) + gate) * hidden + i] : 0;
    }
    double from_state(std::size_t gate, std::size_t i, const double* state) const {
        return product(r, gate * hidden + i, state, hidden);
    }
    double gate(std::size_t which, std::size_t i, const double* x) const {
        return from_input(which, i, x) + from_state(which, i, h) + recurrent_bias(which, i);
    }
    double peephole(std::size_t which, std::size_t i, double state) const {
        return peepholes ? peepholes[which * hidden + i] * state : 0;
    }

    void step(const double* x) {
        switch (cell) {
        case Cell::Rnn: rnn(x); break;
        case Cell::Gru: gru(x); break;
        case Cell::Lstm: lstm(x); break;
        }
        std::copy(next, next + hidden, h);
    }
    void rnn(const double* x) {
        for (std::size_t i = 0; i < hidden; ++i)
            next[i] = activated(0, gate(0, i, x));
    }
    void gru(const double* x) { // gates: update, reset, hidden
        double *update = scratch, *reset = update + hidden, *kept = reset + hidden;
        for (std::size_t i = 0; i < hidden; ++i) {
            update[i] = activated(0, gate(0, i, x));
            reset[i] = activated(0, gate(1, i, x));
            kept[i] = reset[i] * h[i];
        }
        for (std::size_t i = 0; i < hidden; ++i) {
            const double past = options.linear_before_reset ? reset[i] * (from_state(2, i, h) + recurrent_bias(2, i))
                                                            : from_state(2, i, kept) + recurrent_bias(2, i);
            const double candidate = activated(1, from_input(2, i, x) + past);
            next[i] = (1 - update[i]) * candidate + update[i] * h[i];
        }
    }
    void lstm(const double* x) { // gates: input, output, forget, cell; peepholes: input, output, forget
        for (std::size_t i = 0; i < hidden; ++i) {
            const double in = activated(0, gate(0, i, x) + peephole(0, i, c[i]));
            const double forget = options.input_forget ? 1 - in : activated(0, gate(2, i, x) + peephole(2, i, c[i]));
            const double state = forget * c[i] + in * activated(1, gate(3, i, x));
            const double out = activated(0, gate(1, i, x) + peephole(1, i, state));
            next[i] = out * activations[2](state); // the state is no sum of inputs: it is not clipped
            c[i] = state;
        }
    }
};

class Run {
public:
    Run(Call& call, Cell cell) : m_call(call), m_cell(cell) {}

    bool run() {
        if (!read_options(m_call, m_cell, m_options) || !find_inputs() || !read_extents() || !check())
            return false;
        for (std::size_t i = 0; i < input_count; ++i)
            if (m_inputs[i] && !m_call.read(*m_inputs[i], m_values[i]))
                return false;
        const std::int64_t states = m_directions * m_batch * m_hidden;
        if (!(m_call.make(m_y, m_length * states) && m_call.make(m_last_h, states) && m_call.make(m_last_c, states) &&
              m_call.make(m_scratch, 6 * m_hidden)))
            return false;
        for (std::int64_t d = 0; d < m_directions; ++d)
            for (std::int64_t b = 0; b < m_batch; ++b)
                if (!run_entry(d, b))
                    return false;
        return give();
    }

private:
    bool find_inputs() {
        const List<std::int64_t> given = m_call.integers("given"); // positions of those after the first three
        if (!m_call.takes(3, input_count, m_cell == Cell::Lstm ? 3 : 2))
            return false;
        if (m_call.inputs.size() != 3 + given.size())
            return m_call.refuse("a recurrent layer wants as many inputs as it names");
        for (std::size_t i = 0; i < m_call.inputs.size(); ++i) {
            const std::int64_t position = i < 3 ? static_cast<std::int64_t>(i) : given[i - 3];
            if (position < 0 || position >= static_cast<std::int64_t>(input_count))
                return m_call.refuse(name_of(m_cell), " has no input ", position);
            m_inputs[position] = &m_call.inputs[i];
        }
        return true;
    }
    bool read_extents() {
        for (std::size_t i = 0; i < 3; ++i)
            if (m_inputs[i]->rank != 3)
                return m_call.refuse(name_of(m_cell), " wants an input and weights of three dimensions");
        const std::int64_t* x = m_inputs[InX]->extents;
        m_length = x[m_options.batch_first ? 1 : 0];
        m_batch = x[m_options.batch_first ? 0 : 1];
        m_features = x[2];
        m_hidden = m_inputs[InR]->extents[2];
        m_directions = m_options.directions;
        constexpr std::int64_t largest = 1 << 28; // so that no count of weights overflows
        return (m_features <= largest && m_hidden <= largest) ||
               m_call.refuse(name_of(m_cell), " of ", m_features, " features and ", m_hidden, " states");
    }
    bool is_of(std::size_t which, std::int64_t count) {
        return !m_inputs[which] || count_of(*m_inputs[which]) == count ||
               m_call.refuse(name_of(m_cell), ": input ", which, " does not go with the others");
    }
    bool check() {
        const std::int64_t gates = gates_of(m_cell);
        return is_of(InW, m_directions * gates * m_hidden * m_features) &&
               is_of(InR, m_directions * gates * m_hidden * m_hidden) &&
               is_of(InBias, m_directions * 2 * gates * m_hidden) && is_of(InLengths, m_batch) &&
               is_of(InInitialH, m_directions * m_batch * m_hidden) &&
               is_of(InInitialC, m_directions * m_batch * m_hidden) && is_of(InPeepholes, m_directions * 3 * m_hidden);
    }
    const double* part(Input which, std::int64_t direction) const {
        const List<double>& values = m_values[which];
        return values.empty() ? nullptr : values.items + direction * (values.count / m_directions);
    }
    bool length_of(std::int64_t b, std::int64_t& length) {
        length = m_length;
        if (!m_inputs[InLengths])
            return true;
        const double wanted = m_values[InLengths][static_cast<std::size_t>(b)];
        if (!(wanted >= 0 && wanted <= static_cast<double>(m_length)))
            return m_call.refuse(name_of(m_cell), ": sequence ", b, " has a length that is not between 0 and ",
                                 m_length, ", the number of steps");
        length = static_cast<std::int64_t>(wanted);
        return true;
    }
    // Of a state [directions, batch, hidden], or with the batch first.
    std::int64_t state_slot(std::int64_t d, std::int64_t b) const {
        return (m_options.batch_first ? b * m_directions + d : d * m_batch + b) * m_hidden;
    }
    void begin(Input which, std::int64_t slot, double* state) const {
        const List<double>& values = m_values[which];
        for (std::int64_t i = 0; i < m_hidden; ++i)
            state[i] = values.empty() ? 0 : values.items[slot + i];
    }
    bool run_entry(std::int64_t d, std::int64_t b) {
        const auto hidden = static_cast<std::size_t>(m_hidden);
        double* next = m_scratch.items;
        Layer layer{m_cell,
                    m_options,
                    m_options.activations[d],
                    static_cast<std::size_t>(m_features),
                    hidden,
                    part(InW, d),
                    part(InR, d),
                    part(InBias, d),
                    part(InPeepholes, d),
                    next + hidden,
                    next + 2 * hidden,
                    next,
                    next + 3 * hidden};
        begin(InInitialH, state_slot(d, b), layer.h);
        begin(InInitialC, state_slot(d, b), layer.c);
        std::int64_t length = 0;
        if (!length_of(b, length))
            return false;
        const bool is_backwards = d == 1 || m_options.is_reverse;
        for (std::int64_t step = 0; step < length; ++step) {
            const std::int64_t t = is_backwards ? length - 1 - step : step;
            const std::int64_t row = m_options.batch_first ? b * m_length + t : t * m_batch + b;
            layer.step(m_values[InX].items + row * m_features);
            const std::int64_t to =
                m_options.batch_first ? (b * m_length + t) * m_directions + d : (t * m_directions + d) * m_batch + b;
            std::copy(layer.h, layer.h + hidden, m_y.items + to * m_hidden);
        }
        std::copy(layer.h, layer.h + hidden, m_last_h.items + state_slot(d, b));
        std::copy(layer.c, layer.c + hidden, m_last_c.items + state_slot(d, b));
        return true;
    }
    bool give() {
        const Element element = m_inputs[InX]->element;
        const bool first = m_options.batch_first;
        const Extents y = first ? Extents{{m_batch, m_length, m_directions, m_hidden}, 4}
                                : Extents{{m_length, m_directions, m_batch, m_hidden}, 4};
        const Extents state =
            first ? Extents{{m_batch, m_directions, m_hidden}, 3} : Extents{{m_directions, m_batch, m_hidden}, 3};
        return m_call.give(0, element, y, m_y) && m_call.give(1, element, state, m_last_h) &&
               (m_cell != Cell::Lstm || m_call.give(2, element, state, m_last_c));
    }

    Call& m_call;
    const Cell m_cell;
    Options m_options;
    const Tensor* m_inputs[input_count] = {}; // by position; null: not given
    List<double> m_values[input_count];
    std::int64_t m_length = 0, m_batch = 0, m_features = 0, m_hidden = 0, m_directions = 0;
    List<double> m_y, m_last_h, m_last_c;
    List<double> m_scratch; // the next state, the hidden and the cell state, three gates
};

} // namespace

namespace host_operator {

bool Rnn(Call& call) {
    return Run(call, Cell::Rnn).run();
}

bool Gru(Call& call) {
    return Run(call, Cell::Gru).run();
}

bool Lstm(Call& call) {
    return Run(call, Cell::Lstm).run();
}

} // namespace host_operator

} // namespace hidet::operators
