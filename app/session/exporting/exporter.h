// SPDX-License-Identifier: Apache-2.0
// What an exporter works with. Each is in a file of its own and a row of exporters.def.
#pragma once

#include <optional>
#include <string>

#include "app/session/exporting/export.h"
#include "app/session/exporting/kernels.h"
#include "app/session/work/work.h"

namespace hidet::session {

class ExportWork {
public:
    ExportWork(Work& work, const ExportRequest& request, const ExportFormatInfo& format, ExportResult& result)
        : work(work), request(request), format(format), result(result), name(export_name_of(request.path())) {}

    Work& work;
    const ExportRequest& request;
    const ExportFormatInfo& format;
    ExportResult& result;
    std::vector<std::string> figures; // what was measured of the script, a sentence each
    const std::string name;           // of what is exported, as C and Python know it: "softmax" of "samples/softmax.py"

    void add(std::string path, std::string bytes, bool is_executable = false) {
        result.files.push_back({std::move(path), std::move(bytes), is_executable});
    }
    void add_next(std::string line) { result.next.push_back(std::move(line)); }
    // False, and the reason is in the work's sink.
    bool refuse(const std::string& what, const std::string& why, Span place = {});
};

// Each adds its files; false: the reason is in the work's sink.
#define HIDET_EXPORTER(name, key, subject, ending, exporter, summary) bool exporter(ExportWork& out);
#include "app/session/exporting/exporters.def"

} // namespace hidet::session
