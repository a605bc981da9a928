// SPDX-License-Identifier: Apache-2.0
// A script that runs on the emulator, stopped in one launch of a kernel by somebody who may go on and back.
//
// The script runs on a thread of its own. Where the launch stands it waits for what it is told, and whoever tells may look at
// it meanwhile. Everything that a person can ask for goes through here, so an editor's protocol and a window see the same.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/debug/debug_plan.h"
#include "app/session/work/large_thread.h"

namespace hidet::session {

struct DebugRequest {
    RunRequest run;
    std::string kernel;                               // empty: any
    std::int64_t launch = 1;                          // of those
    std::optional<std::array<std::int64_t, 3>> block; // breakpoints count in this one alone
    bool stops_on_entry = false;
};

enum class StopReason : std::uint8_t { Entry, Breakpoint, Step, Pause, Finding, Start, Write };

struct DebugEvent {
    enum class Kind : std::uint8_t { Stopped, Output, Printed, Placed, Ended }; // Printed: by breakpoints
    Kind kind{};
    StopReason reason{};                       // Stopped
    int thread = 0;                            // that it is about
    std::string text = {};                     // of a finding or a write, or the output
    std::vector<int> breakpoints = {};         // that stopped it
    std::vector<PlacedBreakpoint> placed = {}; // Placed
    Outcome outcome = {};                      // Ended
};

// Functions but events come from one thread.
class DebugSession : private ModuleDebugger {
public:
    using OnEvent = std::function<void(DebugEvent)>; // from any thread
    DebugSession(DebugRequest request, OnEvent on_event);
    ~DebugSession() override; // ends it

    void start();
    void end(); // soon
    std::vector<PlacedBreakpoint> set_breakpoints(const std::string& file, std::vector<DebugBreakpoint> breakpoints);
    std::vector<PlacedBreakpoint> set_watches(const std::vector<DebugWatch>& watches); // all of them
    bool is_stopped();
    bool move(DebugMove move); // false: it does not stand
    void pause();              // soon; a launch that is to come stands at its beginning
    // The body sees the launch as it stands. False: it does not.
    bool look(const std::function<void(const DebugView&)>& body);
    // Who wrote the bytes last: the launch runs again to find out.
    std::optional<vm::Writer> last_writer(const vm::WatchedBytes& bytes);
    vm::Position position();
    std::uint64_t digest();

private:
    void built(DebuggedModule module) override;
    bool wants(const artifact::Function& kernel, const artifact::LaunchShape& shape) override;
    bool stops(const vm::Standing& standing) override;
    bool stops_at_write(const vm::Standing& standing, const vm::WatchedWrite& write) override;
    bool interrupts() override { return m_is_cancelled || m_pause_asked || m_marks_changed; }
    vm::Going stand(const vm::Standing& standing, const vm::Stop& stop) override;
    void run();
    void run_into(Work& work);
    DebugEvent event_of(const vm::Standing& standing, const vm::Stop& stop);
    void describe_write(const vm::Standing& standing, const vm::WatchedWrite& write, DebugEvent& event);
    vm::Going going_of(const vm::Standing& standing, const DebugMove& move);
    vm::Going going_on(const vm::Standing& standing) const; // as it went
    std::vector<PlacedBreakpoint> place();                  // what can be placed
    void say(std::string printed, std::vector<PlacedBreakpoint> mistakes);

    const DebugRequest m_request;
    const OnEvent m_on_event;
    std::atomic<bool> m_is_cancelled{false}, m_pause_asked{false}, m_marks_changed{false};
    Work* m_work = nullptr; // while the script runs

    std::mutex m_mutex; // of what follows
    std::condition_variable m_changed;
    std::deque<DebuggedModule> m_modules;
    std::int64_t m_launches = 0;
    std::optional<DebuggedKernel> m_kernel;                            // while its launch runs
    std::map<std::string, std::vector<DebugBreakpoint>> m_breakpoints; // by file
    DebugPlan m_plan;
    const vm::Standing* m_standing = nullptr; // while it stands
    std::optional<vm::Going> m_going;
    std::optional<vm::Writer> m_answer;
    bool m_is_over = false;

    std::unique_ptr<LargeThread> m_thread; // last: the rest outlives it
};

} // namespace hidet::session
