// SPDX-License-Identifier: Apache-2.0
// What the results of a benchmark should be.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/kernel_bench/script.h"

namespace hidet::session {

// For each argument the tensor that it should hold; null where the function writes nothing.
struct Expected {
    bool ok = false;        // false: the reason is in the work's sink
    bool is_itself = false; // the function that is measured: it was not called, and there are no tensors
    std::vector<lang::TensorRef> tensors;
    bool calls_it = false; // the function that is measured, by a function of the script: it agrees with itself
};

class ReferenceRunner {
public:
    ReferenceRunner(Work& work, const KernelBenchRequest& request, KernelBenchScript& script);
    ~ReferenceRunner();

    // In words: "'expected', a function of the script".
    std::string name() const;
    // Given the arguments as they were before the call; they are not changed.
    Expected expect(const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
                    const Arguments& args);
    // The same, with kernels of a variant on the emulator.
    Expected expect_emulated(const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
                             const Arguments& args);
    // Where modules are built and called with every check, in another order of warps than that of an emulated call.
    KernelBenchScript& emulator();
    // The call of a variant, to be made again and again; its arguments live as long as what is returned. Null: it has no function
    // that takes them, and the reason is in the work's sink.
    std::unique_ptr<Repeat> prepared_variant(const Callable& callable, const Arguments& args);
    // False: what the parameter holds is all the same to it.
    bool takes(const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
               std::size_t parameter) const;

private:
    Expected of_script_function(const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
                                const Arguments& args);
    Expected of_variant(const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
                        const Arguments& args, KernelBenchScript* in);
    Expected of_emulator(const Callable& callable, const std::vector<compiler::ParameterAccess>& accesses,
                         const Arguments& args);
    KernelBenchScript* variant_script(); // null: reported
    std::optional<Callable> variant_of(const Callable& callable, KernelBenchScript& script);

    Work& m_work;
    const KernelBenchRequest& m_request;
    KernelBenchScript& m_script;
    RunRequest m_other_run, m_emulated_run;
    std::unique_ptr<KernelBenchScript> m_other; // another script
    bool m_other_is_fine = false;
    std::unique_ptr<KernelBenchScript> m_emulator; // null until it is needed
};

// Whether a host function of this name is there to say what is right: "expected", "softmax_reference".
bool is_reference_name(std::string_view name);
// Host functions of the script that say by their name that they are references, and can serve as one; then those whose parameters
// are named as those of this function.
std::vector<std::string> references_of(const Callable& callable, KernelBenchScript& script);
// Can a host function serve as the reference of one with these parameters?
bool could_be_reference(const lang::HostFunction& host, const std::vector<ParameterView>& parameters);

} // namespace hidet::session
