// SPDX-License-Identifier: Apache-2.0
// Which files a job is about.
#pragma once

#include <set>
#include <string>

#include "app/session/worker/jobs.h"

namespace hidet::session {

// Those that its request names, and those below the folders of its scripts and models. Who does the job sees these through a door
// (supervise.h, files_of_caller.h), and no others.
struct FileRights {
    std::set<std::string> readable; // files, and folders with all below
    std::set<std::string> writable; // likewise
    std::set<std::string> records;  // of tuning, which a database opens by itself: these need no door
    void add(const JobRequest& request);
    // Those of them that lie where the job is done, though its files are another machine's: records, and what shows a bug of ours.
    void add_own(const JobRequest& request);
    // Links are followed first: what counts is where a file lies.
    bool may_read(const std::string& path) const;
    bool may_write(const std::string& path) const;
};

} // namespace hidet::session
