// SPDX-License-Identifier: Apache-2.0
// What a confined process has in the place of files and compilers: somebody outside, who opens files for it and compiles.
#pragma once

#include <memory>
#include <mutex>

#include "app/session/worker/messages.h"
#include "lang/base/files.h"
#include "runtime/process/descriptor.h"
#include "runtime/toolchain/in_process.h"

namespace hidet::session {

class Outside final : public FileDoor, public toolchain::Compiler {
public:
    // `line`: a socket whose other end is a supervisor's (supervise.h).
    explicit Outside(process::Descriptor line) : m_line(std::move(line)), m_recipes(toolchain::default_places()) {}

    Result<int> open_input(const std::string& path) override;
    Result<void> store(const std::string& path, int content) override;
    Result<void> make_folders(const std::string& path) override;

    Result<toolchain::CompileResult>
    compile(const toolchain::CompileRequest& request) override; // through the cache there
    Result<std::string> recipe(const toolchain::CompileRequest& request) override;
    Answer perform(const JobRequest& request, const std::atomic<bool>& cancelled);

private:
    Result<process::Descriptor> ask(const Message& question);
    Result<void> told(int socket);
    Answer answer_to(const Submit& question, const std::atomic<bool>* cancelled);

    process::Descriptor m_line;
    std::mutex m_mutex; // of the line
    toolchain::InProcessCompiler m_recipes;
};

} // namespace hidet::session
