// SPDX-License-Identifier: Apache-2.0
// CUDA C++ or PTX that a person has written, or changed after it was generated: what a compiler says of it is said at its lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/tools/tools.h"
#include "app/session/work/checked_text.h"
#include "app/session/work/work.h"

namespace hidet::session {

class UserText {
public:
    UserText(Work& work, const Source& source, Form form); // Form::Cuda or Form::Ptx

    struct Asked {
        toolchain::Product product = toolchain::Product::Cubin;
        std::string arch;
        std::vector<std::string> options = {}; // NVRTC's
    };
    Result<toolchain::CompileResult> made(Tools& tools, const Asked& asked); // nobody is told of a failure
    // Nothing: the sink knows why.
    std::optional<toolchain::CompileResult> compiled(Tools& tools, const Asked& asked, DiagnosticSink& sink);
    const Source& source() const { return m_source; }
    Form form() const { return m_form; }
    Span span_of(int line) const; // the line, from 1, without its indentation

private:
    void refuse(const Error& error, DiagnosticSink& sink);
    void add_header_folders(Tools& tools, toolchain::CompileRequest& request) const;

    Work& m_work;
    const Source& m_source;
    Form m_form;
    FileId m_file;
    std::optional<TextRefusal> m_refusal; // before a compiler sees the text
};

} // namespace hidet::session
