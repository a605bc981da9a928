// SPDX-License-Identifier: Apache-2.0
// Branches and loops. A body is an execution of its own: it is bound to what the step gives, as a model is to its inputs, and
// runs, and what it made is taken from it. A loop hands the carried values on as they are, without copies, and copies what it
// stacks behind the parts of earlier trips, into memory that doubles.
#include "runtime/package/execution.h"
#include "runtime/package/words.h"

namespace hidet::package {

namespace {

bool has_one_element(const TensorValue& tensor) {
    for (std::uint32_t d = 0; d < tensor.rank; ++d)
        if (tensor.extents[d] != 1)
            return false;
    return true;
}

} // namespace

bool UsedBackend::allocate(std::uint64_t bytes, Address& address, Problem& problem) const {
    problem.clear();
    Buffer* buffer = table->allocate(table->self, bytes > 0 ? bytes : 1, problem);
    if (!buffer)
        return problem.code != Code::Ok ? false : refuse(problem, Code::Memory, bytes, " bytes");
    address = {buffer, 0, bytes};
    return true;
}

bool UsedBackend::goes_on(Problem& problem) const {
    return !table->is_cancelled || !table->is_cancelled(table->self) ||
           refuse(problem, Code::Cancelled, "the run was cancelled");
}

bool UsedBackend::read(const TensorValue& scalar, void* to, std::size_t bytes, Problem& problem) const {
    if (!has_one_element(scalar) || scalar.address.bytes < bytes)
        return refuse(problem, Code::Refused, "a condition or a number of trips has the shape ",
                      extents_words(scalar.extents, scalar.rank), ", and is one number");
    if (!table->read)
        return refuse(problem, Code::Unsupported, "a condition is read, which nothing here does");
    return table->read(table->self, to, scalar.address, bytes, problem) ||
           refuse_silent(problem, "a condition could not be read");
}

bool UsedBackend::read(const TensorValue& condition, bool& holds, Problem& problem) const {
    std::uint8_t byte = 0;
    if (!read(condition, &byte, 1, problem))
        return false;
    holds = byte != 0;
    return true;
}

bool UsedBackend::write(Address to, const void* from, std::size_t bytes, Problem& problem) const {
    return table->write(table->self, to, from, bytes, problem) ||
           refuse_silent(problem, "the number of a trip could not be written");
}

bool UsedBackend::copy(Address to, Address from, std::uint64_t bytes, Problem& problem) const {
    if (!table->copy)
        return refuse(problem, Code::Unsupported, "memory is copied, which nothing here does");
    return bytes == 0 || table->copy(table->self, to, from, bytes, problem) || refuse_silent(problem, "a copy failed");
}

bool UsedBackend::copy_of(Address from, std::uint64_t bytes, Address& copy, Problem& problem) const {
    if (bytes > from.bytes)
        return refuse(problem, Code::Refused, "a copy of ", bytes, " bytes leaves what is copied");
    Address made;
    if (!allocate(bytes, made, problem))
        return false;
    if (!this->copy(made, from, bytes, problem)) {
        release(made);
        return false;
    }
    copy = made;
    return true;
}

// As a buffer that is the caller's to release.
bool Execution::take_output(std::size_t output, Address& taken, Problem& problem) {
    const Row row = m_body->outputs[output];
    Address address;
    std::uint64_t bytes = 0;
    if (!make(row, address, problem) || !m_sizes.known(value(row).bytes, "a tensor", bytes, problem))
        return false;
    HeldValue& held = m_held[root_of(*m_body, row)];
    if (!held.is_owned || !m_is_last[output])
        return m_backend.copy_of(address, bytes, taken, problem);
    taken = held.address;
    held = {};
    return true;
}

bool Execution::run_branch(Row number, Problem& problem) {
    const Step& step = m_body->steps[number];
    bool holds = false;
    if (!read_operands(step, problem) || !m_backend.read(m_host.operands(step)[0], holds, problem))
        return false;
    Execution& branch = *m_shared->bodies[step.bodies[holds ? 0 : 1]];
    const List<TensorValue> made = m_host.results(step);
    bool is_ok = branch.bind(m_host.tensors.items + 1, step.reads.size() - 1, problem) && branch.run(problem);
    for (std::size_t i = 0; i < made.size() && is_ok; ++i) {
        const Row output = branch.m_body->outputs[i];
        std::int64_t* extents = m_host.extents_of_result(*m_body, step, i);
        const auto rank = static_cast<std::uint32_t>(value(step.writes[i]).shape.size());
        made[i] = {branch.value(output).dtype, extents, rank, {}};
        is_ok = branch.extents(output, extents, problem) && branch.take_output(i, made[i].address, problem);
    }
    return keep_results(step, is_ok, problem);
}

class Execution::LoopRun {
public:
    LoopRun(Execution& outer, const Step& step)
        : m_outer(outer), m_step(step), m_body(*outer.m_shared->bodies[step.bodies[0]]),
          m_first(std::size_t{step.has_trips} + step.has_condition),
          m_results(outer.m_host.results(step)), m_given{outer.m_host.tensors.items + step.reads.size() +
                                                             step.writes.size(),
                                                         static_cast<std::uint32_t>(2 + step.reads.size() - m_first)} {
        for (std::size_t i = 0; i < step.carried; ++i)
            outer.m_carried[i] = {outer.m_host.tensors[m_first + i].address, false};
        for (std::size_t i = 0; i < stacked(); ++i)
            outer.m_stacks[i] = {};
        if (outer.m_shared->loops++ == 0)
            outer.m_shared->trips = 0;
    }
    ~LoopRun() {
        --m_outer.m_shared->loops;
        for (std::size_t i = 0; i < m_step.carried; ++i)
            if (m_outer.m_carried[i].is_owned)
                backend().release(m_outer.m_carried[i].address);
        for (std::size_t i = 0; i < stacked(); ++i)
            backend().release(m_outer.m_stacks[i].address);
        backend().release(m_number);
        backend().release(m_condition);
    }
    LoopRun(const LoopRun&) = delete;
    LoopRun& operator=(const LoopRun&) = delete;

    bool run(Problem& problem) {
        std::int64_t trips = INT64_MAX;
        bool goes_on = true;
        const List<TensorValue> operands = m_outer.m_host.operands(m_step);
        if (m_step.has_trips && !backend().read(operands[0], &trips, sizeof trips, problem))
            return false;
        if (m_step.has_condition && !backend().read(operands[m_first - 1], goes_on, problem))
            return false;
        if (!give(problem))
            return false;
        for (m_done = 0; m_done < trips && goes_on; ++m_done)
            if (!make_trip(goes_on, problem))
                return false;
        return finish(problem);
    }

private:
    std::size_t stacked() const { return m_step.writes.size() - m_step.carried; }
    const UsedBackend& backend() const { return m_outer.m_backend; }
    std::int64_t* extents_of(std::size_t result) const {
        return m_outer.m_host.extents_of_result(*m_outer.m_body, m_step, result);
    }
    std::uint32_t rank_of(std::size_t result) const {
        return static_cast<std::uint32_t>(m_outer.value(m_step.writes[result]).shape.size());
    }

    // What the first trip gets, but for the numbers.
    bool give(Problem& problem) {
        if (!backend().table->write)
            return refuse(problem, Code::Unsupported, "a loop runs, which nothing here does");
        if (!backend().allocate(sizeof m_done, m_number, problem) || !backend().allocate(1, m_condition, problem))
            return false;
        m_given[0] = {text("int64"), nullptr, 0, m_number};
        m_given[1] = {text("bool"), nullptr, 0, m_condition};
        for (std::size_t i = 2; i < m_given.size(); ++i)
            m_given[i] = m_outer.m_host.tensors[m_first + i - 2];
        return true;
    }
    bool make_trip(bool& goes_on, Problem& problem) {
        const std::uint8_t holds = 1;
        if (++m_outer.m_shared->trips > most_trips)
            return refuse(problem, Code::Refused, "a loop has run ", most_trips,
                          " times, which is as often as is supported");
        return backend().goes_on(problem) && backend().write(m_number, &m_done, sizeof m_done, problem) &&
               backend().write(m_condition, &holds, 1, problem) &&
               m_body.bind(m_given.items, m_given.size(), problem) && m_body.run(problem) &&
               take_condition(goes_on, problem) && stack(problem) && carry(problem);
    }
    bool take_condition(bool& goes_on, Problem& problem) {
        const Row output = m_body.m_body->outputs[0];
        std::int64_t extents[most_rank];
        TensorValue condition{
            m_body.value(output).dtype, extents, static_cast<std::uint32_t>(m_body.value(output).shape.size()), {}};
        return m_body.extents(output, extents, problem) && m_body.make(output, condition.address, problem) &&
               backend().read(condition, goes_on, problem);
    }
    bool carry(Problem& problem) {
        for (std::size_t i = 0; i < m_step.carried; ++i) {
            const Row output = m_body.m_body->outputs[1 + i];
            TensorValue& given = m_given[2 + i];
            Address made;
            if (!m_body.extents(output, extents_of(i), problem) || !m_body.take_output(1 + i, made, problem))
                return false;
            // What the body was given may be what it makes of another value, so it goes when all are taken.
            m_results[i] = {given.dtype, extents_of(i), rank_of(i), made};
        }
        for (std::size_t i = 0; i < m_step.carried; ++i) {
            HeldValue& held = m_outer.m_carried[i];
            if (held.is_owned)
                backend().release(held.address);
            held = {m_results[i].address, true};
            m_given[2 + i] = m_results[i];
            m_results[i] = {};
        }
        return true;
    }

    bool stack(Problem& problem) {
        for (std::size_t i = 0; i < stacked(); ++i)
            if (!stack(i, problem))
                return false;
        return true;
    }
    bool stack(std::size_t number, Problem& problem) {
        const std::size_t result = m_step.carried + number;
        const Row output = m_body.m_body->outputs[1 + result];
        const std::size_t rank = m_body.value(output).shape.size();
        LoopStack& own = m_outer.m_stacks[number];
        Address part;
        std::int64_t shape[most_rank];
        std::uint64_t bytes = 0;
        if (!m_body.make(output, part, problem) || !m_body.extents(output, shape, problem) ||
            !m_body.m_sizes.known(m_body.value(output).bytes, "a tensor", bytes, problem))
            return false;
        std::int64_t* const stacked_shape = extents_of(result) + 1;
        if (m_done > 0 && std::memcmp(stacked_shape, shape, rank * sizeof *shape) != 0)
            return refuse(problem, Code::Refused, "a loop stacks ", extents_words(shape, rank), " on ",
                          extents_words(stacked_shape, rank));
        std::memcpy(stacked_shape, shape, rank * sizeof *shape);
        if (!make_room(own, bytes, problem))
            return false;
        const Address to{own.address.buffer, own.used, own.address.bytes - own.used};
        own.used += bytes;
        return bytes == 0 || copied(to, part, bytes, problem);
    }
    bool make_room(LoopStack& stack, std::uint64_t more, Problem& problem) {
        if (stack.address.buffer && more <= stack.address.bytes - stack.used)
            return true;
        Address larger;
        if (!backend().allocate(2 * stack.used + more, larger, problem))
            return false;
        if (stack.used > 0 && !copied(larger, stack.address, stack.used, problem)) {
            backend().release(larger);
            return false;
        }
        backend().release(stack.address);
        stack.address = larger;
        return true;
    }
    bool copied(Address to, Address from, std::uint64_t bytes, Problem& problem) {
        if (bytes > to.bytes || bytes > from.bytes)
            return refuse(problem, Code::Refused, "a part of ", bytes, " bytes is larger than its memory");
        return backend().copy(to, from, bytes, problem);
    }

    bool finish(Problem& problem) {
        for (std::size_t i = 0; i < m_step.carried; ++i)
            if (!finish_carried(i, problem))
                return false;
        for (std::size_t i = 0; i < stacked(); ++i)
            if (!finish_stacked(i, problem))
                return false;
        return true;
    }
    bool finish_carried(std::size_t i, Problem& problem) {
        HeldValue& held = m_outer.m_carried[i];
        m_results[i] = m_given[2 + i];
        m_results[i].address = {};
        Address made = held.address;
        std::uint64_t bytes = 0;
        // What no trip has made is the operand's.
        if (!held.is_owned &&
            (!m_outer.m_sizes.known(m_outer.value(m_step.reads[m_first + i]).bytes, "a tensor", bytes, problem) ||
             !backend().copy_of(held.address, bytes, made, problem)))
            return false;
        m_results[i].address = made;
        held = {};
        return true;
    }
    // Without trips its other extents are those that the plan knows.
    bool finish_stacked(std::size_t number, Problem& problem) {
        const std::size_t result = m_step.carried + number;
        const Value& wanted = m_outer.value(m_step.writes[result]);
        LoopStack& own = m_outer.m_stacks[number];
        std::int64_t* const shape = extents_of(result);
        shape[0] = m_done;
        for (std::size_t d = 1; d < wanted.shape.size() && m_done == 0; ++d) {
            const ExprValue& extent = m_outer.m_sizes.expressions[wanted.shape[d]];
            shape[d] = extent.is_known ? extent.value : 0;
        }
        if (!make_room(own, 0, problem))
            return false;
        m_results[result] = {m_body.value(m_body.m_body->outputs[1 + result]).dtype,
                             shape,
                             rank_of(result),
                             {own.address.buffer, 0, own.used}};
        own = {};
        return true;
    }

    Execution& m_outer;
    const Step& m_step;
    Execution& m_body;
    const std::size_t m_first; // operand that is carried
    const List<TensorValue> m_results;
    const List<TensorValue> m_given; // to the body
    Address m_number, m_condition;
    std::int64_t m_done = 0; // trips
};

bool Execution::run_loop(Row number, Problem& problem) {
    const Step& step = m_body->steps[number];
    if (!read_operands(step, problem))
        return false;
    const bool is_ok = LoopRun(*this, step).run(problem);
    return keep_results(step, is_ok, problem);
}

} // namespace hidet::package
