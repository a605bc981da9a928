// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/launch.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "lang/base/helpers.h"

namespace hidet::vm {

namespace {

constexpr std::size_t cache_bytes = 96 * 1024; // of registers of the threads that run together; measured
constexpr int fewest_lanes = 64;
constexpr std::size_t resident_blocks = 64; // that may wait for each other
constexpr int fruitless_rounds = 2000;      // after which nobody is believed to come

// What the host threads of a launch share.
struct Progress {
    std::mutex mutex;
    std::int64_t next = 0;
    std::int64_t blocks = 0;
    std::int64_t first_bad = -1; // block of the finding
    std::optional<Finding> finding;
    std::exception_ptr error; // ours
    std::map<std::int64_t, std::string> output;
    LaunchResult result;
};

void add(Statistics& to, const Statistics& from) {
    to.instructions += from.instructions;
    to.thread_instructions += from.thread_instructions;
    to.blocks += from.blocks;
    to.flops += from.flops;
}

std::int64_t take_block(Progress& progress) {
    std::lock_guard lock(progress.mutex);
    if (progress.first_bad >= 0 || progress.error || progress.next >= progress.blocks)
        return -1;
    return progress.next++;
}

void note_finding(Progress& progress, std::int64_t block, Finding finding) {
    std::lock_guard lock(progress.mutex);
    if (progress.first_bad >= 0 && progress.first_bad < block)
        return;
    progress.first_bad = block;
    progress.finding = std::move(finding);
}

// A block alone: while it waits, only its own groups can help it.
void run_alone(Block& block) {
    int fruitless = 0;
    while (block.run() == BlockStatus::Waiting) {
        fruitless = block.made_progress() ? 0 : fruitless + 1;
        if (fruitless > fruitless_rounds)
            block.fail_waiting();
    }
}

void run_worker(const LaunchContext& context, Progress& progress) {
    try {
        Block block(context);
        for (std::int64_t number = take_block(progress); number >= 0; number = take_block(progress)) {
            try {
                block.start(number);
                run_alone(block);
            } catch (FindingError& error) {
                note_finding(progress, number, std::move(error.finding));
            }
            if (std::string text = block.take_output(); !text.empty()) {
                std::lock_guard lock(progress.mutex);
                progress.output[number] = std::move(text);
            }
        }
        std::lock_guard lock(progress.mutex);
        add(progress.result.statistics, block.statistics());
        progress.result.steps += block.steps();
    } catch (...) {
        std::lock_guard lock(progress.mutex);
        progress.error = std::current_exception();
    }
}

// One host thread; a block that waits for another one makes room for it.
void run_in_order(const LaunchContext& context, Progress& progress,
                  const std::function<void(std::string_view)>& print) {
    std::deque<std::unique_ptr<Block>> resident;
    std::vector<std::unique_ptr<Block>> spare;
    int fruitless = 0;
    auto finish = [&](std::unique_ptr<Block> block) {
        if (std::string text = block->take_output(); !text.empty() && print)
            print(text);
        spare.push_back(std::move(block));
    };
    while (true) {
        bool can_start = progress.next < progress.blocks && resident.size() < resident_blocks;
        if (can_start && (resident.empty() || fruitless > 0)) {
            std::unique_ptr<Block> block;
            if (spare.empty()) {
                block = std::make_unique<Block>(context);
            } else {
                block = std::move(spare.back());
                spare.pop_back();
            }
            block->start(progress.next++);
            resident.push_front(std::move(block));
            fruitless = 0;
        }
        if (resident.empty())
            break;
        std::unique_ptr<Block> block = std::move(resident.front());
        resident.pop_front();
        BlockStatus status = block->run();
        bool progressed = block->made_progress() || status == BlockStatus::Finished;
        fruitless = progressed ? 0 : fruitless + 1;
        if (status == BlockStatus::Finished) {
            finish(std::move(block));
            continue;
        }
        if (fruitless > fruitless_rounds)
            block->fail_waiting();
        resident.push_back(std::move(block));
    }
    for (const auto& block : spare) {
        add(progress.result.statistics, block->statistics());
        progress.result.steps += block->steps();
    }
}

} // namespace

int choose_group_lanes(const Function& kernel, int threads, int asked) {
    int whole = (threads + 31) / 32 * 32;
    if (asked > 0)
        return std::min(whole, (asked + 31) / 32 * 32);
    int lanes = whole;
    while (lanes > fewest_lanes && register_bytes(kernel, lanes) > cache_bytes)
        lanes = (lanes / 2 + 31) / 32 * 32;
    return lanes;
}

LaunchResult run_blocks(const LaunchContext& context, int threads, const std::function<void(std::string_view)>& print) {
    Progress progress;
    progress.blocks = context.shape.grid[0] * context.shape.grid[1] * context.shape.grid[2];
    if (context.kernel->needs_order) {
        run_in_order(context, progress, print);
        return progress.result;
    }
    auto workers = static_cast<int>(std::min<std::int64_t>(threads, progress.blocks));
    Helpers helpers;
    for (int i = 1; i < workers; ++i)
        helpers.start([&] { run_worker(context, progress); });
    run_worker(context, progress);
    helpers.wait();
    if (progress.error)
        std::rethrow_exception(progress.error);
    for (const auto& [number, text] : progress.output)
        if (print && (progress.first_bad < 0 || number <= progress.first_bad))
            print(text);
    if (progress.finding)
        throw FindingError{std::move(*progress.finding)};
    return progress.result;
}

} // namespace hidet::vm
