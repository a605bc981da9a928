// SPDX-License-Identifier: Apache-2.0
#include "app/session/profile/profile.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>

#include "app/session/explain/explain.h"
#include "app/session/preview/sites.h"
#include "app/session/snapshot/machine.h"
#include "app/session/tools/tools.h"
#include "app/session/work/refusal.h"
#include "lang/base/check.h"
#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/files.h"
#include "runtime/toolchain/ncu.h"

namespace hidet::session {

namespace fs = std::filesystem;

namespace {

// Counted instructions joined to a listing, and summed by the lines of the script.

using FileLine = std::pair<std::string, int>; // of a script

void add_stall(std::vector<StallView>& out, const StallView& stall) {
    for (StallView& row : out)
        if (row.name == stall.name) {
            row.samples += stall.samples;
            return;
        }
    out.push_back(stall);
}

void sort_stalls(std::vector<StallView>& stalls) {
    std::ranges::stable_sort(stalls, std::greater(), &StallView::samples);
}

void add_traffic(TrafficView& out, const TrafficView& more) {
    out.count += more.count;
    out.least += more.least;
}

// "LDG" of "@!P0 LDG.E R1, [R2]": what follows the point is written differently by different disassemblers.
std::string_view first_word_of(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('@'))
        text = trimmed(text.substr(std::min(text.find(' '), text.size())));
    return text.substr(0, text.find_first_of(" .;"));
}

// Of a line of the listing, "    01b0  @!P0  FMUL R4, R4, 0.5".
std::string_view word_of_line(std::string_view line) {
    line = trimmed(line);
    return first_word_of(line.substr(std::min(line.find(' '), line.size())));
}

void add_access(const AccessView& view, std::optional<ForeseenView>& out) {
    if (view.counted == "unknown")
        return;
    if (!out)
        out = ForeseenView{0, 0, true};
    out->count += view.units;
    out->least += view.least;
    out->is_exact = out->is_exact && view.counted == "exact";
}

// The compiler reads once what a line reads again and again, and puts neighbours together; the hardware writes what an
// asynchronous copy brings line by line of 128 bytes, whatever the banks would allow.
std::string remark_on(const ProfiledLine& line, bool copies) {
    const auto more = [](const TrafficView& counted, const std::optional<ForeseenView>& foreseen) {
        return foreseen ? static_cast<double>(counted.count) - foreseen->count : 0;
    };
    if (more(line.sectors, line.foreseen_sectors) < -0.5 || more(line.wavefronts, line.foreseen_wavefronts) < -0.5)
        return "less than foretold: the compiler keeps values in registers that the line reads again, or reads "
               "neighbours at once";
    if (copies && more(line.wavefronts, line.foreseen_wavefronts) > 0.5)
        return "more than foretold: an asynchronous copy is written to shared memory by lines of 128 bytes of global "
               "memory, one at a time";
    return "";
}

void add_totals(const toolchain::CountedLaunch& launch, ProfiledKernel& out) {
    const auto figure = [&](const char* name) { return launch.figure(name).value_or(0); };
    out.seconds = figure("gpu__time_duration.sum");
    out.dram_bytes = figure("dram__bytes_read.sum") + figure("dram__bytes_write.sum");
    out.l2_bytes = figure("lts__t_bytes.sum");
    out.registers = static_cast<int>(figure("launch__registers_per_thread"));
    out.occupancy = figure("sm__warps_active.avg.pct_of_peak_sustained_active") / 100;
    out.compute_roof = figure("sm__throughput.avg.pct_of_peak_sustained_elapsed") / 100;
    out.memory_roof = figure("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed") / 100;
}

void add_instructions(const toolchain::CountedKernel& counted, ProfiledKernel& out) {
    for (const toolchain::CountedInstruction& from : counted.code) {
        ProfiledInstruction& to = out.instructions.emplace_back();
        to.text = from.text;
        to.offset = from.offset;
        to.executed = from.executed;
        to.threads = from.threads;
        to.samples = from.samples;
        to.divergent = from.divergent;
        to.sectors = {from.sectors, from.least_sectors};
        to.wavefronts = {from.wavefronts, from.least_wavefronts};
        for (const toolchain::CountedStall& stall : from.stalls)
            if (stall.samples)
                to.stalls.push_back({stall_meaning(stall.reason), stall.reason, stall.samples});
        sort_stalls(to.stalls);
    }
}

// The listing's function is the same code, instruction for instruction; else `lines_unknown` says why not.
void join_listing(const MachineFunction& function, const TextSnapshot& listing, ProfiledKernel& out) {
    const std::vector<std::string> lines = split(listing.text, '\n');
    if (out.instructions.size() < function.instructions.size()) {
        out.lines_unknown = cat("Nsight Compute saw ", out.instructions.size(), " instructions, and the listing has ",
                                function.instructions.size());
        return;
    }
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const auto at = static_cast<std::size_t>(function.instructions[i].line - 1);
        if (at >= lines.size() || word_of_line(lines[at]) != first_word_of(out.instructions[i].text)) {
            out.lines_unknown =
                cat("what ran is not the code of the listing: instruction ", i, " is '", out.instructions[i].text, "'");
            return;
        }
    }
    // What follows is padding, which nothing runs.
    out.instructions.resize(function.instructions.size());
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        out.instructions[i].line = function.instructions[i].line;
        const auto at = static_cast<std::size_t>(function.instructions[i].line - 1);
        if (at < listing.lines.size())
            out.instructions[i].place = listing.lines[at].place;
    }
}

// Sums of the whole kernel, and of each line of its source.
void sum_lines(ProfiledKernel& out) {
    std::map<FileLine, ProfiledLine> lines;
    for (const ProfiledInstruction& instruction : out.instructions) {
        const auto add_to = [&](auto& sum) {
            sum.executed += instruction.executed;
            sum.samples += instruction.samples;
            add_traffic(sum.sectors, instruction.sectors);
            add_traffic(sum.wavefronts, instruction.wavefronts);
            for (const StallView& stall : instruction.stalls)
                add_stall(sum.stalls, stall);
        };
        add_to(out);
        if (!instruction.place.known())
            continue;
        ProfiledLine& line = lines[{instruction.place.file, instruction.place.line}];
        line.place = instruction.place;
        line.threads += instruction.threads;
        line.divergent += instruction.divergent;
        add_to(line);
    }
    sort_stalls(out.stalls);
    for (auto& [key, line] : lines) {
        line.share = out.samples ? static_cast<double>(line.samples) / static_cast<double>(out.samples) : 0;
        sort_stalls(line.stalls);
        out.lines.push_back(std::move(line));
    }
}

void add_foreseen(const KernelExplained& explained, ProfiledKernel& out) {
    for (const AccessView& view : explained.accesses) {
        const auto same = [&](const ProfiledLine& line) {
            return line.place.file == view.place.file && line.place.line == view.place.line;
        };
        const auto line = std::ranges::find_if(out.lines, same);
        if (line == out.lines.end())
            continue;
        add_access(view, view.memory == "shared" ? line->foreseen_wavefronts : line->foreseen_sectors);
    }
    for (ProfiledLine& line : out.lines) {
        const auto copies = [&](const ProfiledInstruction& instruction) {
            return instruction.place.line == line.place.line && instruction.text.find("LDGSTS") != std::string::npos;
        };
        line.remark = remark_on(line, std::ranges::any_of(out.instructions, copies));
    }
}

constexpr std::size_t most_output = 64u << 20;
constexpr std::size_t shown_output = 4000; // of what went wrong

// "matmul", "softmax": of all modules, or the one that was asked for.
std::vector<std::string> kernel_names(Work& work, const PreviewRequest& request, PreviewResult& result) {
    PreviewRequest asked = request;
    asked.lower = false;
    asked.texts = Keep::Nothing;
    asked.forms.clear();
    asked.function.clear();
    result = preview(asked);
    std::vector<std::string> names;
    for (const ModuleSnapshot& module : result.modules)
        for (const FunctionSnapshot& function : module.functions)
            if (function.kind == "cuda_kernel" && (request.function.empty() || request.function == function.name) &&
                std::ranges::find(names, function.name) == names.end())
                names.push_back(function.name);
    if (result.status == Status::Ok && names.empty() && result.modules_built > 0)
        report_wrong_usage(
            work, request.function.empty()
                      ? Diagnostic::make(DiagId::EnvironmentRefused, {}, "the script builds no kernel of a GPU")
                      : Diagnostic::make(DiagId::NoSuchFunction, {}, request.source.name, request.function));
    return names;
}

Error gone_wrong(const process::Outcome& outcome, const std::string& printed) {
    if (const std::optional<Error> refusal = toolchain::refusal_in(printed))
        return *refusal;
    std::string tail = printed.size() > shown_output ? printed.substr(printed.size() - shown_output) : printed;
    return {"counters-not-read", cat("Nsight Compute ", outcome.succeeded() ? "left no report" : outcome.story(),
                                     trimmed(tail).empty() ? "" : ": ", trimmed(tail))};
}

// A program under Nsight Compute, and what is read from the report that it leaves.
struct Counting {
    toolchain::Profiling what;
    std::string input;  // of the program
    std::string folder; // where it works
    double seconds = 0;
    const std::atomic<bool>* cancelled = nullptr;
};

Result<process::Outcome> run_ncu(const Counting& counting, std::vector<std::string> words, bool is_script) {
    process::Command command{.words = std::move(words),
                             .seconds = counting.seconds,
                             .output_limit = most_output,
                             .cancelled = counting.cancelled};
    if (is_script) {
        command.input = counting.input;
        command.folder = counting.folder;
    }
    return process::run_to_end(command);
}

Result<std::string> report_page(const Counting& counting, toolchain::ReportPage which) {
    const std::string report = report_file(counting.what);
    HIDET_TRY(process::Outcome outcome, run_ncu(counting, page_words(counting.what.ncu, report, which), false));
    if (!outcome.succeeded())
        return gone_wrong(outcome, outcome.output + outcome.errors);
    return std::move(outcome.output);
}

// What the script printed is there though its counters are not.
Result<void> count(const Counting& counting, CountedPages& out) {
    std::error_code ignored;
    fs::remove(report_file(counting.what), ignored);
    Result<process::Outcome> outcome = run_ncu(counting, profile_words(counting.what), true);
    if (!outcome)
        return Error{"ncu-missing", outcome.error().message};
    out.output = outcome.value().output + outcome.value().errors;
    if (outcome.value().end == process::Outcome::End::Cancelled)
        return Error{"cancelled", "it was stopped"};
    if (!fs::exists(report_file(counting.what), ignored))
        return gone_wrong(outcome.value(), out.output);
    auto totals = std::async(std::launch::async, [&] { return report_page(counting, toolchain::ReportPage::Totals); });
    Result<std::string> code = report_page(counting, toolchain::ReportPage::Instructions);
    Result<std::string> table = totals.get();
    if (!code)
        return code.error();
    if (!table)
        return table.error();
    out.instructions = std::move(code).value();
    out.totals = std::move(table).value();
    return {};
}

// The driver and the profiler; an error: one of them is missing.
Result<std::string> profiler_of(Tools& tools) {
    if (tools.toolchain().locate(toolchain::Tool::Driver).state != toolchain::State::Found)
        return Error{"driver-missing", "hardware counters are a GPU's, and this machine has no driver of NVIDIA: "
                                       "'hidetc profile FILE --command' prints what to run on one that has"};
    const toolchain::Finding ncu = tools.toolchain().locate(toolchain::Tool::NsightCompute);
    if (ncu.state != toolchain::State::Found)
        return Error{"ncu-missing", cat(ncu.problem, ": ", ncu.advice)};
    return ncu.path;
}

struct CountedReport {
    std::vector<toolchain::CountedKernel> kernels;
    std::vector<toolchain::CountedLaunch> launches;
};

Result<CountedReport> read_pages(const CountedPages& pages) {
    CountedReport out;
    HIDET_TRY(out.kernels, toolchain::read_counted_kernels(pages.instructions));
    HIDET_TRY(out.launches, toolchain::read_counted_launches(pages.totals));
    return out;
}

// "sm_90a" of "9.0": what a script is compiled for there.
std::string arch_of_capability(const std::string& capability) {
    std::string digits;
    for (char c : capability)
        if (c >= '0' && c <= '9')
            digits.push_back(c);
    for (const char* ending : {"a", ""})
        if (const std::string name = cat("sm_", digits, ending); artifact::find_target(name))
            return name;
    return "";
}

// The first launch of each kernel.
std::vector<ProfiledKernel> profiled_kernels(const CountedReport& counted) {
    std::vector<ProfiledKernel> out;
    for (const toolchain::CountedKernel& from : counted.kernels) {
        if (std::ranges::find(out, from.name, &ProfiledKernel::name) != out.end())
            continue;
        ProfiledKernel& kernel = out.emplace_back();
        kernel.name = from.name;
        add_instructions(from, kernel);
        const auto launch = std::ranges::find(counted.launches, from.name, &toolchain::CountedLaunch::kernel);
        if (launch == counted.launches.end())
            continue;
        kernel.arch = arch_of_capability(launch->capability);
        add_totals(*launch, kernel);
    }
    return out;
}

// Kernels of one name may be built several times; the one that ran is the one whose code it is.
void join_module(const ModuleSnapshot& module, ProfiledKernel& kernel) {
    for (const auto& form : module.forms) {
        if (!form->machine)
            continue;
        for (const MachineFunction& function : form->machine->functions) {
            if (function.name != kernel.name || (kernel.module && kernel.lines_unknown.empty()))
                continue;
            kernel.lines_unknown.clear();
            kernel.module = module.number;
            join_listing(function, form->text, kernel);
        }
    }
    for (const FunctionSnapshot& function : module.functions)
        if (function.name == kernel.name && kernel.module == module.number)
            kernel.place = function.place;
}

void find_lines(const ProfileRequest& request, std::vector<ProfiledKernel>& kernels) {
    PreviewRequest asked = request.preview;
    asked.texts = Keep::Nothing;
    asked.forms = {Form::Sass};
    asked.explains = true;
    asked.arch = kernels.front().arch;
    const PreviewResult code = preview(asked);
    for (ProfiledKernel& kernel : kernels) {
        for (const ModuleSnapshot& module : code.modules)
            join_module(module, kernel);
        if (!kernel.module)
            kernel.lines_unknown = code.diagnostics.empty() ? "the script builds no kernel of this name"
                                                            : code.diagnostics.front().message;
        sum_lines(kernel);
    }
}

void add_maps_of(const ProfileRequest& request, std::vector<ProfiledKernel>& kernels) {
    ExplainRequest asked;
    asked.preview = request.preview;
    asked.preview.arch = kernels.front().arch;
    asked.cost = false;
    asked.fixes = false;
    const ExplainResult result = explain(asked);
    for (ProfiledKernel& kernel : kernels)
        for (const KernelExplained& explained : result.kernels)
            if (explained.name == kernel.name && explained.module == kernel.module)
                add_foreseen(explained, kernel);
}

class Profiler {
public:
    Profiler(Work& work, const ProfileRequest& request, ProfileResult& result)
        : m_work(work), m_request(request), m_result(result),
          m_ncu(request.preview.tools->toolchain().locate(toolchain::Tool::NsightCompute)) {}

    bool prepare(); // the command; false: there is nothing to profile
    void run_it();
    const Outcome& script() const { return m_script; }

private:
    Result<void> count_pages(CountedPages& pages);

    Work& m_work;
    const ProfileRequest& m_request;
    ProfileResult& m_result;
    const toolchain::Finding m_ncu;
    PreviewResult m_script; // as far as its kernels are known
    toolchain::Profiling m_what;
};

bool Profiler::prepare() {
    m_work.enter("reading the script");
    m_what.kernels = kernel_names(m_work, m_request.preview, m_script);
    m_result.modules_built = m_script.modules_built;
    if (m_what.kernels.empty())
        return false;
    m_what.ncu = m_ncu.path.empty() ? "ncu" : m_ncu.path;
    m_what.program = m_request.program;
    m_what.report = m_request.report.empty() ? "profile" : m_request.report;
    m_result.command = profile_words(m_what);
    return true;
}

Result<void> Profiler::count_pages(CountedPages& pages) {
    if (m_request.count_elsewhere) {
        const bool keeps = !m_request.report.empty();
        HIDET_TRY(pages,
                  m_request.count_elsewhere({m_request.preview.source.text, m_what.kernels, m_request.seconds, keeps}));
        return keeps ? replace_file(report_file(m_what), pages.report) : Result<void>();
    }
    HIDET_TRY(m_what.ncu, profiler_of(*m_request.preview.tools));
    HIDET_TRY(const auto folder, toolchain::TemporaryFolder::make());
    if (m_request.report.empty())
        m_what.report = folder->path() + "/profile";
    return count({m_what, m_request.input, m_request.folder, m_request.seconds, m_request.preview.cancelled}, pages);
}

void Profiler::run_it() {
    m_work.enter("running the script under Nsight Compute");
    CountedPages pages;
    const Result<void> done = count_pages(pages);
    m_result.output = std::move(pages.output);
    if (m_work.stopped())
        return;
    if (!done)
        return report_environment(m_work, m_work.sink, done.error());
    m_work.enter("reading the counters");
    const Result<CountedReport> counted = read_pages(pages);
    if (!counted)
        return report_environment(m_work, m_work.sink, counted.error());
    m_result.kernels = profiled_kernels(counted.value());
    m_work.enter("finding the lines of instructions");
    find_lines(m_request, m_result.kernels);
    if (m_request.compares)
        add_maps_of(m_request, m_result.kernels);
}

ProfileResult guarded_profile(const ProfileRequest& request, bool runs) {
    Work work = work_for("profile", request.preview);
    ProfileResult result;
    Outcome script;
    guarded(work, [&] {
        HIDET_CHECK(request.preview.tools, "a profile needs tools");
        Profiler profiler(work, request, result);
        if (profiler.prepare() && runs)
            profiler.run_it();
        script = profiler.script();
    });
    finish(work, result);
    if (script.status != Status::Ok)
        static_cast<Outcome&>(result) = std::move(script);
    return result;
}

} // namespace

void run_source(ProfileRequest& request, const std::string& hidetc, const std::string& file) {
    request.program = {hidetc, "run", file.empty() ? "-" : file, "--target", "cuda"};
    if (!file.empty())
        return;
    request.input = request.preview.source.text;
    request.folder = request.preview.source.folder;
}

std::string running_program() {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    return failed ? "hidetc" : program.string();
}

Result<CountedPages> count_here(const CountRequest& request, Tools& tools, const std::atomic<bool>* cancelled) {
    HIDET_TRY(const std::string ncu, profiler_of(tools));
    HIDET_TRY(const auto folder, toolchain::TemporaryFolder::make());
    const std::vector<std::string> program = {running_program(), "run", "-", "--target", "cuda"};
    const toolchain::Profiling what{ncu, request.kernels, folder->path() + "/profile", program};
    CountedPages pages;
    if (Result<void> done = count({what, request.text, folder->path(), request.seconds, cancelled}, pages); !done)
        return done.error();
    if (request.keeps_report) {
        HIDET_TRY(pages.report, read_file(report_file(what)));
    }
    return pages;
}

ProfileResult profile(const ProfileRequest& request) {
    return guarded_profile(request, true);
}

ProfileResult profile_command(const ProfileRequest& request) {
    return guarded_profile(request, false);
}

std::string shell_text(const std::vector<std::string>& words) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    std::vector<std::string> quoted;
    for (const std::string& word : words) {
        if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
            quoted.push_back(word);
            continue;
        }
        std::string text = "'";
        for (char c : word)
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        quoted.push_back(text + "'");
    }
    return join(quoted, " ");
}

std::string stall_meaning(const std::string& name) {
    struct Row {
        const char* name;
        const char* meaning;
    };
    static constexpr Row rows[] = {
#define HIDET_STALL(name, meaning) {name, meaning},
#include "app/session/profile/stalls.def"
#undef HIDET_STALL
    };
    const auto row =
        std::ranges::find(rows, std::string_view(name), [](const Row& r) { return std::string_view(r.name); });
    return row == std::end(rows) ? name : row->meaning;
}

} // namespace hidet::session
