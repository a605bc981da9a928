// SPDX-License-Identifier: Apache-2.0
#include "app/session/debug/debug_session.h"

#include <algorithm>

#include "app/session/script/script_run.h"
#include "lang/base/text.h"
#include "runtime/toolchain/confinement.h"

namespace hidet::session {

DebugSession::DebugSession(DebugRequest request, OnEvent on_event)
    : m_request([&] {
          request.run.cancelled = &m_is_cancelled;
          request.run.all_checks = true;
          request.run.orders = 1;
          request.run.print = [this](std::string_view text) {
              m_on_event({.kind = DebugEvent::Kind::Output, .text = std::string(text)});
          };
          return std::move(request);
      }()),
      m_on_event(std::move(on_event)) {
    m_plan.only_block(m_request.block);
}

DebugSession::~DebugSession() {
    end();
    m_thread.reset();
}

void DebugSession::start() {
    if (!m_thread)
        m_thread = std::make_unique<LargeThread>([this] { run(); });
}

void DebugSession::end() {
    m_is_cancelled = true;
    const std::lock_guard lock(m_mutex);
    m_changed.notify_all();
}

// A script has its own folder and starts no programs: for good, in the thread that is its own, and in all that this one starts.
static void confine(const std::string& folder) {
    process::Confinement confinement = toolchain::confinement_of_libraries({});
    if (!folder.empty()) {
        confinement.readable.push_back(folder);
        confinement.writable.push_back(folder);
    }
    process::confine_this_thread(confinement);
}

void DebugSession::run() {
    confine(m_request.run.source.folder);
    Work work = work_for(cat("debug ", m_request.run.source.name), &m_is_cancelled, m_request.run.fault);
    guarded(work, [&] { run_into(work); });
    DebugEvent event{.kind = DebugEvent::Kind::Ended};
    finish(work, event.outcome);
    {
        const std::lock_guard lock(m_mutex);
        m_is_over = true;
        m_changed.notify_all();
    }
    m_on_event(std::move(event));
}

void DebugSession::run_into(Work& work) {
    m_work = &work;
    ScriptEngine engine(work, m_request.run, make_debugged_emulator(work, m_request.run, *this));
    const EvaluatedScript script = run_script(work, m_request.run, engine); // dies before the engine that it may call
}

// ---- on the thread of the script -------------------------------------------------------------------------------------

void DebugSession::built(DebuggedModule module) {
    const std::lock_guard lock(m_mutex);
    m_modules.push_back(std::move(module));
}

bool DebugSession::wants(const artifact::Function& kernel, const artifact::LaunchShape& /*shape*/) {
    if (!m_request.kernel.empty() && kernel.name != m_request.kernel)
        return false;
    if (++m_launches != m_request.launch)
        return false;
    std::vector<PlacedBreakpoint> placed;
    {
        const std::lock_guard lock(m_mutex);
        for (const DebuggedModule& module : m_modules)
            for (std::size_t row = 0; row < module.program->functions.size(); ++row)
                if (&module.program->functions[row] == &kernel)
                    m_kernel.emplace(&module, &module.notes.at(row),
                                     Statements(kernel, module.notes.at(row), m_work->sources));
        if (!m_kernel)
            return false;
        placed = place();
    }
    m_on_event({.kind = DebugEvent::Kind::Placed, .placed = std::move(placed)});
    return true;
}

bool DebugSession::stops(const vm::Standing& standing) {
    std::unique_lock lock(m_mutex);
    const bool stops = m_plan.stops(standing, *m_kernel);
    std::string printed = m_plan.take_printed();
    std::vector<PlacedBreakpoint> mistakes = m_plan.take_mistakes();
    lock.unlock();
    say(std::move(printed), std::move(mistakes));
    return stops;
}

bool DebugSession::stops_at_write(const vm::Standing& standing, const vm::WatchedWrite& write) {
    std::unique_lock lock(m_mutex);
    const bool stops = m_plan.stops_at_write(standing, write, *m_kernel);
    std::vector<PlacedBreakpoint> mistakes = m_plan.take_mistakes();
    lock.unlock();
    say({}, std::move(mistakes));
    return stops;
}

void DebugSession::say(std::string printed, std::vector<PlacedBreakpoint> mistakes) {
    if (!printed.empty())
        m_on_event({.kind = DebugEvent::Kind::Printed, .text = std::move(printed)});
    if (!mistakes.empty())
        m_on_event({.kind = DebugEvent::Kind::Placed, .placed = std::move(mistakes)});
}

vm::Going DebugSession::stand(const vm::Standing& standing, const vm::Stop& stop) {
    std::unique_lock lock(m_mutex);
    if (m_is_cancelled)
        return {.way = vm::Way::Leave};
    m_marks_changed = false;
    if (stop.why == vm::Why::Begin)
        m_plan.begin({}, standing, m_kernel->statements);
    // A breakpoint may be at the very first instruction.
    const bool passes_begin =
        stop.why == vm::Why::Begin && !m_request.stops_on_entry && !m_pause_asked && !m_plan.stops(standing, *m_kernel);
    if (passes_begin || (stop.why == vm::Why::Interrupted && !m_pause_asked))
        return going_on(standing);
    DebugEvent event = event_of(standing, stop);
    m_pause_asked = false;
    std::string printed = m_plan.take_printed();
    std::vector<PlacedBreakpoint> mistakes = m_plan.take_mistakes();
    m_answer = stop.writer;
    m_going.reset();
    m_standing = &standing;
    m_changed.notify_all();
    if (stop.why != vm::Why::Answer) {
        lock.unlock();
        say(std::move(printed), std::move(mistakes));
        m_on_event(std::move(event));
        lock.lock();
    }
    m_changed.wait(lock, [&] { return m_going || m_is_cancelled; });
    m_standing = nullptr;
    return m_is_cancelled ? vm::Going{.way = vm::Way::Leave} : std::move(*m_going);
}

DebugEvent DebugSession::event_of(const vm::Standing& standing, const vm::Stop& stop) {
    DebugEvent out{.kind = DebugEvent::Kind::Stopped, .thread = std::max(0, standing.first_thread())};
    switch (stop.why) {
    case vm::Why::Begin: out.reason = m_pause_asked ? StopReason::Pause : StopReason::Entry; break;
    case vm::Why::Interrupted: out.reason = StopReason::Pause; break;
    case vm::Why::Finding: out.reason = StopReason::Finding; break;
    default: out.reason = stop.is_first ? StopReason::Start : StopReason::Step;
    }
    if (stop.finding) {
        out.reason = StopReason::Finding;
        out.text = stop.finding->message;
        const auto& at = stop.finding->thread;
        const auto& shape = standing.shape().block;
        out.thread = static_cast<int>(at[0] + shape[0] * (at[1] + shape[1] * at[2]));
        for (const vm::RelatedPlace& place : stop.finding->related)
            out.text += cat("\nline ", place_of(place.origin.span, m_work->sources).line, ": ", place.message);
        return out;
    }
    const bool may_be_one =
        stop.why == vm::Why::Mark ? !stop.is_first : stop.why == vm::Why::Begin && !m_request.stops_on_entry;
    if (stop.why == vm::Why::Write)
        describe_write(standing, stop.write, out);
    if (!may_be_one || !m_plan.stops_at_breakpoint(standing, *m_kernel))
        return out;
    out.reason = StopReason::Breakpoint;
    out.breakpoints = m_plan.hit_breakpoints();
    out.thread = m_plan.hit_thread();
    return out;
}

void DebugSession::describe_write(const vm::Standing& standing, const vm::WatchedWrite& write, DebugEvent& event) {
    const DebugWatch& watch = m_plan.watch_at(write.row);
    const DebugView view(standing, *m_kernel);
    event.reason = StopReason::Write;
    event.thread = write.thread;
    event.text =
        cat("thread ", view.thread_text(write.thread), " of block ", view.block_text(), " writes ", watch.element);
    event.breakpoints = {watch.id};
}

vm::Going DebugSession::going_of(const vm::Standing& standing, const DebugMove& move) {
    if (move.by == DebugMove::By::Position)
        return {.way = vm::Way::To, .position = move.position};
    m_plan.begin(move, standing, m_kernel->statements);
    return going_on(standing);
}

vm::Going DebugSession::going_on(const vm::Standing& standing) const {
    return {.way = m_plan.is_back() ? vm::Way::Back : vm::Way::On,
            .marks = m_plan.marks(standing.kernel(), m_kernel->statements),
            .watched = m_plan.watched()};
}

// ---- on the thread of who asks ---------------------------------------------------------------------------------------

std::vector<PlacedBreakpoint> DebugSession::place() {
    return m_plan.place(m_breakpoints, {m_request.run.source.name, m_request.run.source.text},
                        m_kernel ? &m_kernel->statements : nullptr);
}

std::vector<PlacedBreakpoint> DebugSession::set_breakpoints(const std::string& file,
                                                            std::vector<DebugBreakpoint> breakpoints) {
    const std::lock_guard lock(m_mutex);
    std::set<int> ids;
    for (const DebugBreakpoint& each : breakpoints)
        ids.insert(each.id);
    m_breakpoints[file] = std::move(breakpoints);
    std::vector<PlacedBreakpoint> out = place();
    std::erase_if(out, [&](const PlacedBreakpoint& each) { return !ids.contains(each.id); });
    std::ranges::sort(out, {}, &PlacedBreakpoint::id);
    m_marks_changed = m_kernel.has_value();
    return out;
}

std::vector<PlacedBreakpoint> DebugSession::set_watches(const std::vector<DebugWatch>& watches) {
    const std::lock_guard lock(m_mutex);
    m_marks_changed = m_kernel.has_value();
    return m_plan.watch(watches);
}

bool DebugSession::is_stopped() {
    const std::lock_guard lock(m_mutex);
    return m_standing && !m_going;
}

bool DebugSession::move(DebugMove move) {
    const std::lock_guard lock(m_mutex);
    if (!m_standing || m_going)
        return false;
    m_going = going_of(*m_standing, move);
    m_changed.notify_all();
    return true;
}

void DebugSession::pause() {
    const std::lock_guard lock(m_mutex);
    if (!m_standing || m_going)
        m_pause_asked = true;
}

bool DebugSession::look(const std::function<void(const DebugView&)>& body) {
    const std::lock_guard lock(m_mutex);
    if (!m_standing || m_going)
        return false;
    body(DebugView(*m_standing, *m_kernel));
    return true;
}

std::optional<vm::Writer> DebugSession::last_writer(const vm::WatchedBytes& bytes) {
    std::unique_lock lock(m_mutex);
    if (!m_standing || m_going)
        return std::nullopt;
    m_going = vm::Going{.way = vm::Way::FindWriter, .bytes = bytes};
    m_changed.notify_all();
    m_changed.wait(lock, [&] { return m_is_over || (m_standing && !m_going) || m_is_cancelled; });
    return m_is_over ? std::nullopt : m_answer;
}

vm::Position DebugSession::position() {
    const std::lock_guard lock(m_mutex);
    return m_standing ? m_standing->position() : 0;
}

std::uint64_t DebugSession::digest() {
    const std::lock_guard lock(m_mutex);
    return m_standing ? m_standing->digest() : 0;
}

} // namespace hidet::session
