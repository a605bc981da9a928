// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/debug/replay.h"

#include <algorithm>

#include "lang/base/check.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr Position between_polls = 4096;              // instructions
constexpr Position first_interval = 100'000;          // instructions between checkpoints
constexpr std::int64_t checkpoint_budget = 128 << 20; // bytes
constexpr std::int64_t copied_per_instruction = 256;  // bytes: what a checkpoint costs, in instructions
constexpr std::size_t most_checkpoints = 256;
constexpr Position never = ~Position{0};

// Null: they are of a block that does not run now.
const std::byte* begin_of(const WatchedBytes& watched, const Block& block) {
    if (watched.address)
        return watched.address + watched.at;
    for (const Block* each : block.cluster)
        if (each->number == watched.block)
            return each->shared[static_cast<std::size_t>(watched.shared)].data + watched.at;
    return nullptr;
}

} // namespace

LaunchResult Replay::run(const LaunchContext& context, const std::function<void(std::string_view)>& print) {
    HIDET_CHECK(context.global, "a launch that is stopped in checks all accesses");
    m_no_marks.assign(context.kernel->code.size(), 0);
    m_marks = m_no_marks.data();
    m_goal = 0;
    m_at_goal = {.why = Why::Begin};
    m_interval = first_interval;
    LaunchResult result;
    while (true) {
        try {
            result = {};
            run_piece(context, print, result);
            if (!m_new_stop)
                return result;
            m_goal = m_new_stop->position, m_at_goal = m_new_stop->stop;
        } catch (const Rewind&) {
        } catch (FindingError& error) {
            const Position at = m_position - 1;
            if (m_position == 0 || m_is_left || m_told == at || error.finding.kind == FindingKind::Cancelled)
                throw;
            m_findings.insert_or_assign(at, error.finding);
            m_search.reset();
            m_goal = at, m_at_goal = {.why = Why::Finding};
        }
        restore(context);
    }
}

void Replay::run_piece(const LaunchContext& context, const std::function<void(std::string_view)>& print,
                       LaunchResult& result) {
    m_next = next_look();
    const std::int64_t first = m_checkpoints.empty() ? 0 : m_checkpoints[m_begin].turn;
    run_serially(
        context, first, [&](std::int64_t turn) { begin_turn(context, turn); },
        [&](std::string_view text) { print_new(text, print); }, result);
}

// ---- checkpoints -----------------------------------------------------------------------------------------------------

void Replay::begin_turn(const LaunchContext& context, std::int64_t turn) {
    if (!m_checkpoints.empty()) {
        const Checkpoint& last = m_checkpoints.back();
        if (m_is_left || turn <= last.turn || m_position - last.position < m_interval)
            return;
    }
    m_checkpoints.push_back({turn, m_position, m_printed_here, SavedMemory(context)});
    m_interval =
        std::max(m_interval, static_cast<Position>(m_checkpoints.back().memory.bytes() / copied_per_instruction));
    thin_out();
}

void Replay::thin_out() {
    const std::int64_t bytes_of_one = m_checkpoints.front().memory.bytes();
    while (m_checkpoints.size() > 1 &&
           (static_cast<std::int64_t>(m_checkpoints.size()) * bytes_of_one > checkpoint_budget ||
            m_checkpoints.size() > most_checkpoints)) {
        std::vector<Checkpoint> kept;
        for (std::size_t i = 0; i < m_checkpoints.size(); i += 2)
            kept.push_back(std::move(m_checkpoints[i]));
        m_checkpoints = std::move(kept);
        m_interval *= 2;
    }
}

std::size_t Replay::checkpoint_before(Position position) const {
    const auto behind = std::ranges::upper_bound(m_checkpoints, position, {}, &Checkpoint::position);
    return behind == m_checkpoints.begin() ? 0 : static_cast<std::size_t>(behind - m_checkpoints.begin()) - 1;
}

// What other blocks are known to have done stays known: whoever runs again finds nothing new before he comes to where he was.
void Replay::restore(const LaunchContext& context) {
    m_furthest = std::max(m_furthest, m_position);
    m_new_stop.reset();
    m_begin = m_search ? m_search->from : checkpoint_before(*m_goal);
    const Checkpoint& checkpoint = m_checkpoints[m_begin];
    checkpoint.memory.restore();
    m_position = checkpoint.position;
    m_printed_here = checkpoint.printed;
    if (checkpoint.turn > 0)
        return;
    context.global->shadows.clear();
    context.global->published.assign(1, {});
}

void Replay::print_new(std::string_view text, const std::function<void(std::string_view)>& print) {
    const std::size_t known = std::min(text.size(), m_printed - std::min(m_printed, m_printed_here));
    m_printed_here += text.size();
    m_printed = std::max(m_printed, m_printed_here);
    if (print && known < text.size())
        print(text.substr(known));
}

// ---- looks -----------------------------------------------------------------------------------------------------------

Position Replay::next_look() const {
    if (m_is_left)
        return never;
    const Position poll = m_position + between_polls;
    if (m_search && m_search->finds_writer)
        return m_search->end;
    if (m_goal)
        return *m_goal;
    const Position next = m_search ? std::min(poll, m_search->end) : poll;
    const auto finding = m_findings.upper_bound(m_position);
    return finding == m_findings.end() ? next : std::min(next, finding->first);
}

void Replay::look(Block& block, Group& group) {
    const Standing standing(block, group, m_position, group.pc);
    if (m_new_stop)
        rewind_to(m_new_stop->position, m_new_stop->stop);
    if (m_search)
        look_back(standing);
    else if (const std::optional<Stop> stop = stop_here(standing))
        stand(standing, *stop);
    m_next = std::max(next_look(), m_position + 1);
}

std::optional<Stop> Replay::stop_here(const Standing& standing) {
    if (m_goal) {
        if (m_position < *m_goal)
            return std::nullopt;
        m_goal.reset();
        return m_at_goal;
    }
    if (m_findings.contains(m_position))
        return Stop{.why = Why::Finding};
    if (m_marks[standing.pc()] && m_debugger.stops(standing))
        return Stop{.why = Why::Mark};
    if (m_debugger.interrupts())
        return Stop{.why = Why::Interrupted};
    return std::nullopt;
}

void Replay::stand(const Standing& standing, Stop stop) {
    m_marks = m_no_marks.data();
    m_watched.clear();
    m_stood = m_position;
    while (true) {
        if (const auto found = m_findings.find(m_position); found != m_findings.end()) {
            stop.finding = &found->second;
            m_told = m_position;
        }
        Going going = m_debugger.stand(standing, stop);
        if (going.way == Way::On || going.way == Way::Back) {
            m_asked_marks = std::move(going.marks);
            m_watched = std::move(going.watched);
        }
        if (go(std::move(going), m_position))
            return;
        stop = {.why = Why::Position};
    }
}

bool Replay::go(Going going, Position position) {
    m_asked_marks.resize(m_no_marks.size());
    switch (going.way) {
    case Way::On: m_marks = m_asked_marks.data(); return true;
    case Way::Leave: m_is_left = true; return true;
    case Way::To:
        if (going.position == position)
            return false;
        if (going.position < position)
            rewind_to(going.position, {.why = Why::Position});
        m_goal = going.position, m_at_goal = {.why = Why::Position};
        return true;
    case Way::Back:
    case Way::FindWriter:
        m_search = Search{.end = position, .finds_writer = going.way == Way::FindWriter, .came_from = position};
        if (m_search->finds_writer)
            m_watched = {going.bytes};
        if (position == 0)
            end_search();
        m_search->from = checkpoint_before(position - 1);
        m_marks = going.way == Way::Back ? m_asked_marks.data() : m_no_marks.data();
        throw Rewind{};
    }
    return true;
}

void Replay::rewind_to(Position position, Stop stop) {
    m_goal = position;
    m_at_goal = std::move(stop);
    m_search.reset();
    m_marks = m_no_marks.data();
    m_watched.clear();
    throw Rewind{};
}

// ---- the way back ----------------------------------------------------------------------------------------------------

void Replay::look_back(const Standing& standing) {
    if (m_position >= m_search->end)
        end_search();
    if (m_search->finds_writer)
        return;
    if (m_debugger.interrupts())
        rewind_to(m_search->came_from, {.why = Why::Interrupted});
    if (m_findings.contains(m_position) || (m_marks[standing.pc()] && m_debugger.stops(standing)))
        m_search->hit = m_position, m_search->write.reset();
}

// Of the piece that was looked through: nothing there, and it goes on with the one before. Shared memory is of a block that
// began in this piece.
void Replay::end_search() {
    Search& search = *m_search;
    const bool may_be_earlier = !search.finds_writer || m_watched.front().address;
    if (!search.hit && search.from > 0 && may_be_earlier) {
        search.end = m_checkpoints[search.from].position;
        --search.from;
        throw Rewind{};
    }
    if (search.finds_writer)
        rewind_to(search.came_from, {.why = Why::Answer, .writer = search.writer});
    if (!search.hit)
        rewind_to(0, {.why = Why::Mark, .is_first = true});
    if (m_findings.contains(*search.hit))
        rewind_to(*search.hit, {.why = Why::Finding});
    if (search.write)
        rewind_to(*search.hit, {.why = Why::Write, .write = *search.write});
    rewind_to(*search.hit, {.why = Why::Mark});
}

void Replay::note_write(Block& block, const Group& group, const Written& written) {
    for (std::size_t row = 0; row < m_watched.size(); ++row) {
        const std::byte* begin = begin_of(m_watched[row], block);
        if (!begin || written.address >= begin + m_watched[row].bytes || written.address + written.bytes <= begin)
            continue;
        const WatchedWrite write{m_position - 1, row, written.lane};
        if (m_search && m_search->finds_writer)
            note_writer(block, group, written);
        else if (write.position != m_stood &&
                 m_debugger.stops_at_write(Standing(block, group, write.position, group.pc - 1), write))
            note_stop(write);
    }
}

// What is there besides comes first, as on the way on.
void Replay::note_stop(const WatchedWrite& write) {
    if (m_search) {
        if (m_search->hit != write.position)
            m_search->hit = write.position, m_search->write = write;
    } else if (!m_new_stop) {
        m_new_stop = NewStop{write.position, {.why = Why::Write, .write = write}};
        m_next = m_position; // where it looks next, it goes back
    }
}

void Replay::note_writer(const Block& block, const Group& group, const Written& written) {
    if (m_search->hit != m_position - 1) {
        m_search->hit = m_position - 1;
        m_search->writer = Writer{.position = m_position - 1,
                                  .block = {block.index[0], block.index[1], block.index[2]},
                                  .threads = std::vector<std::uint32_t>(static_cast<std::size_t>(block.warps)),
                                  .pc = group.pc - 1,
                                  .is_unit = written.is_unit};
    }
    m_search->writer->threads[static_cast<std::size_t>(written.lane / 32)] |= std::uint32_t{1} << written.lane % 32;
}

void Replay::found(const Finding& finding) {
    if (m_is_left || m_position == 0)
        return;
    m_findings.try_emplace(m_position - 1, finding);
    if (m_search)
        return;
    m_new_stop = NewStop{m_position - 1, {.why = Why::Finding}};
    m_next = m_position;
}

} // namespace hidet::vm
