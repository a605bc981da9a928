// SPDX-License-Identifier: Apache-2.0
// One call of the function that is measured, at one size: made, checked, measured.
#pragma once

#include <vector>

#include "app/session/bench/measure.h"
#include "app/session/compare/expectation.h"
#include "app/session/kernel_bench/reference.h"

namespace hidet::session {

struct OtherSize;

struct Attempt {
    Verdict verdict;
    std::vector<std::string> remarks; // to one that is right
    std::string shapes;               // "f32[64, 80], f32[64, 96], 64"
    std::string where;
    bool is_emulated = false;
    std::vector<Comparison> comparisons;
    std::vector<SavedTensor> tensors;
    std::optional<BenchRow> measured;
    std::string unmeasured; // why
    std::vector<KernelLaunch> launches;
    std::string gpu_arch;   // of the GPU that it ran on
    std::string other_size; // that it is right at too: "n = 32, emulated"; empty: none
};

// Beside a reference that was found, not named.
enum class Agreement : std::uint8_t { Unknown, Agrees, Differs };
enum class Difference : std::uint8_t { IsIgnored, Counts };

double emulated_seconds(const Attempt& made, const BenchRow& row); // of a call, about
// So that several calls on the emulator, or of host code, are no time that anybody waits for.
bool takes_little(const Attempt& made, const BenchRow& row);

class Attempter {
public:
    Attempter(Work& work, const KernelBenchRequest& request, KernelBenchScript& script)
        : m_work(work), m_request(request), m_script(script), m_reference(work, request, script),
          m_measurer(work, request.run) {}

    // `at` says which one of several it is: " at m = 4". Progress is told before each part.
    Attempt run(const Callable& callable, const std::vector<Dimension>& dimensions, const std::string& at,
                const std::function<void(const std::string&)>& progress);
    // What the script's own call of the function was, where its checks have judged it.
    Attempt of_script(const Callable& callable) const;
    std::string reference() const { return m_reference.name(); }
    // What else is asked of a function that is right so far, or that nothing was compared with: nothing where the reference says
    // something else of the script's call, or nothing at all.
    Agreement look_further(Attempt& out, const Callable& callable, Difference difference);
    // When nothing more is asked of it.
    void conclude(Attempt& out, const Callable& callable);

private:
    // A call after the first one.
    struct Round {
        std::string when;
        DiagId id = DiagId::TryWrong;
        double widened = 1;       // how many times the tolerance is as wide
        bool finite_only = false; // what should not be finite may be anything
        bool is_remark = false;   // to what is right all the same
    };

    void check(Attempt& out, const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
               const Arguments& before, const Arguments& after, const std::string& at);
    void compare_all(Attempt& out, const Callable& callable, const Expected& expected, const Arguments& after,
                     const Round& round) const;
    std::vector<SavedTensor> saved(const Attempt& out, const Callable& callable,
                                   const std::vector<compiler::ParameterAccess>& accesses,
                                   const Arguments& after) const;
    void find_owners(Attempt& out, const Callable& callable, Executable& module, const Arguments& before,
                     const std::vector<compiler::ParameterAccess>& accesses, const Arguments& after);
    bool writes_outside(Attempt& out, const Callable& callable, const Arguments& guarded);
    void call_invalid(Attempt& out, const Callable& callable, const std::string& why);
    void judge_clocks(Attempt& out, const Callable& callable);
    void judge(Attempt& out, const Callable& callable, const std::string& at);
    Result<std::unique_ptr<Baseline>> baseline_of(const Callable& callable, Executable& module, Repeat& repeat,
                                                  const Arguments& args);
    Result<std::unique_ptr<Baseline>> other_baseline(const Callable& callable, const Arguments& args, Repeat& mine);
    void measure(Attempt& out, const Callable& callable, Executable& module, Repeat& repeat, const Arguments& args);
    void check_again(Attempt& out, const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
                     const Arguments& after);
    void compare_later(Attempt& out, const Callable& callable, const Expected& expected, const Arguments& after,
                       const Round& round);
    bool may_be_wrong(const Attempt& out) const; // it is right so far, and will be looked into further
    void check_own_results(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& before,
                           const Arguments& after);
    void ask_more(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& asked,
                  const Arguments& after, const std::string& at);
    ArgumentPlan drawn_anew(const ArgumentPlan& plan, Fill random) const;
    static bool takes_special(const ArgumentPlan& drawn, const Arguments& args);
    void check_others(Attempt& out, Executable& module, const ArgumentPlan& other, const Arguments& after,
                      const Round& round);
    void check_other_inputs(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after);
    void check_special(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after);
    void check_not_finite(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after);
    void check_other_size(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& asked);
    bool try_size(Attempt& out, const ArgumentPlan& plan, const Arguments& asked, const OtherSize& size);

    Work& m_work;
    const KernelBenchRequest& m_request;
    KernelBenchScript& m_script;
    ReferenceRunner m_reference;
    std::optional<KernelBenchRequest> m_other_request; // of what it is measured beside, where that is a script
    std::unique_ptr<ReferenceRunner> m_other;
    Measurer m_measurer;
    BenchRow m_row; // of the call, without times
    Expected m_expected;
    std::vector<KernelTile> m_tiles;                           // of the call
    std::vector<std::shared_ptr<const vm::OwnerMap>> m_owners; // likewise, by argument, where something is wrong
};

} // namespace hidet::session
