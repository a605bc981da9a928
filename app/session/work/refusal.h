// SPDX-License-Identifier: Apache-2.0
// What the environment or a compiler refuses, as diagnostics.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/session/work/work.h"
#include "compiler/artifact/source.h"
#include "compiler/ir/func.h"
#include "lang/base/result.h"

namespace hidet::session {

// A missing tool, a full disk, no GPU: exit code 3. `site` is where in the script it was needed.
void report_environment(Work& work, DiagnosticSink& sink, const Error& error, Span site = {});

// False: what a user asked for cannot be.
bool report_wrong_usage(Work& work, Diagnostic diagnostic);
bool report_wrong_usage(Work& work, const std::string& message);
// As request/source.h has it; what cannot be read is a wrong usage.
bool read_source(Work& work, const std::string& path, Source& source);

// Where a text of the user's replaces a kernel that the script, whose kernels for a GPU these are, does not build.
void report_unknown_kernel(DiagnosticSink& sink, const KernelReplacement& replacement,
                           const std::set<std::string>& kernels);
std::string quoted_list(const std::vector<std::string>& names); // 'a', 'b'

void report_warning(DiagnosticSink& sink, const std::string& message, Span site = {});

// What ended a call: a fault of the script (1) or of the device (3).
void report_failure(Work& work, DiagnosticSink& sink, const Error& error, const std::string& function, Span site);

// A compiler that refuses generated text: the mistake of a script that names types and functions of the compiler's,
// or has inline assembly, at the place that the compiler's line came from; else our bug.
void report_compile_error(Work& work, DiagnosticSink& sink, const ir::Module& module, const artifact::Source& source,
                          const Error& error);

} // namespace hidet::session
