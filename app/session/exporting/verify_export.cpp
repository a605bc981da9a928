// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/verify_export.h"

#include <algorithm>
#include <filesystem>

#include "app/session/exporting/c_text.h"
#include "app/session/exporting/kernels.h"
#include "app/session/tools/tools.h"
#include "lang/base/text.h"
#include "runtime/process/run.h"
#include "runtime/toolchain/files.h"
#include "runtime/toolchain/locate.h"

namespace hidet::session {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_lines = 4; // of what a tool says
constexpr int no_module = 77;

// Imports what the body names; what is not installed is told by its name.
constexpr const char* python_frame = R"(
import os, pathlib, sys
sys.path.insert(0, os.getcwd())
try:
    BODY
except ModuleNotFoundError as missing:
    print(missing.name)
    sys.exit(77)
)";

// Makes a context and loads the machine code, as a program would before its first launch.
constexpr const char* loading_program =
#include "app/session/exporting/text/loading_text.inc"
    ;

std::string last_lines(const process::Outcome& outcome) {
    std::vector<std::string> lines;
    for (const std::string* text : {&outcome.output, &outcome.errors}) {
        std::size_t begin = 0;
        while (begin < text->size()) {
            const std::size_t end = std::min(text->find('\n', begin), text->size());
            if (end > begin)
                lines.push_back(text->substr(begin, end - begin));
            begin = end + 1;
        }
    }
    if (lines.empty())
        return outcome.story();
    if (lines.size() > most_lines)
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_lines));
    return join(lines, "\n");
}

bool has_gpu() {
    std::error_code ignored;
    if (fs::exists("/dev/dxg", ignored))
        return true;
    fs::directory_iterator gpus("/proc/driver/nvidia/gpus", ignored);
    return gpus != fs::directory_iterator();
}

// That a file says it was made for.
std::string architecture_of(const ExportedFile& file) {
    constexpr std::string_view mark = "architecture: ";
    const std::size_t at = file.bytes.find(mark);
    if (at == std::string::npos)
        return default_arch;
    const std::size_t begin = at + mark.size();
    return file.bytes.substr(begin, file.bytes.find('\n', begin) - begin);
}

// `also`: a folder that is searched last.
std::string find_program(const std::string& program, const toolchain::Places& places, const std::string& also) {
    std::vector<std::string> folders = places.programs;
    if (!places.cuda_home.empty())
        folders.insert(folders.begin(), places.cuda_home + "/bin");
    for (const auto* roots : {&places.toolkits, &places.fetched, &places.bundles})
        for (const std::string& root : *roots)
            folders.push_back(root + "/bin");
    if (!also.empty())
        folders.push_back(also);
    std::error_code ignored;
    for (const std::string& folder : folders)
        if (const std::string path = folder + "/" + program; fs::is_regular_file(path, ignored))
            return path;
    return {};
}

class Checker {
public:
    explicit Checker(const CheckRequest& request)
        : m_request(request), m_name(export_name_of(request.exported.path())), m_places(toolchain::default_places()) {}

    std::vector<CheckStep> run() {
        auto folder = toolchain::TemporaryFolder::make();
        if (!folder) {
            add("It is written", CheckStep::State::Failed, folder.error().message);
            return std::move(m_steps);
        }
        m_folder = folder.value()->path();
        ExportResult files;
        files.format = m_request.result.format;
        files.files = m_request.result.files;
        std::vector<std::string> written;
        if (!write_export(files, m_folder, written)) {
            add("It is written", CheckStep::State::Failed, files.diagnostics.back().message);
            return std::move(m_steps);
        }
        if (const ExportFormatInfo* format = find_export_format(m_request.result.format))
            check(format->format);
        return std::move(m_steps);
    }

private:
    using State = CheckStep::State;

    void check(ExportFormat format) {
        switch (format) {
        case ExportFormat::Cuda: return check_cuda();
        case ExportFormat::Ptx: return check_ptx();
        case ExportFormat::Cubin:
        case ExportFormat::Fatbin: return check_machine_code();
        case ExportFormat::C: return check_launcher(false);
        case ExportFormat::Cpp: return check_launcher(true);
        case ExportFormat::CMake: return check_project(true);
        case ExportFormat::TvmFfi:
            return check_python("tvm_ffi loads it", cat("import tvm_ffi; tvm_ffi.load_module('./", m_name, ".so')"));
        case ExportFormat::Torch: return check_python("Python imports it", "import " + m_name);
        case ExportFormat::HfKernel:
            return check_python("The package kernels loads it",
                                "import kernels; kernels.get_local_kernel(pathlib.Path('.'))");
        case ExportFormat::Package: return check_package(m_name + ".hidet");
        case ExportFormat::Triton: return check_repository();
        case ExportFormat::Cpu: return check_project(false);
        }
    }

    bool stopped() const { return m_request.cancelled && *m_request.cancelled; }
    void add(std::string what, State state, std::string said = {}) {
        if (stopped())
            return;
        m_steps.push_back({std::move(what), state, std::move(said)});
        if (m_request.done)
            m_request.done(m_steps.back());
    }

    // --- programs ---

    // The first of them that is here; empty: the step is missing, and says so.
    std::string need(const std::string& what, const std::vector<std::string>& programs) {
        for (const std::string& program : programs)
            if (std::string path = find_program(program, m_places, m_request.programs); !path.empty())
                return path;
        add(what, State::Missing, cat(join(programs, " or "), " is not found"));
        return {};
    }
    process::Outcome outcome_of(std::vector<std::string> words, double seconds = 300) const {
        process::Command command;
        command.words = std::move(words);
        command.seconds = seconds;
        command.output_limit = std::size_t{1} << 20;
        command.cancelled = m_request.cancelled;
        command.folder = m_folder;
        auto ran = process::run_to_end(command);
        if (ran)
            return std::move(ran).value();
        process::Outcome none;
        none.code = 127;
        none.errors = ran.error().message;
        return none;
    }
    bool step(const std::string& what, std::vector<std::string> words, const std::string& said = {}) {
        return judge(what, outcome_of(std::move(words)), said);
    }
    bool judge(const std::string& what, const process::Outcome& outcome, const std::string& said = {}) {
        const bool is_right = outcome.succeeded();
        add(what, is_right ? State::Passed : State::Failed, is_right ? said : last_lines(outcome));
        return is_right;
    }
    // What needs a GPU, where there is none.
    bool can_run(const std::string& what) {
        if (toolchain::find(toolchain::Tool::Driver, m_places).state != toolchain::State::Found)
            add(what, State::Missing, "NVIDIA's driver, libcuda.so.1, is not found");
        else if (!has_gpu())
            add(what, State::Missing, "there is no GPU here");
        else
            return true;
        return false;
    }
    std::vector<const ExportedFile*> files_with(std::string_view ending) const {
        std::vector<const ExportedFile*> out;
        for (const ExportedFile& file : m_request.result.files)
            if (file.path.ends_with(ending))
                out.push_back(&file);
        return out;
    }
    // --- kernels ---

    void check_cuda() {
        for (const ExportedFile* file : files_with(".cu")) {
            const std::string arch = architecture_of(*file);
            compile_by_nvrtc(*file, arch);
            const std::string what = cat("nvcc compiles ", file->path, " for ", arch);
            if (const std::string nvcc = need(what, {"nvcc"}); !nvcc.empty())
                step(what, {nvcc, "-arch=" + arch, "-cubin", file->path, "-o", "checked.cubin"});
        }
    }
    void compile_by_nvrtc(const ExportedFile& file, const std::string& arch) {
        const std::string what = cat("NVRTC compiles ", file.path, " for ", arch);
        if (!m_request.exported.tools)
            return add(what, State::Missing, "NVRTC is not found");
        toolchain::CompileRequest asked;
        asked.text = file.bytes;
        asked.product = toolchain::Product::Cubin;
        asked.arch = arch;
        asked.cancelled = m_request.cancelled;
        const auto made = m_request.exported.tools->toolchain().compiler().compile(asked);
        if (made)
            return add(what, State::Passed, made.value().compiler);
        const bool is_missing = made.error().code != "compile-failed";
        add(what, is_missing ? State::Missing : State::Failed, made.error().message);
    }
    void check_ptx() {
        for (const ExportedFile* file : files_with(".ptx")) {
            const std::string arch = architecture_of(*file), what = cat("ptxas assembles ", file->path, " for ", arch);
            if (const std::string ptxas = need(what, {"ptxas"}); !ptxas.empty())
                step(what, {ptxas, "-arch=" + arch, file->path, "-o", "checked.cubin"});
        }
    }
    void check_machine_code() {
        for (const ExportedFile& file : m_request.result.files) {
            const bool is_cubin = file.path.ends_with(".cubin");
            const std::string what = cat("The disassembler reads ", file.path);
            const std::string tool = is_cubin ? need(what, {"nvdisasm", "cuobjdump"}) : need(what, {"cuobjdump"});
            if (tool.empty())
                continue;
            if (tool.ends_with("nvdisasm"))
                step(what, {tool, file.path});
            else
                step(what, {tool, "--list-elf", file.path});
        }
    }
    void check_launcher(bool is_cpp) {
        const std::string what = "A compiler takes it as C11, without warnings";
        const std::string compiler = need(what, {"cc", "gcc", "clang"});
        if (compiler.empty())
            return;
        m_main = "hidet_check_main.c";
        if (!write("hidet_check_main.c", replaced(loading_program, "NAME", m_name)))
            return;
        std::vector<std::string> words = {compiler, "-std=c11", "-Wall", "-Wextra", "-Werror"};
        for (const ExportedFile* file : files_with(".c"))
            words.push_back(file->path);
        words.insert(words.end(), {m_main, "-o", "hidet_check_program", "-lm", "-ldl", "-lpthread"});
        const bool is_built = step(what, std::move(words));
        if (is_cpp)
            check_header();
        if (is_built && can_run("The driver loads the machine code"))
            step("The driver loads the machine code", {m_folder + "/hidet_check_program"});
    }
    void check_header() {
        const std::string what = "A compiler takes its header as C++20, without warnings";
        const std::string compiler = need(what, {"c++", "g++", "clang++"});
        if (compiler.empty() || !write("hidet_check_header.cpp", cat("#include \"", m_name, ".hpp\"\n")))
            return;
        step(what, {compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "hidet_check_header.cpp"});
    }
    bool write(const std::string& name, const std::string& text) {
        DiagnosticSink sink;
        if (write_text(m_folder + "/" + name, text, sink))
            return true;
        add("It is written", State::Failed, sink.all().back().message);
        return false;
    }

    // --- projects, Python ---

    void check_project(bool needs_nvcc) {
        const std::string cmake = need("CMake builds it", {"cmake"});
        if (cmake.empty() || (needs_nvcc && need("CMake builds it", {"nvcc"}).empty()))
            return;
        const process::Outcome configured = outcome_of({cmake, "-S", ".", "-B", "hidet_check"});
        if (!configured.succeeded())
            return add("CMake builds it", State::Failed, last_lines(configured));
        if (!step("CMake builds it", {cmake, "--build", "hidet_check"}))
            return;
        const std::string what = "Its own check passes";
        if (!needs_nvcc || can_run(what))
            if (const std::string ctest = need(what, {"ctest"}); !ctest.empty())
                run_tests(what, ctest);
    }
    // A project without tests passes all of them.
    void run_tests(const std::string& what, const std::string& ctest) {
        const process::Outcome outcome = outcome_of({ctest, "--test-dir", "hidet_check", "--output-on-failure"});
        if (outcome.succeeded() && (outcome.output + outcome.errors).find("No tests were found") != std::string::npos)
            return add(what, State::Missing, "the project has no check of its own");
        judge(what, outcome);
    }
    void check_python(const std::string& what, const std::string& body) {
        const std::string python = need(what, {"python3"});
        if (python.empty())
            return;
        const process::Outcome outcome = outcome_of({python, "-c", replaced(python_frame, "BODY", body)});
        if (outcome.end == process::Outcome::End::Exited && outcome.code == no_module)
            return add(what, State::Missing, cat(python, " has no ", last_lines(outcome)));
        judge(what, outcome, python);
    }

    // --- models ---

    void check_package(const std::string& path) {
        const std::string what = "hidet-run verifies every checksum";
        if (const std::string tool = need(what, {"hidet-run"}); !tool.empty())
            step(what, {tool, "verify", path});
        const std::vector<Target>& targets = m_request.exported.targets;
        const auto wants = [&](Target target) {
            return targets.empty() || std::ranges::find(targets, target) != targets.end();
        };
        if (wants(Target::Cpu))
            compare(path, Target::Cpu, "On the CPU it computes what the model computes");
        if (wants(Target::Cuda)) {
            const std::string on_gpu = "On the GPU it computes what the model computes";
            if (can_run(on_gpu))
                compare(path, Target::Cuda, on_gpu);
        }
    }
    void check_repository() {
        for (const ExportedFile* file : files_with(".hidet"))
            check_package(file->path);
        for (const ExportedFile* file : files_with(".py"))
            check_python(cat("Python reads ", file->path),
                         cat("compile(open('", file->path, "').read(), '", file->path, "', 'exec')"));
    }
    void compare(const std::string& path, Target target, const std::string& what) {
        if (!m_request.run_model)
            return add(what, State::Missing, "no worker runs models");
        ModelRunRequest request;
        static_cast<ModelRequest&>(request) = m_request.exported.model;
        request.target = target;
        request.progress = nullptr;
        request.output = m_folder + "/hidet_check_model";
        ModelRunResult wanted = m_request.run_model(request);
        ModelRunRequest packaged;
        packaged.path = m_folder + "/" + path;
        packaged.target = target; // its dimensions that were named are numbers by now
        packaged.seed = request.seed;
        packaged.trusts = true;
        packaged.expected = request.output; // the run compares them
        ModelRunResult got = wanted.status == Status::Ok ? m_request.run_model(packaged) : ModelRunResult();
        for (const ModelRunResult* result : {&wanted, &got})
            if (result->status != Status::Ok)
                return add(what, result->status == Status::Environment ? State::Missing : State::Failed,
                           result->diagnostics.empty() ? "it did not run" : result->diagnostics.back().message);
        if (wanted.outputs.size() != got.outputs.size())
            return add(what, State::Failed,
                       cat(got.outputs.size(), " results, where the model has ", wanted.outputs.size()));
        double worst = 0;
        for (const ModelOutput& output : got.outputs)
            worst = std::max(worst, output.comparison ? output.comparison->max_absolute.value_or(0) : 0);
        add(what, State::Passed, cat(got.where, ", random inputs: the largest difference is ", shortest(worst)));
    }

    const CheckRequest& m_request;
    const std::string m_name;
    const toolchain::Places m_places;
    std::string m_folder, m_main;
    std::vector<CheckStep> m_steps;
};

} // namespace

std::vector<CheckStep> check_export(const CheckRequest& request) {
    try {
        return Checker(request).run();
    } catch (const std::exception& error) {
        return {{"It is checked", CheckStep::State::Failed, error.what()}};
    }
}

std::string verdict_of(const std::vector<CheckStep>& steps) {
    const auto count = [&](CheckStep::State state) { return std::ranges::count(steps, state, &CheckStep::state); };
    if (steps.empty())
        return "Not checked";
    if (count(CheckStep::State::Failed) > 0)
        return "Failed";
    const auto passed = count(CheckStep::State::Passed);
    if (passed == static_cast<std::ptrdiff_t>(steps.size()))
        return "Passed";
    return passed == 0 ? "Not checked" : cat(passed, " of ", steps.size(), " checked");
}

} // namespace hidet::session
