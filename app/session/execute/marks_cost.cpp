// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/marks_cost.h"

#include <cstring>
#include <map>

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

} // namespace

Result<MarksSource> cost_of_marks(Gpu& gpu, GpuModule& module, const FunctionCall& call,
                                  const artifact::BlockIndex& block) {
    const KeptTensors kept(call.args);
    const bool is_number = block[1] == 0 && block[2] == 0; // else any block will do
    const auto timings = timed(gpu, module, call, is_number ? block[0] : 0);
    const bool tells_itself = !timings && timings.error().code == "call-failed"; // in the call that follows
    if (!timings && !tells_itself && timings.error().code != "out-of-device-memory")
        return timings.error(); // the device gives no bytes any more
    kept.restore();
    MarksSource out{.device = gpu.device().name()};
    if (timings)
        out.seconds_with = timings.value()[1].hot.median_us * 1e-6,
        out.seconds_without = timings.value()[0].hot.median_us * 1e-6;
    return out;
}

} // namespace hidet::session
