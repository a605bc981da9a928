// SPDX-License-Identifier: Apache-2.0
#include "app/session/reduce/finding_identity.h"

#include <algorithm>

#include "lang/base/ascii.h"
#include "lang/base/source.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

bool is_name_part(char c) {
    return is_name_byte(c) || c == '.';
}

// Names stay, expressions do not: they get smaller.
std::string quoted_kind(std::string_view words) {
    return std::ranges::all_of(words, is_name_part) ? cat("'", words, "'") : "''";
}

// Where the bracket at this place is closed.
std::size_t end_of_bracket(std::string_view text, std::size_t at) {
    int depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
        depth += text[i] == '(' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == ']';
        if (depth == 0)
            return i + 1;
    }
    return text.size();
}

std::string_view without_tail(std::string_view message) {
    for (const char* tail : {"; did you mean", ", like ", "; worst at"})
        message = message.substr(0, message.find(tail));
    if (message.ends_with(" more") || message.ends_with(" times more"))
        message = message.substr(0, message.rfind(", and "));
    return message;
}

// The text that a diagnostic marks.
std::string marked(const Place& place, std::string_view script) {
    if (!place.known())
        return "";
    const SourceFile file("", std::string(script));
    const auto offset = [&](int line, int column) {
        if (line > file.line_count())
            return static_cast<std::uint32_t>(file.text().size());
        std::uint32_t at = file.line_start(line);
        for (int i = 1; i < column && at < file.text().size(); ++at)
            i += at + 1 >= file.text().size() || (static_cast<unsigned char>(file.text()[at + 1]) & 0xc0) != 0x80;
        return at;
    };
    const std::uint32_t begin = offset(place.line, place.column), end = offset(place.end_line, place.end_column);
    return begin < end ? file.text().substr(begin, end - begin) : "";
}

std::string comparison_kind(const Comparison& comparison) {
    constexpr std::int64_t few = 10; // one in as many
    std::string out = comparison.bad == comparison.count ? "all" : "some";
    out += comparison.bad * few <= comparison.count ? ", few" : "";
    out += comparison.got_nan > 0 ? " nan" : "";
    out += comparison.never_written > 0 ? " unwritten" : "";
    out += comparison.got == 0 ? " zero" : "";
    return out + (comparison.wanted == 0 ? " wants-zero" : "");
}

bool is_check(const DiagnosticView& finding) {
    return finding.is(DiagId::AssertionFailed) || finding.is(DiagId::TensorsDiffer) ||
           finding.is(DiagId::UncaughtException);
}

} // namespace

std::string message_kind(std::string_view message) {
    message = without_tail(message);
    std::string out;
    for (std::size_t i = 0; i < message.size();) {
        const char c = message[i];
        const bool begins_word = out.empty() || !is_name_part(out.back());
        const std::size_t quote = c == '\'' && begins_word ? message.find('\'', i + 1) : std::string::npos;
        if (quote != std::string::npos) {
            out += quoted_kind(message.substr(i + 1, quote - i - 1));
            i = quote + 1;
        } else if (c == '(' || c == '[') {
            i = end_of_bracket(message, i);
            out += c == '[' ? "[]" : "";
        } else if (is_digit(c) && begins_word) {
            while (i < message.size() && is_name_part(message[i]))
                ++i;
            out += '#';
        } else if (c == ' ' && (out.empty() || out.back() == ' ')) {
            ++i;
        } else {
            out += c;
            ++i;
        }
    }
    return out;
}

std::string finding_identity(const DiagnosticView& finding, std::string_view script, const RunResult* run) {
    std::string out = finding.id + "\n";
    if (!is_check(finding))
        return out + message_kind(finding.message);
    // Of a check the message says little, and a script that computes nothing fails it as well.
    std::string text = marked(finding.place, script);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || is_digit(c); });
    out += text;
    if (!run)
        return out;
    out += run->summary.launches > 0 ? "\nlaunches" : "";
    out += run->summary.calls + run->summary.native_calls > 0 ? "\ncalls" : "";
    for (const Comparison& comparison : run->comparisons)
        out += "\n" + comparison_kind(comparison);
    return out;
}

} // namespace hidet::session
