// SPDX-License-Identifier: Apache-2.0
// Which files a job is about: those that its request names, and those below the folders of its scripts and models. Who does
// the job sees these through the door of its supervisor (supervise.h), and no others.
#pragma once

#include <set>
#include <string>

#include "app/session/worker/jobs.h"

namespace hidet::session {

struct FileRights {
    std::set<std::string> readable; // files, and folders with all below
    std::set<std::string> writable; // likewise
    std::set<std::string> records;  // of tuning, which a database opens by itself: these need no door
    void add(const JobRequest& request);
    // Links are followed first: what counts is where a file lies.
    bool may_read(const std::string& path) const;
    bool may_write(const std::string& path) const;
};

} // namespace hidet::session
