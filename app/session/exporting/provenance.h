// SPDX-License-Identifier: Apache-2.0
// How an export was made, for whoever finds it later. The same each time: no clock, no path, no name of a machine.
#pragma once

#include <string>
#include <vector>

#include "app/session/exporting/kernels.h"

namespace hidet::session {

class ExportWork;

// Version of what exporters write beside code, such as the names of C functions.
inline constexpr int export_version = 1;

struct ProvenanceRow {
    std::string what; // "script"
    std::string value;
};
std::vector<ProvenanceRow> provenance_of(const ExportWork& out);
std::vector<ProvenanceRow> provenance_of(const ExportWork& out, const ExportedModule& module,
                                         const ExportedCode& code);               // of one file
std::string comment_of(const std::vector<ProvenanceRow>& rows, const char* mark); // a line each

// "softmax.cu", or "softmax.sm_80.cu" where there are several architectures.
std::string file_of(const ExportedModule& module, const ExportedCode& code, const char* ending);

} // namespace hidet::session
