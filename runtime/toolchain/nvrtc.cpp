// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/nvrtc.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "lang/base/text.h"
#include "runtime/toolchain/figures.h"
#include "runtime/toolchain/library.h"
#include "runtime/toolchain/messages.h"

namespace hidet::toolchain {

// The part of NVRTC's C interface that is used, by the names of its header.
struct Nvrtc::Functions {
    using Program = struct ProgramState*;
    int (*version)(int* major, int* minor) = nullptr;
    int (*count_architectures)(int* count) = nullptr;
    int (*list_architectures)(int* numbers) = nullptr;
    int (*create)(Program* program, const char* text, const char* name, int headers, const char* const* header_texts,
                  const char* const* header_names) = nullptr;
    int (*destroy)(Program* program) = nullptr;
    int (*compile)(Program program, int count, const char* const* options) = nullptr;
    int (*log_size)(Program program, std::size_t* size) = nullptr;
    int (*log)(Program program, char* text) = nullptr;
    int (*ptx_size)(Program program, std::size_t* size) = nullptr;
    int (*ptx)(Program program, char* text) = nullptr;
    int (*cubin_size)(Program program, std::size_t* size) = nullptr;
    int (*cubin)(Program program, char* bytes) = nullptr;
    const char* (*error_text)(int code) = nullptr;
    int (*set_flow_callback)(Program program, int (*callback)(void*, void*), void* payload) = nullptr; // since 12.9

    bool bind(const Library& library) {
        library.bind(set_flow_callback, "nvrtcSetFlowCallback");
        return library.bind(version, "nvrtcVersion") &&
               library.bind(count_architectures, "nvrtcGetNumSupportedArchs") &&
               library.bind(list_architectures, "nvrtcGetSupportedArchs") &&
               library.bind(create, "nvrtcCreateProgram") && library.bind(destroy, "nvrtcDestroyProgram") &&
               library.bind(compile, "nvrtcCompileProgram") && library.bind(log_size, "nvrtcGetProgramLogSize") &&
               library.bind(log, "nvrtcGetProgramLog") && library.bind(ptx_size, "nvrtcGetPTXSize") &&
               library.bind(ptx, "nvrtcGetPTX") && library.bind(cubin_size, "nvrtcGetCUBINSize") &&
               library.bind(cubin, "nvrtcGetCUBIN") && library.bind(error_text, "nvrtcGetErrorString");
    }
};

namespace {

enum NvrtcCode { Success = 0, OutOfMemory = 1, CompilationFailed = 6, BuiltinsFailed = 7, Cancelled = 16 };

const std::string figures_option = "--ptxas-options=-v";

// NVRTC opens its other half by a bare name, which the linker knows only where a toolkit is installed. One that is loaded
// already is taken by that name.
void load_builtins_beside(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::path real = fs::canonical(path, failed);
    if (failed)
        return;
    for (const fs::directory_entry& entry : fs::directory_iterator(real.parent_path(), failed))
        if (std::string name = entry.path().filename(); name.starts_with("libnvrtc-builtins.so."))
            (void)Library::open(entry.path());
}

// Asked from within a compilation: whether it shall end. NVRTC wants no "no" after a "yes".
struct Cancellation {
    const std::atomic<bool>* flag = nullptr;
    std::atomic<bool> answered{false};

    static int ask(void* payload, void*) {
        auto* self = static_cast<Cancellation*>(payload);
        if (self->flag->load(std::memory_order_relaxed))
            self->answered = true;
        return self->answered ? 1 : 0;
    }
};

bool is_cancelled(const CompileRequest& request) {
    return request.cancelled && request.cancelled->load(std::memory_order_relaxed);
}

std::string fetch(Nvrtc::Functions::Program program, int (*size_of)(Nvrtc::Functions::Program, std::size_t*),
                  int (*get)(Nvrtc::Functions::Program, char*)) {
    std::size_t size = 0;
    if (size_of(program, &size) != Success || size == 0)
        return {};
    std::string bytes(size, '\0');
    return get(program, bytes.data()) == Success ? bytes : std::string();
}

// Texts come with the zero that ends them.
std::string without_zero(std::string text) {
    while (!text.empty() && text.back() == '\0')
        text.pop_back();
    return text;
}

// "sm_90a" is number 90 with the letter 'a'.
struct ArchName {
    int number = 0;
    std::string_view letter;
};

ArchName parse_architecture(std::string_view name) {
    ArchName arch;
    if (!name.starts_with("sm_"))
        return arch;
    const char* end = name.data() + name.size();
    auto [rest, failed] = std::from_chars(name.data() + 3, end, arch.number);
    arch.letter = std::string_view(rest, static_cast<std::size_t>(end - rest));
    if (failed != std::errc())
        arch.number = 0;
    return arch;
}

bool has_letter(const ArchName& arch) {
    return arch.letter.empty() || (arch.letter == "a" && arch.number >= 90) ||
           (arch.letter == "f" && arch.number >= 100);
}

} // namespace

Result<std::shared_ptr<const Nvrtc>> Nvrtc::load(const std::string& path) {
    load_builtins_beside(path);
    auto library = Library::open(path);
    if (!library)
        return Error{"nvrtc-missing", "NVRTC cannot be loaded: " + library.error().message};
    auto functions = std::make_shared<Functions>();
    if (!functions->bind(library.value()))
        return Error{"nvrtc-missing", cat("'", path, "' is not NVRTC, or older than 11.2")};
    std::shared_ptr<Nvrtc> nvrtc(new Nvrtc);
    int minor = 0;
    int count = 0;
    if (functions->version(&nvrtc->m_major, &minor) != Success || functions->count_architectures(&count) != Success ||
        count <= 0)
        return Error{"nvrtc-missing", cat("'", path, "' does not tell its version")};
    nvrtc->m_architectures.resize(static_cast<std::size_t>(count));
    functions->list_architectures(nvrtc->m_architectures.data());
    std::ranges::sort(nvrtc->m_architectures);
    nvrtc->m_version = cat(nvrtc->m_major, ".", minor);
    nvrtc->m_functions = std::move(functions);
    return std::shared_ptr<const Nvrtc>(std::move(nvrtc));
}

Result<void> Nvrtc::check_architecture(const std::string& name) const {
    ArchName arch = parse_architecture(name);
    if (has_letter(arch) && std::binary_search(m_architectures.begin(), m_architectures.end(), arch.number))
        return {};
    std::vector<std::string> known;
    for (int number : m_architectures)
        known.push_back(cat("sm_", number));
    return Error{"arch-unknown", cat("NVRTC ", m_version, " does not know '", name, "'; it knows ", join(known, ", "))};
}

std::vector<std::string> Nvrtc::options(const CompileRequest& request) {
    bool is_cubin = request.product == Product::Cubin;
    // Asked for PTX of a real architecture, NVRTC would make its machine code as well.
    std::string number = request.arch.substr(std::min(request.arch.size(), std::size_t{3}));
    std::vector<std::string> options = {cat("--gpu-architecture=", is_cubin ? "sm_" : "compute_", number), "-std=c++17",
                                        "-default-device", "-lineinfo"};
    if (is_cubin)
        options.push_back(figures_option);
    options.insert(options.end(), request.options.begin(), request.options.end());
    return options;
}

// One compilation, and what NVRTC has to say of it.
struct Nvrtc::Attempt {
    int code = 0;
    std::string log;
    std::string ptx; // also when ptxas failed
    std::string cubin;
};

Nvrtc::Attempt Nvrtc::attempt(const CompileRequest& request, std::vector<std::string> words) const {
    const Functions& nvrtc = *m_functions;
    Attempt attempt;
    Functions::Program program = nullptr;
    attempt.code = nvrtc.create(&program, request.text.c_str(), program_name, 0, nullptr, nullptr);
    if (attempt.code != Success)
        return attempt;
    auto destroy = [&nvrtc](Functions::Program* which) { nvrtc.destroy(which); };
    std::unique_ptr<Functions::Program, decltype(destroy)> guard(&program, destroy);
    Cancellation cancellation{request.cancelled};
    if (request.cancelled && nvrtc.set_flow_callback)
        nvrtc.set_flow_callback(program, &Cancellation::ask, &cancellation);
    // NVRTC's own cache would be a second one below ours; textures and the runtime's functions are declared for nobody.
    if (m_major >= 13)
        words.insert(words.end(), {"-no-cache", "-minimal"});
    std::vector<const char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(word.c_str());
    attempt.code = nvrtc.compile(program, static_cast<int>(pointers.size()), pointers.data());
    attempt.log = without_zero(fetch(program, nvrtc.log_size, nvrtc.log));
    attempt.ptx = without_zero(fetch(program, nvrtc.ptx_size, nvrtc.ptx));
    if (attempt.code == Success && request.product == Product::Cubin)
        attempt.cubin = fetch(program, nvrtc.cubin_size, nvrtc.cubin);
    return attempt;
}

// With the option that makes ptxas tell its figures, NVRTC 13.0 loses some of ptxas's errors.
Nvrtc::Attempt Nvrtc::explain(const CompileRequest& request, Attempt failed) const {
    for (const CompilerMessage& message : read_messages(failed.log))
        if (message.severity == CompilerMessage::Severity::Error)
            return failed;
    std::vector<std::string> words = options(request);
    if (std::erase(words, figures_option) == 0)
        return failed;
    return attempt(request, std::move(words));
}

Result<CompileResult> Nvrtc::compile(const CompileRequest& request) const {
    if (is_cancelled(request))
        return Error{"cancelled", "the compilation was cancelled"};
    HIDET_TRY_TO(check_architecture(request.arch));
    Attempt done = attempt(request, options(request));
    if (done.code == CompilationFailed)
        done = explain(request, std::move(done));
    if (done.code == Cancelled || (done.code != Success && is_cancelled(request)))
        return Error{"cancelled", "the compilation was cancelled"};
    if (done.code == BuiltinsFailed)
        return Error{"nvrtc-missing", cat("NVRTC ", m_version, " does not find its libnvrtc-builtins beside itself")};
    if (done.code != Success)
        return Error{"compile-failed", done.log.empty() ? cat("NVRTC: ", m_functions->error_text(done.code))
                                                        : lead_back(done.log, done.ptx)};
    CompileResult result;
    result.compiler = "NVRTC " + m_version;
    PtxasLog ptxas = read_ptxas_log(done.log);
    result.log = std::move(ptxas.rest);
    result.figures = std::move(ptxas.figures);
    result.bytes = std::move(request.product == Product::Ptx ? done.ptx : done.cubin);
    if (result.bytes.empty())
        return Error{"compile-failed", "NVRTC gave no code"};
    return result;
}

Result<void> Nvrtc::warm_up() const {
    CompileRequest request{.text = "extern \"C\" __global__ void empty() {}\n",
                           .product = Product::Ptx,
                           .arch = cat("sm_", m_architectures.back())};
    auto result = compile(request);
    return result ? Result<void>() : result.error();
}

} // namespace hidet::toolchain
