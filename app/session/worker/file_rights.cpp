// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/file_rights.h"

#include <algorithm>
#include <filesystem>

#include "app/session/tune/tuning.h"
#include "app/session/work/work.h"

namespace hidet::session {

namespace fs = std::filesystem;

namespace {

// Where it lies, though it may not be there yet; empty: nobody can say.
fs::path place_of(const std::string& path) {
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    const fs::path place = failed ? fs::path() : fs::weakly_canonical(whole, failed);
    return failed ? fs::path() : place;
}

bool is_among(const std::set<std::string>& roots, const std::string& path) {
    const fs::path place = place_of(path);
    return !place.empty() && std::ranges::any_of(roots, [&](const std::string& root) {
        const fs::path above = place_of(root);
        return !above.empty() &&
               std::mismatch(above.begin(), above.end(), place.begin(), place.end()).first == above.end();
    });
}

void add_to(std::set<std::string>& paths, const std::string& path) {
    if (!path.empty())
        paths.insert(path);
}

void add_source(FileRights& rights, const Source& source) {
    rights.readable.insert(source.folder.empty() ? "." : source.folder);
}

void add_folder_of(FileRights& rights, const std::string& path) {
    const std::string folder = fs::path(path).parent_path();
    rights.readable.insert(folder.empty() ? "." : folder);
}

void add_records(FileRights& rights, const std::string& asked) {
    const std::string path = asked.empty() ? default_records() : asked;
    add_to(rights.records, path);
    if (!path.empty())
        for (const char* ending : {"", "-journal", "-wal", "-shm"}) // each is looked at before a database opens it
            rights.readable.insert(path + ending);
}

// One overload for each row of jobs.def.
void add_job(FileRights& rights, const RunRequest& request) {
    add_records(rights, ""); // its graphs may be tuned
    add_source(rights, request.source);
    add_to(rights.writable, request.output);
    add_to(rights.readable, request.output); // packages that a script saves, and loads again
}

void add_job(FileRights& rights, const BenchRequest& request) {
    add_job(rights, request.run);
    if (request.other)
        add_source(rights, *request.other);
}

void add_job(FileRights& rights, const KernelBenchRequest& request) {
    add_job(rights, request.run);
    const fs::path folder = request.run.source.folder;
    for (const ArgumentSpec& argument : request.arguments)
        if (!argument.file.empty())
            rights.readable.insert(folder / argument.file);
    if (request.reference.script)
        add_source(rights, *request.reference.script);
    if (request.other && request.other->script)
        add_source(rights, *request.other->script);
    add_to(rights.writable, request.save);
}

void add_job(FileRights& rights, const ScriptCheckRequest& request) {
    add_source(rights, request.source);
}

void add_job(FileRights& rights, const RehearsalRequest& request) {
    add_source(rights, request.source);
}

void add_job(FileRights& rights, const ModelRequest& request) {
    add_records(rights, request.records);
    add_folder_of(rights, request.path);
    add_to(rights.readable, request.path);
    add_to(rights.readable, request.choices);
    for (const std::string& script : request.with)
        add_folder_of(rights, script);
}

void add_job(FileRights& rights, const ModelRunRequest& request) {
    add_job(rights, static_cast<const ModelRequest&>(request));
    for (const auto& [name, file] : request.inputs)
        add_to(rights.readable, file);
    add_to(rights.readable, request.data);
    add_to(rights.readable, request.expected);
    add_to(rights.writable, request.output);
    add_to(rights.writable, request.trace);
}

void add_job(FileRights& rights, const ModelBenchRequest& request) {
    add_job(rights, request.run);
}

void add_job(FileRights& rights, const ModelTuneRequest& request) {
    add_job(rights, request.model);
}

void add_job(FileRights&, const toolchain::CompileRequest&) {}
void add_job(FileRights&, const SolveRequest&) {}
void add_job(FileRights&, const WarmUpRequest&) {}
void add_job(FileRights&, const FactsRequest&) {}
void add_job(FileRights&, const CountRequest&) {}

} // namespace

void FileRights::add(const JobRequest& request) {
    writable.insert(folder_of_reproductions());
    std::visit([this](const auto& job) { add_job(*this, job); }, request);
}

void FileRights::add_own(const JobRequest& request) {
    FileRights all;
    all.add(request);
    for (const std::string& path : all.records)
        add_records(*this, path);
    writable.insert(folder_of_reproductions());
}

bool FileRights::may_read(const std::string& path) const {
    return is_among(readable, path);
}

bool FileRights::may_write(const std::string& path) const {
    return is_among(writable, path);
}

} // namespace hidet::session
