// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/ncu.h"

#include "lang/base/text.h"

namespace hidet::toolchain {

namespace {

// Beside the sections: what a launch moved, how long it took, how full it kept the multiprocessors.
constexpr const char* metrics[] = {
    "gpu__time_duration.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_bytes.sum",
    "launch__registers_per_thread",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
};

// A name has no letter that means something to a regular expression.
std::string names_pattern(const std::vector<std::string>& kernels) {
    return cat("regex:^(", join(kernels, "|"), ")$");
}

// What ncu says, what that means, and what to do about it.
struct Refusal {
    const char* says;
    const char* code;
    const char* means;
};
constexpr Refusal refusals[] = {
    {"ERR_NVGPUCTRPERM", "counters-forbidden",
     "this user may not read the counters of the GPU (ERR_NVGPUCTRPERM): load the driver with the option "
     "NVreg_RestrictProfilingToAdminUsers=0 ('options nvidia NVreg_RestrictProfilingToAdminUsers=0' in a file of "
     "/etc/modprobe.d, then restart), or be root; a container needs '--cap-add=SYS_ADMIN'"},
    {"LibraryNotLoaded", "counters-forbidden",
     "Nsight Compute cannot load the driver's part that counts (LibraryNotLoaded), as in sandboxes like gVisor, which "
     "let "
     "no program near the counters: ask for a machine, or a container of an ordinary runtime, that has the driver "
     "itself"},
    {"Failed to initialize the profiler", "counters-forbidden",
     "the driver gives its counters to nobody here, as on some virtual machines: the owner of the host has to let "
     "guests "
     "profile (for vGPU: 'enable_profiling=1')"},
    {"is not compatible with Nsight Compute", "counters-not-read",
     "the driver is too old for this Nsight Compute: install the Nsight Compute that came with the driver's CUDA, and "
     "let "
     "HIDET_NCU name it"},
    {"Profiling is not supported on", "counters-not-read",
     "this Nsight Compute does not know the GPU: install one that fits, and let HIDET_NCU name it"},
    {"ERR_NVGPU_RESOURCE", "counters-not-read",
     "another profiler holds the counters of the GPU: try again when it has ended"},
    {"resource is unavailable", "counters-not-read",
     "another profiler, or a monitor like DCGM, holds the counters of the GPU: try again when it has ended, or pause "
     "it "
     "('dcgmi profile --pause')"},
    {"No kernels were profiled", "no-launches", "the script launched none of its kernels on the GPU"},
};

} // namespace

std::vector<std::string> profile_words(const Profiling& what) {
    std::vector<std::string> counted(std::begin(metrics), std::end(metrics));
    // A script with several kernels launches them in an order that is its own.
    const std::size_t launches = what.kernels.size() == 1 ? 1 : 4 * what.kernels.size();
    std::vector<std::string> words = {what.ncu,
                                      "--section",
                                      "SourceCounters",
                                      "--section",
                                      "SpeedOfLight",
                                      "--section",
                                      "Occupancy",
                                      "--metrics",
                                      join(counted, ","),
                                      "--clock-control",
                                      "none",
                                      "--target-processes",
                                      "all",
                                      "--kernel-name",
                                      names_pattern(what.kernels),
                                      "--launch-count",
                                      cat(launches),
                                      "-f",
                                      "-o",
                                      what.report};
    words.insert(words.end(), what.program.begin(), what.program.end());
    return words;
}

std::string report_file(const Profiling& what) {
    return what.report.ends_with(".ncu-rep") ? what.report : what.report + ".ncu-rep";
}

std::vector<std::string> page_words(const std::string& ncu, const std::string& report, ReportPage page) {
    if (page == ReportPage::Instructions)
        return {ncu, "--import", report, "--page", "source", "--csv", "--print-source", "sass"};
    return {ncu, "--import", report, "--page", "raw", "--csv", "--print-units", "base"};
}

std::optional<Error> refusal_in(std::string_view printed) {
    for (const Refusal& refusal : refusals)
        if (printed.find(refusal.says) != std::string_view::npos)
            return Error{refusal.code, refusal.means};
    return std::nullopt;
}

} // namespace hidet::toolchain
