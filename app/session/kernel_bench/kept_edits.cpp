// SPDX-License-Identifier: Apache-2.0
// A line is {"edit": {"script": ..., "when": ..., "hash": ..., "bytes": ..., "modules": {"1": {...}}}}.
#include "app/session/kernel_bench/kept_edits.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <map>
#include <set>

#include "app/session/kernel_bench/line_file.h"
#include "app/session/kernel_bench/record_json.h"
#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::session {

static void list_members(CodeFigures& figures, RecordMembers& members) {
    members.if_any("registers", figures.registers, "sharedBytes", figures.shared_bytes, "predicted", figures.predicted);
}

namespace {

struct KeptEdit {
    std::string script, when, hash;
    std::int64_t bytes = 0;
    std::map<int, CodeFigures> modules;
};

void list_members(KeptEdit& edit, RecordMembers& members) {
    members.need("script", edit.script, "when", edit.when, "hash", edit.hash, "bytes", edit.bytes);
    std::vector<std::pair<std::string, CodeFigures>> modules;
    for (const auto& [module, figures] : edit.modules)
        modules.emplace_back(std::to_string(module), figures);
    members.if_any("modules", modules);
    for (const auto& [name, figures] : modules) {
        int module = 0;
        std::from_chars(name.data(), name.data() + name.size(), module);
        edit.modules[module] = figures;
    }
}

Error edits_unwritable(const std::string& path) {
    return {"file-not-written", cat("cannot write '", path, "'")};
}

// Lines that cannot be read are left out, and gone when the file is written anew.
Result<std::vector<KeptEdit>> read_edits(const std::string& path) {
    constexpr std::int64_t most_bytes = 8 << 20; // of lines of a few hundred bytes
    HIDET_TRY(const NewestLines lines, read_line_file(path, most_bytes));
    std::vector<KeptEdit> out;
    for_each_line(path, lines, [&](std::string_view line) {
        return read_line(line, [&](const RecordMembers& members) { out.push_back(members.get<KeptEdit>("edit")); });
    });
    return out;
}

// Every second one of the older half goes, never the first; of one alone or two the first.
void thin_out(std::vector<KeptEdit>& edits, const std::string& script) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < edits.size(); ++i)
        if (edits[i].script == script)
            places.push_back(i);
    std::set<std::size_t> gone;
    for (std::size_t i = 1; i < places.size() / 2; i += 2)
        gone.insert(places[i]);
    if (gone.empty())
        gone.insert(places.front());
    std::vector<KeptEdit> kept;
    for (std::size_t i = 0; i < edits.size(); ++i)
        if (!gone.contains(i))
            kept.push_back(std::move(edits[i]));
    edits = std::move(kept);
}

bool hold_to(std::vector<KeptEdit>& edits, const KeptEditLimits& limits) {
    const std::size_t before = edits.size();
    for (;;) {
        std::map<std::string, std::pair<std::size_t, std::int64_t>> sums; // of scripts: texts, bytes
        std::int64_t bytes = 0;
        for (const KeptEdit& edit : edits) {
            ++sums[edit.script].first;
            sums[edit.script].second += edit.bytes;
            bytes += edit.bytes;
        }
        if (sums.empty())
            return edits.size() != before;
        const auto most = std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second.first; });
        const auto largest = std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second.second; });
        if (most->second.first > limits.of_script || edits.size() > limits.of_all)
            thin_out(edits, std::string(most->first));
        else if (bytes > limits.bytes)
            thin_out(edits, std::string(largest->first));
        else
            return edits.size() != before;
    }
}

Result<void> write_edits(const std::string& path, const RunTexts& texts, const std::vector<KeptEdit>& edits) {
    std::string text;
    std::set<std::string> hashes;
    for (const KeptEdit& edit : edits) {
        text += line_of("edit", edit);
        hashes.insert(edit.hash);
    }
    HIDET_TRY_TO(replace_file(path, text));
    texts.keep_only(hashes);
    return {};
}

} // namespace

std::vector<EditState> KeptEdits::of(const std::string& script) const {
    std::vector<EditState> out;
    const auto edits = read_edits(m_path);
    if (!edits)
        return out;
    for (const KeptEdit& edit : edits.value()) {
        if (edit.script != script)
            continue;
        if (auto text = m_texts.text(edit.hash))
            out.push_back(
                {edit.when, edit.hash, std::make_shared<const std::string>(std::move(text.value())), edit.modules});
    }
    std::ranges::stable_sort(out, {}, &EditState::when);
    return out;
}

Result<void> KeptEdits::add(const std::string& script, const std::vector<EditState>& states) const {
    LineFileLock lock(m_path, O_RDWR | O_CREAT | O_APPEND);
    if (!lock.is_open())
        return edits_unwritable(m_path);
    HIDET_TRY(std::vector<KeptEdit> edits, read_edits(m_path));
    std::set<std::string> known;
    std::string last;
    for (const KeptEdit& edit : edits)
        if (edit.script == script) {
            known.insert(edit.when);
            last = edit.hash;
        }
    for (const EditState& state : states) {
        if (known.contains(state.when) || state.hash == last)
            continue;
        HIDET_TRY_TO(m_texts.keep(*state.text));
        const auto bytes = static_cast<std::int64_t>(state.text->size());
        edits.push_back({script, state.when, state.hash, bytes, state.modules});
        if (!lock.append(line_of("edit", edits.back())))
            return edits_unwritable(m_path);
        last = state.hash;
    }
    return hold_to(edits, m_limits) ? write_edits(m_path, m_texts, edits) : Result<void>();
}

Result<std::size_t> KeptEdits::forget(const std::string& script) const {
    HIDET_TRY(const std::vector<KeptEdit> seen, read_edits(m_path));
    if (seen.empty())
        return std::size_t{0};
    LineFileLock lock(m_path, O_RDWR);
    if (!lock.is_open())
        return edits_unwritable(m_path);
    HIDET_TRY(std::vector<KeptEdit> edits, read_edits(m_path)); // others may have added to it
    const std::size_t gone =
        std::erase_if(edits, [&](const KeptEdit& edit) { return script.empty() || edit.script == script; });
    HIDET_TRY_TO(write_edits(m_path, m_texts, edits));
    return gone;
}

} // namespace hidet::session
