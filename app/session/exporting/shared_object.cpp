// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/shared_object.h"

#include "app/session/exporting/exporter.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "lang/base/check.h"

namespace hidet::session {

std::optional<std::string> shared_object_of(ExportWork& out, const std::string& text) {
    HIDET_CHECK(out.request.tools, "an export that needs a compiler, and no tools");
    out.work.enter("compiling a shared object");
    toolchain::CompileRequest asked;
    asked.language = artifact::Language::Cxx;
    asked.product = toolchain::Product::SharedObject;
    asked.text = text;
    asked.arch = "x86-64-v2";
    asked.options = {"-fno-exceptions", "-fno-rtti", "-Wl,--as-needed", "-Wl,--build-id=none", "-s"};
    asked.cancelled = out.work.cancelled;
    Result<toolchain::CompileResult> made = compiled_by(out.work, *out.request.tools, asked);
    if (made)
        return std::move(made).value().bytes;
    HIDET_CHECK(made.error().code != "compile-failed", made.error().message);
    report_environment(out.work, out.work.sink, made.error());
    return std::nullopt;
}

} // namespace hidet::session
