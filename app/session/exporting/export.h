// SPDX-License-Identifier: Apache-2.0
// Kernels and models as files that others use without this program. An exporter writes nothing: it gives the files as bytes,
// which the command line writes and the studio shows first. What it gives depends on the source, the options and the
// compilers alone: no clock, no path of this machine, no other order next time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/model/export_model.h"
#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

enum class ExportFormat : std::uint8_t {
#define HIDET_EXPORTER(name, ...) name,
#include "app/session/exporting/exporters.def"
};
enum class ExportSubject : std::uint8_t { Script, Model };

struct ExportFormatInfo {
    ExportFormat format{};
    const char* name = ""; // "cuda"
    ExportSubject subject = ExportSubject::Script;
    const char* ending = ""; // of the only file of a module; empty: a tree of files
    const char* summary = "";
};
const std::vector<ExportFormatInfo>& all_export_formats(); // in table order
const ExportFormatInfo* find_export_format(std::string_view name);
ExportSubject export_subject_of(std::string_view path); // by its ending

// What of a request, beside its subject, a format heeds: a front end that offers choices offers these.
struct ExportTakes {
    bool function = false;      // else whole modules
    bool architectures = false; // of GPUs
    bool levels = false;        // of x86-64, as architectures: it has functions of the CPU
    bool contracts = false;
    bool seed = false;
    bool runs_script = false; // which IR is not
};
ExportTakes taken_by(ExportFormat format);

struct ExportRequest {
    std::string format;                          // empty: the first of the table that takes what is exported
    Source source;                               // of a script
    ModelRequest model;                          // its path is empty: the script is exported
    std::vector<std::string> calls = {};         // of kernel factories, as PreviewRequest has them
    std::string function = {};                   // of the script; empty: all public ones
    int module = 0;                              // 1-based; 0: all
    std::vector<std::string> architectures = {}; // empty: what the script says, or default_arch
    bool contracts = true;                       // a * b + c of code for a GPU may be rounded once
    std::string history = {};             // a file of runs (kernel_bench/history.h): those of the script are told
    std::uint64_t seed = 0;               // of inputs that results are stored for
    std::vector<ModelEntry> entries = {}; // of a package, where it has several
    std::vector<Target> targets = {};     // of a model: Cuda, Cpu; empty: those that can be compiled for here
    std::string key = {};                 // of a model: signs it (package/package_writer.h); empty: it is not signed
    std::string version = {};             // of this program
    std::shared_ptr<Tools> tools = nullptr;
    std::string fault = {};
    const std::atomic<bool>* cancelled = nullptr;

    bool is_model() const { return !model.path.empty(); }
    const std::string& path() const { return is_model() ? model.path : source.name; }
};

struct ExportedFile {
    std::string path; // below the folder that the user names: "include/softmax.h"
    std::string bytes;
    bool is_executable = false;
};

struct ExportResult : Outcome {
    std::string format;
    std::vector<ExportedFile> files; // in the order of their paths; none unless the status is Ok
    std::vector<std::string> next;   // lines to copy: what one does with them
};
ExportResult make_export(const ExportRequest& request);

std::string hash_of(const ExportedFile& file); // XXH3 of 128 bits, in hexadecimal digits

// Writes the files below `out`, a folder, which is made if it is not there; what else is in it stays as it is. Where there is
// one file, `out` may be its name, if it has the ending of the format: then the result has it, too. False: that is wrong usage or refused by the machine,
// and in the result.
bool write_export(ExportResult& result, const std::string& out, std::vector<std::string>& written);

} // namespace hidet::session
