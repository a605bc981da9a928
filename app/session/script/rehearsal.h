// SPDX-License-Identifier: Apache-2.0
// Evaluating a script may end the process that does it: by a bug of ours, or because it takes all memory there is. A program
// that has more to lose than an answer installs a rehearser. Then nothing is evaluated in it (evaluate_preview) that has not
// survived the same evaluation elsewhere: the same texts, imported ones too, the same budgets, and no larger a stack.
//
// It need not be over elsewhere: the same texts take the same steps, so the evaluation here may follow the other one, a few
// thousand steps behind. Imported texts it takes from the other one, which has to be over for that.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/request/source.h"
#include "lang/base/source.h"
#include "lang/host/evaluator.h"
#include "lang/host/script_file.h"

namespace hidet::session {

struct RehearsalRequest {
    Source source;
    std::vector<std::string> calls; // of kernel factories
    // Texts that come before files of that path; those outside of the script's folder are of no use.
    std::vector<std::pair<std::string, std::string>> texts;
    std::uint64_t stack_bytes = 0; // that the evaluation may take
};

struct RehearsedImport {
    std::string path;
    lang::ScriptFile::State state = lang::ScriptFile::State::Missing;
    std::string text;
};

struct RehearsalResult {
    std::vector<RehearsedImport> files; // that the evaluation looked for, and no text of the request is
    std::vector<std::string> folders;   // likewise, of modules that are folders
    bool is_out_of_memory = false;      // it takes more than its process may have
};

// What became of one that was asked for.
struct Tried {
    enum class End : std::uint8_t {
        Survived,
        Died,
        Cancelled,
        Untried,   // it could not be tried
        Unwatched, // nothing can be tried in this installation
    };
    End end = End::Unwatched;
    RehearsalResult result = {}; // Survived
    std::string reason = {};     // Died: "segmentation fault"; Untried: a sentence
};

// Whether it may be done here.
inline bool has_survived(const Tried& tried) {
    return tried.end == Tried::End::Survived || tried.end == Tried::End::Unwatched;
}

// One that is under way. Destroying it takes it back.
class Rehearsal {
public:
    virtual ~Rehearsal() = default;
    virtual Tried wait(const std::atomic<bool>* cancelled) = 0; // ends soon after the token was set
    // Waits until more than so many steps were survived. False: that will not be, or the token was set.
    virtual bool goes_beyond(std::uint64_t steps, const std::atomic<bool>* cancelled);
    virtual void take_back() {}
    const RehearsalRequest request;

protected:
    explicit Rehearsal(RehearsalRequest request) : request(std::move(request)) {}
};

// For any thread.
class Rehearser {
public:
    virtual ~Rehearser() = default;
    virtual std::unique_ptr<Rehearsal> begin(RehearsalRequest request) = 0;
    // Keeps what was made of an evaluation that the rehearsal has not survived yet, and destroys it once it has.
    virtual void keep(std::unique_ptr<Rehearsal> rehearsal, std::shared_ptr<void> made) = 0;
};
void set_rehearser(
    Rehearser* rehearser); // lives as long as anything is evaluated; null: everything is evaluated at once

// Of a text that this thread is about to read; null where nobody rehearses.
std::unique_ptr<Rehearsal> begin_rehearsal(const Source& source, const std::vector<std::string>& calls,
                                           const std::map<std::string, std::string>* buffers);

// An evaluation here that follows its rehearsal.
class Rehearsed final : public lang::StepWatcher, public lang::ImportFiles {
public:
    // Of `file`, with the others of `sources` in the place of files. `begun` may be null.
    Rehearsed(const SourceMap& sources, FileId file, const std::string& folder, std::unique_ptr<Rehearsal> begun,
              const std::atomic<bool>* cancelled);
    bool reached(std::uint64_t steps) override;
    lang::ScriptFile read(const std::string& folder, const std::string& path) override;
    bool is_folder(const std::string& path) override;

    const Tried& wait();
    // What was made here of one that did not survive: destroyed only once that has proved to be harmless.
    void abandon(std::shared_ptr<void> made);

private:
    Rehearser* m_rehearser;
    std::unique_ptr<Rehearsal> m_rehearsal;
    const std::atomic<bool>* m_cancelled;
    std::optional<Tried> m_tried;
};

// Does it, here and now, tells now and then how many steps were survived, and throws away what comes of it. Throws
// std::bad_alloc.
RehearsalResult rehearse(const RehearsalRequest& request, const std::atomic<bool>* cancelled,
                         const std::function<void(std::uint64_t)>& tell);

} // namespace hidet::session
