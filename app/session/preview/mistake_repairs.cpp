// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/mistake_repairs.h"

#include <algorithm>
#include <map>

#include "app/session/preview/bracket_text.h"
#include "app/session/preview/repair_text.h"
#include "app/session/script/read_document.h"
#include "lang/service/service.h"

namespace hidet::session {

namespace service = lang::service;

namespace {

constexpr FileId file_of_script = 1;
constexpr int most_trials = 24;        // of a text: each is an evaluation of it
constexpr std::size_t most_offers = 3; // for a mistake

// How many mistakes of each kind there are in each line; edits stay within a line.
using Mistakes = std::map<std::pair<DiagId, int>, int>;

Mistakes mistakes_of(const DiagnosticSink& sink, const SourceMap& sources) {
    Mistakes out;
    for (const Diagnostic& each : sink.all())
        ++out[{each.id, place_of(each.span, sources).line}];
    return out;
}

class Repairer {
public:
    Repairer(Work& work, RepairRequest request) : m_work(work), m_request(std::move(request)) {}

    void run() {
        m_before = mistakes_of(m_work.sink, m_work.sources);
        for (Diagnostic& mistake : m_work.sink.take()) {
            if (mistake.fixes.empty() && may_be_repaired(mistake.id) && mistake.span.file == file_of_script)
                repair(mistake);
            m_work.sink.report(std::move(mistake));
        }
    }

private:
    void repair(Diagnostic& mistake) {
        const std::string& text = m_request.source.text;
        for (FixIt& fix : possible_repairs(mistake, text, [&](std::uint32_t offset) { return known_at(offset); }))
            if (mistake.fixes.size() < most_offers && m_trials < most_trials && !m_work.stopped() &&
                !has_title(mistake, fix.title) && helps(mistake, fix))
                mistake.fixes.push_back(std::move(fix));
    }

    static bool has_title(const Diagnostic& mistake, const std::string& title) {
        return std::ranges::any_of(mistake.fixes, [&](const FixIt& each) { return each.title == title; });
    }

    KnownName known_at(std::uint32_t offset) {
        if (!m_request.document)
            m_request.document = evaluated(m_request.source.text, nullptr);
        const service::Card card = service::hover(*m_request.document, offset);
        KnownName out;
        const std::string_view shape = card.shape;
        if (shape.starts_with('[') && shape.ends_with(']'))
            for (const std::string_view extent : parts_of(shape.substr(1, shape.size() - 2)))
                out.shape.emplace_back(extent);
        out.type = card.type;
        return out;
    }

    // The mistakes of the text go into `mistakes`, if that is not null.
    service::DocumentRef evaluated(const std::string& text, Mistakes* mistakes) {
        Work work;
        work.cancelled = m_work.cancelled;
        service::DocumentRef document;
        guarded(work, [&] {
            const Source& source = m_request.source;
            ReadDocument read =
                read_document(work, {text, source.name, source.folder, m_request.calls, nullptr, m_request.buffers});
            evaluate_document(work, read, source.folder);
            document = std::move(read.document);
        });
        if (mistakes)
            *mistakes = mistakes_of(work.sink, work.sources);
        return document;
    }

    bool helps(const Diagnostic& mistake, const FixIt& fix) {
        ++m_trials;
        std::string text = m_request.source.text;
        text.replace(fix.span.begin, fix.span.end - fix.span.begin, fix.text);
        Mistakes after;
        if (!evaluated(text, &after) || m_work.stopped())
            return false;
        const std::pair<DiagId, int> cured{mistake.id, place_of(mistake.span, m_work.sources).line};
        const auto count = [](const Mistakes& of, const std::pair<DiagId, int>& kind) {
            const auto found = of.find(kind);
            return found == of.end() ? 0 : found->second;
        };
        return count(after, cured) < count(m_before, cured) &&
               std::ranges::all_of(after, [&](const auto& each) { return each.second <= count(m_before, each.first); });
    }

    Work& m_work;
    RepairRequest m_request;
    Mistakes m_before;
    int m_trials = 0;
};

} // namespace

void offer_repairs(Work& work, RepairRequest request) {
    const bool may_help = std::ranges::any_of(
        work.sink.all(), [](const Diagnostic& each) { return each.fixes.empty() && may_be_repaired(each.id); });
    if (may_help)
        Repairer(work, std::move(request)).run();
}

} // namespace hidet::session
