// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/launch.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>

#include "lang/base/helpers.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

#include "runtime/vm/cluster.h"
#include "runtime/vm/debug/replay.h"
#include "runtime/vm/kept_clusters.h"
#include "runtime/vm/saved_memory.h"

namespace hidet::vm {

namespace {

constexpr std::size_t cache_bytes = 96 * 1024;    // of registers of the threads that run together; measured
constexpr std::size_t product_bytes = 256 * 1024; // of those that multiply matrices, which goes warp by warp
constexpr int fewest_lanes = 64;
constexpr std::size_t fruitless_runs = 2000; // after which nobody is believed to come
constexpr std::size_t fruitless_rounds = 16; // of all clusters that may wait for each other

// What blocks have printed, by their number. What is behind that many bytes of lower blocks is never printed, so it need not
// be kept.
class PrintedText {
public:
    explicit PrintedText(std::size_t most) : m_most(most) {}
    void add(std::int64_t block, std::string text) {
        m_bytes += text.size();
        m_texts[block] = std::move(text);
        for (auto last = std::prev(m_texts.end()); m_bytes - last->second.size() > m_most; last = std::prev(last)) {
            m_bytes -= last->second.size();
            last = m_texts.erase(last);
        }
    }
    const std::map<std::int64_t, std::string>& texts() const { return m_texts; }

private:
    const std::size_t m_most;
    std::size_t m_bytes = 0;
    std::map<std::int64_t, std::string> m_texts;
};

// Prints up to a number of bytes, and then a sentence.
class Printer {
public:
    Printer(const LaunchContext& context, const std::function<void(std::string_view)>& print)
        : m_kernel(context.kernel->name), m_most(context.most_printed), m_left(m_most), m_print(print) {}
    void operator()(std::string_view text) {
        if (!m_print || m_is_full || text.empty())
            return;
        m_is_full = text.size() > m_left;
        m_print(m_is_full ? text.substr(0, text.substr(0, m_left).rfind('\n') + 1) : text);
        m_left -= std::min(m_left, text.size());
        if (m_is_full)
            m_print(cat("[the rest is left out: kernel '", m_kernel, "' prints more than ",
                        bytes_text(static_cast<double>(m_most)), " in one launch]\n"));
    }

private:
    const std::string& m_kernel;
    const std::size_t m_most;
    std::size_t m_left;
    bool m_is_full = false;
    const std::function<void(std::string_view)>& m_print;
};

// What the host threads of a launch share.
struct Progress {
    explicit Progress(std::size_t most_printed) : output(most_printed) {}

    std::mutex mutex;
    std::int64_t next = 0;
    std::int64_t clusters = 0;
    std::int64_t first_bad = -1; // cluster of the finding
    std::optional<Finding> finding;
    std::exception_ptr error; // ours
    PrintedText output;
    LaunchResult result;
};

// The order in which clusters begin: ascending, or by steps of a size that meets every one once.
struct ClusterOrder {
    explicit ClusterOrder(const LaunchContext& context) : count(Cluster::count(context.shape)) {
        constexpr std::int64_t most = std::int64_t{1} << 31; // of which a product of two fits
        if (!context.is_random || count < 2 || count > most)
            return;
        first = static_cast<std::int64_t>(context.seed % static_cast<std::uint64_t>(count));
        step = 1 + static_cast<std::int64_t>(((context.seed + 1) * 0x9E3779B97F4A7C15ull >> 33) %
                                             static_cast<std::uint64_t>(count - 1));
        while (std::gcd(step, count) != 1)
            step = step % (count - 1) + 1;
    }
    std::int64_t at(std::int64_t turn) const { return (turn * step + first) % count; }
    std::int64_t count = 0, first = 0, step = 1;
};

std::int64_t take_cluster(Progress& progress) {
    std::lock_guard lock(progress.mutex);
    if (progress.first_bad >= 0 || progress.error || progress.next >= progress.clusters)
        return -1;
    return progress.next++;
}

void note_finding(Progress& progress, std::int64_t cluster, Finding finding) {
    std::lock_guard lock(progress.mutex);
    if (progress.first_bad >= 0 && progress.first_bad < cluster)
        return;
    progress.first_bad = cluster;
    progress.finding = std::move(finding);
}

// A cluster alone: while it waits, only its own groups can help it.
void run_alone(Cluster& cluster) {
    std::size_t fruitless = 0;
    while (cluster.run() == BlockStatus::Waiting) {
        fruitless = cluster.made_progress() ? 0 : fruitless + 1;
        if (fruitless > fruitless_runs)
            cluster.fail_waiting(0, "");
    }
}

void run_worker(const LaunchContext& context, Progress& progress) {
    try {
        std::unique_ptr<OwnCluster> own =
            context.kept ? context.kept->take(context) : std::make_unique<OwnCluster>(context);
        Cluster& cluster = *own->cluster;
        const ClusterOrder order(context);
        for (std::int64_t number = take_cluster(progress); number >= 0; number = take_cluster(progress)) {
            try {
                cluster.start(order.at(number));
                run_alone(cluster);
            } catch (FindingError& error) {
                note_finding(progress, number, std::move(error.finding));
            }
            if (std::string text = cluster.take_output(); !text.empty()) {
                std::lock_guard lock(progress.mutex);
                progress.output.add(number, std::move(text));
            }
        }
        std::lock_guard lock(progress.mutex);
        cluster.add_to(progress.result);
        if (context.kept && progress.first_bad < 0 && !(context.log && !context.log->is_empty()))
            context.kept->keep(std::move(own));
    } catch (...) {
        std::lock_guard lock(progress.mutex);
        progress.error = std::current_exception();
    }
}

// Whether a cluster begins beside others although nobody waits for it: in a random order now and then.
class Chance {
public:
    explicit Chance(const LaunchContext& context) : m_state(context.seed), m_is_random(context.is_random) {}
    bool begins(std::size_t resident) {
        constexpr std::size_t few = 8; // what is begun holds memory
        if (!m_is_random || resident >= few)
            return false;
        return draw() % 2 == 1;
    }
    std::size_t next_of(std::size_t resident) { return m_is_random ? draw() % resident : 0; }

private:
    std::uint64_t draw() {
        m_state = m_state * 6364136223846793005ull + 1442695040888963407ull;
        return m_state >> 33;
    }

    std::uint64_t m_state = 0;
    bool m_is_random = false;
};

// The clusters of a launch that are under way, or of one rank where several launch together.
struct Running {
    Running(const LaunchContext& context, Progress& progress, const std::function<void(std::string_view)>& print)
        : context(context), progress(progress), print(context, print), order(context),
          most(static_cast<std::size_t>(
              std::max<std::int64_t>(context.resident_blocks / context.shape.cluster_blocks(), 1))),
          chance(context) {}
    bool can_begin() const { return progress.next < progress.clusters && resident < most; }
    std::unique_ptr<Cluster> begin() {
        std::unique_ptr<Cluster> cluster;
        if (spare.empty()) {
            cluster = std::make_unique<Cluster>(context);
        } else {
            cluster = std::move(spare.back());
            spare.pop_back();
        }
        cluster->start(order.at(progress.next++));
        ++resident;
        return cluster;
    }
    void finish(std::unique_ptr<Cluster> cluster) {
        print(cluster->take_output());
        spare.push_back(std::move(cluster));
        --resident;
    }

    const LaunchContext& context;
    Progress& progress;
    Printer print;
    const ClusterOrder order;
    const std::size_t most;
    std::size_t resident = 0;
    Chance chance;
    std::vector<std::unique_ptr<Cluster>> spare;
};

struct Resident {
    Running* of = nullptr;
    std::unique_ptr<Cluster> cluster;
};

// What of the other ranks is of interest for one that waits for ever.
std::string others_text(std::span<const std::unique_ptr<Running>> all, const Running& self) {
    std::string text;
    for (const auto& each : all)
        if (each.get() != &self)
            text += cat("; rank ", each->context.rank, each->resident ? " waits too" : " has ended");
    return text;
}

// One host thread; a cluster that waits for another one makes room for it. Of several ranks each has one under way.
void run_in_order(std::span<const std::unique_ptr<Running>> all) {
    std::deque<Resident> resident;
    std::size_t fruitless = 0;
    const auto begins = [&](Running& each) {
        return each.can_begin() && (!each.resident || fruitless > 0 || each.chance.begins(each.resident));
    };
    while (true) {
        const auto next = std::ranges::find_if(all, [&](const auto& each) { return begins(*each); });
        if (next != all.end()) {
            resident.push_front({next->get(), (*next)->begin()});
            fruitless = 0;
        }
        if (resident.empty())
            break;
        if (all.size() > 1) // whose turn it is
            std::swap(resident.front(), resident[resident.front().of->chance.next_of(resident.size())]);
        Resident first = std::move(resident.front());
        resident.pop_front();
        const BlockStatus status = first.cluster->run();
        const bool progressed = first.cluster->made_progress() || status == BlockStatus::Finished;
        fruitless = progressed ? 0 : fruitless + 1;
        if (status == BlockStatus::Finished) {
            first.of->finish(std::move(first.cluster));
            continue;
        }
        if (fruitless > std::max(fruitless_runs, fruitless_rounds * (resident.size() + 1)))
            first.cluster->fail_waiting((first.of->progress.clusters - first.of->progress.next) *
                                            first.of->context.shape.cluster_blocks(),
                                        others_text(all, *first.of));
        resident.push_back(std::move(first));
    }
    for (const auto& each : all)
        for (const auto& cluster : each->spare)
            cluster->add_to(each->progress.result);
}

void run_in_order(const LaunchContext& context, Progress& progress,
                  const std::function<void(std::string_view)>& print) {
    const std::unique_ptr<Running> one = std::make_unique<Running>(context, progress, print);
    run_in_order({&one, 1});
}

int group_lanes_within(const Function& kernel, int threads, int asked, std::size_t bytes) {
    const int unit =
        has_any_of(kernel, {Op::Wgmma, Op::WarpGroup, Op::Registers}) ? 128 : 32; // what runs together always
    const auto rounded = [unit](int lanes) { return (lanes + unit - 1) / unit * unit; };
    const int whole = (threads + 31) / 32 * 32;
    if (asked > 0)
        return std::min(whole, rounded(asked));
    int lanes = whole;
    while (lanes > std::max(fewest_lanes, unit) && register_bytes(kernel, lanes) > bytes)
        lanes = rounded(lanes / 2);
    return lanes;
}

} // namespace

std::int64_t shared_bytes(const Function& kernel, const LaunchShape& shape) {
    std::int64_t bytes = shape.dynamic_shared;
    for (const artifact::SharedArray& array : kernel.shared)
        bytes += std::max<std::int64_t>(array.bytes, 0);
    return bytes;
}

void find_resources(LaunchContext& context, const MachineOptions& options) {
    constexpr std::int64_t register_unit = 8, most_registers = 256, usual_blocks = 64;
    const std::int64_t threads = context.shape.threads();
    context.resident_blocks = options.resident_blocks
                                  ? options.resident_blocks(threads, shared_bytes(*context.kernel, context.shape))
                                  : usual_blocks;
    context.thread_registers =
        static_cast<int>(std::min(options.target.registers / threads / register_unit * register_unit, most_registers));
}

GroupLanes choose_group_lanes(const Function& kernel, int threads, int asked) {
    const bool multiplies = has_any_of(kernel, {Op::Mma, Op::Wgmma});
    return {.most = group_lanes_within(kernel, threads, asked, multiplies ? product_bytes : cache_bytes),
            .usual = group_lanes_within(kernel, threads, asked, cache_bytes)};
}

namespace {

// What was found on the way comes before what ended the run.
[[noreturn]] void end_with(std::vector<Finding> found, std::optional<Finding> last) {
    if (!last) {
        last = std::move(found.back());
        found.pop_back();
    }
    throw FindingError{std::move(*last), std::move(found)};
}

LaunchResult run_all(const LaunchContext& context, int threads, const std::function<void(std::string_view)>& print) {
    Progress progress(context.most_printed);
    Printer printer(context, print);
    progress.clusters = Cluster::count(context.shape);
    if (context.kernel->needs_order) {
        run_in_order(context, progress, print);
        return progress.result;
    }
    auto workers = static_cast<int>(std::min<std::int64_t>(threads, progress.clusters));
    Helpers helpers;
    for (int i = 1; i < workers; ++i)
        helpers.start([&] { run_worker(context, progress); });
    run_worker(context, progress);
    helpers.wait();
    if (progress.error)
        std::rethrow_exception(progress.error);
    for (const auto& [number, text] : progress.output.texts())
        if (progress.first_bad < 0 || number <= progress.first_bad)
            printer(text);
    if (progress.finding)
        throw FindingError{std::move(*progress.finding)};
    return progress.result;
}

// On all host threads, and with as many threads of a block together as are fast. What is found depends on who is first then, so
// with findings it does not count: nothing.
std::optional<LaunchResult> run_together(const LaunchContext& context, int threads,
                                         const std::function<void(std::string_view)>& print) {
    const bool is_shared = threads > 1 && Cluster::count(context.shape) > 1;
    if ((!is_shared && context.most_lanes == context.group_lanes) || context.kernel->needs_order)
        return std::nullopt;
    const SavedMemory saved(context);
    if (!saved.fits())
        return std::nullopt;
    FindingLog log;
    LaunchShadow global;
    LaunchContext together = context;
    together.log = &log, together.global = &global, together.group_lanes = context.most_lanes;
    together.fills = false;
    global.track_as(*context.global);
    global.is_shared = is_shared;
    std::string printed;
    try {
        LaunchResult result = run_all(together, threads, [&](std::string_view text) { printed += text; });
        if (log.is_empty()) {
            if (print && !printed.empty())
                print(printed);
            return result;
        }
    } catch (FindingError&) {
    }
    saved.restore();
    if (context.tiles)
        context.tiles->forget();
    return std::nullopt;
}

} // namespace

void run_serially(const LaunchContext& context, std::int64_t first, const std::function<void(std::int64_t)>& begins,
                  const std::function<void(std::string_view)>& print, LaunchResult& result) {
    Progress progress(context.most_printed);
    Printer printer(context, print);
    progress.clusters = Cluster::count(context.shape);
    if (context.kernel->needs_order) {
        begins(0);
        run_in_order(context, progress, print);
        result = std::move(progress.result);
        return;
    }
    Cluster cluster(context);
    const ClusterOrder order(context);
    for (std::int64_t turn = first; turn < progress.clusters; ++turn) {
        begins(turn);
        try {
            cluster.start(order.at(turn));
            run_alone(cluster);
        } catch (FindingError&) {
            printer(cluster.take_output());
            throw;
        }
        printer(cluster.take_output());
    }
    cluster.add_to(result);
}

void run_ranks(std::span<RankLaunch> all) {
    std::deque<Progress> progress;
    std::vector<std::unique_ptr<Running>> running;
    std::deque<std::function<void(std::string_view)>> printers;
    for (RankLaunch& each : all) {
        progress.emplace_back(each.context->most_printed).clusters = Cluster::count(each.context->shape);
        printers.emplace_back([&each](std::string_view text) { each.printed += text; });
        running.push_back(std::make_unique<Running>(*each.context, progress.back(), printers.back()));
    }
    std::vector<Finding> found;
    try {
        run_in_order(running);
    } catch (FindingError& error) {
        found = std::move(error.earlier);
        found.push_back(std::move(error.finding));
    }
    FindingLog* log = all.front().context->log;
    std::vector<Finding> noted = log ? log->take() : std::vector<Finding>();
    noted.insert(noted.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    for (Finding& finding : noted)
        all[static_cast<std::size_t>(finding.rank)].found.push_back(std::move(finding));
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].result = std::move(progress[i].result);
        all[i].is_clean = noted.empty();
    }
}

LaunchResult run_blocks(const LaunchContext& context, int threads, const std::function<void(std::string_view)>& print) {
    if (!context.log)
        return run_all(context, threads, print);
    if (!context.replay)
        if (std::optional<LaunchResult> result = run_together(context, threads, print))
            return *result;
    LaunchContext apart = context;
    apart.kept = nullptr;
    std::optional<Finding> last;
    LaunchResult result;
    try {
        result = apart.replay ? apart.replay->run(apart, print)
                              : run_all(apart, 1, print); // in the order of the grid: findings are the same each time
    } catch (FindingError& error) {
        last = std::move(error.finding);
    }
    std::vector<Finding> found = context.log->take();
    if (last || !found.empty())
        end_with(std::move(found), std::move(last));
    return result;
}

} // namespace hidet::vm
