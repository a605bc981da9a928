// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/marks_cost.h"

#include <cstring>
#include <map>
#include <set>

#include "app/session/execute/launched_kernels.h"
#include "runtime/cuda/timing.h"

namespace hidet::session {

namespace {

constexpr cuda::TimingOptions few_samples{.warm_up_ms = 5, .budget_ms = 60, .most_samples = 200};

// The bytes of the tensors that a call is given.
class KeptTensors {
public:
    explicit KeptTensors(const std::vector<lang::CallArgument>& args) {
        for (const lang::CallArgument& arg : args)
            if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor)
                keep(*(*tensor)->storage);
    }
    void restore() const {
        for (const auto& [storage, bytes] : m_kept) {
            std::byte* to = storage->write(); // a device takes it from there
            if (!bytes.empty())
                std::memcpy(to, bytes.data(), bytes.size());
        }
    }

private:
    void keep(lang::Storage& storage) {
        std::vector<std::byte>& bytes = m_kept[&storage];
        if (!storage.uninitialised && bytes.empty())
            bytes.assign(storage.read(), storage.read() + storage.bytes);
    }
    std::map<lang::Storage*, std::vector<std::byte>> m_kept;
};

Result<std::vector<cuda::Timing>> timed(Gpu& gpu, GpuModule& module, const FunctionCall& call, std::int64_t block) {
    GpuRepeat without(gpu, *module.unmarked, call), with(gpu, module, call);
    const cuda::Timer::Work variants[] = {[&] { return without.start(); }, [&] { return with.start(); }};
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(gpu.backend.stream(), few_samples));
    if (auto chosen = gpu.backend.write_marks(module.program, block); !chosen)
        return chosen.error();
    Result<std::vector<cuda::Timing>> timings = timer->compare(variants);
    if (auto ended = gpu.backend.write_marks(module.program, std::nullopt); !ended)
        return ended.error();
    return timings;
}

MarksCost cost_in(const std::vector<cuda::Timing>& timings) {
    return {timings[1].hot.median_us * 1e-6, timings[0].hot.median_us * 1e-6};
}

// Each kernel by itself: what marks cost it is not hidden by what others take.
Result<std::map<std::string, MarksCost>> timed_alone(Gpu& gpu, GpuModule& module, const FunctionCall& call,
                                                     std::int64_t block) {
    std::map<std::string, MarksCost> out;
    const std::set<std::string> kernels = launched_kernels(module.program, call.function);
    for (const std::string& kernel : kernels) {
        if (kernels.size() == 1)
            break;
        gpu.backend.launch_only(kernel);
        const auto timings = timed(gpu, module, call, block);
        gpu.backend.launch_only("");
        if (!timings)
            return timings.error();
        out.emplace(kernel, cost_in(timings.value()));
    }
    return out;
}

} // namespace

Result<MarksSource> cost_of_marks(Gpu& gpu, GpuModule& module, const FunctionCall& call,
                                  const artifact::BlockIndex& block) {
    const KeptTensors kept(call.args);
    // A number is {number, -1, -1}, and that of an index in the first row is its x; else any block will do.
    const bool is_number_known = block[1] <= 0 && block[2] <= 0;
    const std::int64_t marked = is_number_known ? block[0] : 0;
    const auto timings = timed(gpu, module, call, marked);
    const bool tells_itself = !timings && timings.error().code == "call-failed"; // in the call that follows
    if (!timings && !tells_itself && timings.error().code != "out-of-device-memory")
        return timings.error(); // the device gives no bytes any more
    MarksSource out;
    out.device = gpu.device().name();
    if (timings) {
        out.call = cost_in(timings.value());
        HIDET_TRY(out.kernels, timed_alone(gpu, module, call, marked));
    }
    kept.restore();
    return out;
}

} // namespace hidet::session
