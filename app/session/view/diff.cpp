// SPDX-License-Identifier: Apache-2.0
// Three steps: which lines correspond (edit_script.h); with renames ignored, which of those hold under one renaming of the
// whole text; and within what is left, which removed line became which added one, so that their words can be compared.
#include "app/session/view/diff.h"

#include <algorithm>
#include <unordered_map>

#include "app/session/view/edit_script.h"
#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// Lines as words: what comparisons within lines and across renames are made of.

enum class WordKind : std::uint8_t { Name, Number, Space, Other };

struct Word {
    WordKind kind = WordKind::Other;
    TextRange range;
};

// The stretches in which two lines differ; stretches that only a space keeps apart are one.
struct WordChanges {
    std::vector<TextRange> left;
    std::vector<TextRange> right;
};

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
// Bytes of letters beyond ASCII belong to names.
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

WordKind kind_of(char c) {
    return is_blank(c)    ? WordKind::Space
           : is_digit(c)  ? WordKind::Number
           : is_letter(c) ? WordKind::Name
                          : WordKind::Other;
}

bool goes_on(WordKind kind, char c) {
    switch (kind) {
    case WordKind::Name: return is_letter(c) || is_digit(c);
    case WordKind::Number: return is_letter(c) || is_digit(c) || c == '.';
    case WordKind::Space: return is_blank(c);
    case WordKind::Other: return false;
    }
    return false;
}

std::string_view text_of(std::string_view line, const Word& word) {
    return line.substr(word.range.begin, word.range.end - word.range.begin);
}

using Numbers = std::unordered_map<std::string_view, int>;

std::vector<int> numbered(std::string_view line, const std::vector<Word>& words, Numbers& numbers) {
    std::vector<int> out;
    for (const Word& word : words)
        out.push_back(numbers.emplace(text_of(line, word), static_cast<int>(numbers.size())).first->second);
    return out;
}

std::vector<Word> without_space(std::vector<Word> words) {
    std::erase_if(words, [](const Word& word) { return word.kind == WordKind::Space; });
    return words;
}

// Neighbours become one, also across a space that both sides have.
std::vector<TextRange> stretches(std::string_view line, const std::vector<Word>& words,
                                 const std::vector<bool>& changed) {
    std::vector<TextRange> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!changed[i])
            continue;
        const TextRange& range = words[i].range;
        bool joins = !out.empty() && std::all_of(line.begin() + out.back().end, line.begin() + range.begin, is_blank);
        if (joins)
            out.back().end = range.end;
        else
            out.push_back(range);
    }
    return out;
}

// The whole line, without gaps: names, numbers, stretches of space, and every other character for itself.
std::vector<Word> words_of(std::string_view line) {
    std::vector<Word> words;
    for (std::size_t at = 0; at < line.size();) {
        WordKind kind = kind_of(line[at]);
        std::size_t end = at + 1;
        while (end < line.size() && goes_on(kind, line[end]))
            ++end;
        words.push_back({kind, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)}});
        at = end;
    }
    return words;
}

// Names that mean the same in every program, so that nothing is renamed to them: 'for', 'float', 'if'.
bool is_reserved(std::string_view name) {
    static constexpr std::string_view names[] = {
        "and",    "bool",   "break",  "char",     "const", "continue", "declare", "def",    "do",    "double",
        "elif",   "else",   "extern", "false",    "float", "for",      "func",    "global", "if",    "in",
        "int",    "let",    "long",   "not",      "or",    "range",    "return",  "shared", "short", "signed",
        "static", "struct", "true",   "unsigned", "void",  "volatile", "while",   "with"};
    return std::binary_search(std::begin(names), std::end(names), name);
}

WordChanges word_changes(std::string_view left, std::string_view right, bool ignore_whitespace) {
    std::vector<Word> a = words_of(left), b = words_of(right);
    if (ignore_whitespace)
        a = without_space(std::move(a)), b = without_space(std::move(b));
    Numbers numbers;
    std::vector<int> x = numbered(left, a, numbers), y = numbered(right, b, numbers);
    EditScript script = edit_script(x, y);
    return {stretches(left, a, script.removed), stretches(right, b, script.added)};
}

// 0: nothing in common, 1: the same, by the words that are no space.
double likeness(std::string_view left, std::string_view right) {
    std::vector<Word> a = without_space(words_of(left)), b = without_space(words_of(right));
    if (a.empty() || b.empty())
        return a.empty() && b.empty() ? 1 : 0;
    std::unordered_map<std::string_view, int> counts;
    for (const Word& word : a)
        ++counts[text_of(left, word)];
    int common = 0;
    for (const Word& word : b)
        if (int& count = counts[text_of(right, word)]; count > 0)
            --count, ++common;
    return 2.0 * common / static_cast<double>(a.size() + b.size());
}

// A line as it is compared: without what the options ignore.
std::string key_of(std::string_view line, const DiffOptions& options) {
    if (!options.ignore_whitespace && !options.ignore_renames)
        return std::string(line);
    std::string key;
    for (const Word& word : words_of(line)) {
        std::string_view text = line.substr(word.range.begin, word.range.end - word.range.begin);
        if (word.kind == WordKind::Space && options.ignore_whitespace)
            key += key.empty() || word.range.end == line.size() ? "" : " ";
        else if (word.kind == WordKind::Name && options.ignore_renames && !is_reserved(text))
            key += '\x01';
        else
            key += text;
    }
    return key;
}

std::vector<int> numbered(const LineTable& lines, const DiffOptions& options,
                          std::unordered_map<std::string, int>& keys) {
    std::vector<int> out;
    for (int line = 1; line <= lines.count(); ++line)
        out.push_back(keys.emplace(key_of(lines.text(line), options), static_cast<int>(keys.size())).first->second);
    return out;
}

// One renaming of the whole text, found as lines are met.
class Renaming {
public:
    // Whether the lines are equal under it; if so, the names in them are bound by it.
    bool accepts(std::string_view left, std::string_view right) {
        std::vector<std::string_view> a = names_in(left), b = names_in(right);
        if (a.size() != b.size())
            return false;
        Names to, from; // what this line adds
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!leads(m_to, to, a[i], b[i]) || !leads(m_from, from, b[i], a[i]))
                return false;
            to.emplace(a[i], b[i]);
            from.emplace(b[i], a[i]);
        }
        m_to.merge(to);
        m_from.merge(from);
        return true;
    }

private:
    using Names = std::unordered_map<std::string_view, std::string_view>;

    static std::vector<std::string_view> names_in(std::string_view line) {
        std::vector<std::string_view> names;
        for (const Word& word : words_of(line))
            if (std::string_view name = line.substr(word.range.begin, word.range.end - word.range.begin);
                word.kind == WordKind::Name && !is_reserved(name))
                names.push_back(name);
        return names;
    }
    static bool leads(const Names& known, const Names& added, std::string_view name, std::string_view to) {
        for (const Names* names : {&known, &added})
            if (auto found = names->find(name); found != names->end() && found->second != to)
                return false;
        return true;
    }

    Names m_to, m_from;
};

class Differ {
public:
    Differ(std::string_view left, std::string_view right, const DiffOptions& options)
        : m_left(left), m_right(right), m_options(options) {}

    std::optional<TextDiff> run() {
        std::unordered_map<std::string, int> keys;
        std::vector<int> left = numbered(m_left, m_options, keys), right = numbered(m_right, m_options, keys);
        m_script = edit_script(left, right, m_options.cancelled);
        if (m_script.cancelled)
            return {};
        if (m_options.ignore_renames)
            check_renames();
        int a = 1, b = 1;
        while (a <= m_left.count() || b <= m_right.count()) {
            if (is_cancelled())
                return {};
            int a_end = a, b_end = b;
            while (a_end <= m_left.count() && m_script.removed[static_cast<std::size_t>(a_end - 1)])
                ++a_end;
            while (b_end <= m_right.count() && m_script.added[static_cast<std::size_t>(b_end - 1)])
                ++b_end;
            change(a, a_end, b, b_end);
            a = a_end, b = b_end;
            if (a <= m_left.count() && b <= m_right.count())
                add(RowKind::Equal, a++, b++);
        }
        return std::move(m_diff);
    }

private:
    bool is_cancelled() const { return m_options.cancelled && m_options.cancelled->load(std::memory_order_relaxed); }

    void check_renames() {
        Renaming renaming;
        for (int a = 1, b = 1; a <= m_left.count() && b <= m_right.count();) {
            auto i = static_cast<std::size_t>(a - 1), j = static_cast<std::size_t>(b - 1);
            if (m_script.removed[i])
                ++a;
            else if (m_script.added[j])
                ++b;
            else {
                bool equal = renaming.accepts(m_left.text(a++), m_right.text(b++));
                m_script.removed[i] = m_script.added[j] = !equal;
            }
        }
    }

    void add(RowKind kind, int left, int right) { m_diff.rows.push_back({kind, left, right, {}, {}}); }

    void remove(int left) {
        ++m_diff.removed;
        add(RowKind::Removed, left, 0);
    }
    void insert(int right) {
        ++m_diff.added;
        add(RowKind::Added, 0, right);
    }
    void replace(int left, int right) {
        ++m_diff.removed, ++m_diff.added;
        add(RowKind::Changed, left, right);
        if (!m_options.words)
            return;
        WordChanges words = word_changes(m_left.text(left), m_right.text(right), m_options.ignore_whitespace);
        m_diff.rows.back().left_words = std::move(words.left);
        m_diff.rows.back().right_words = std::move(words.right);
    }

    // The lines [a, a_end) became [b, b_end).
    void change(int a, int a_end, int b, int b_end) {
        for (auto [left, right] : pairs(a, a_end, b, b_end)) {
            while (a < left)
                remove(a++);
            while (b < right)
                insert(b++);
            replace(a++, b++);
        }
        while (a < a_end)
            remove(a++);
        while (b < b_end)
            insert(b++);
    }

    // Which lines of a changed stretch belong together: the pairing, in order, in which they are most alike.
    std::vector<std::pair<int, int>> pairs(int a, int a_end, int b, int b_end) const {
        const int rows = a_end - a, columns = b_end - b;
        std::vector<std::pair<int, int>> out;
        if (rows == 0 || columns == 0)
            return out;
        constexpr int most = 4096;
        if (!m_options.words || rows > most / columns) { // too many to compare: one after the other
            for (int i = 0; i < std::min(rows, columns); ++i)
                out.emplace_back(a + i, b + i);
            return out;
        }
        constexpr double least = 0.3;
        auto width = static_cast<std::size_t>(columns) + 1;
        std::vector<double> like(static_cast<std::size_t>(rows) * width),
            best((static_cast<std::size_t>(rows) + 1) * width);
        for (auto i = static_cast<std::size_t>(rows); i-- > 0;)
            for (auto j = static_cast<std::size_t>(columns); j-- > 0;) {
                double alike = likeness(m_left.text(a + static_cast<int>(i)), m_right.text(b + static_cast<int>(j)));
                like[i * width + j] = alike >= least ? alike : -1;
                best[i * width + j] = std::max({best[(i + 1) * width + j], best[i * width + j + 1],
                                                alike >= least ? alike + best[(i + 1) * width + j + 1] : 0});
            }
        for (std::size_t i = 0, j = 0; i < static_cast<std::size_t>(rows) && j < static_cast<std::size_t>(columns);) {
            double here = best[i * width + j];
            if (like[i * width + j] >= 0 && here == like[i * width + j] + best[(i + 1) * width + j + 1])
                out.emplace_back(a + static_cast<int>(i++), b + static_cast<int>(j++));
            else if (here == best[(i + 1) * width + j])
                ++i;
            else
                ++j;
        }
        return out;
    }

    LineTable m_left, m_right;
    const DiffOptions& m_options;
    EditScript m_script;
    TextDiff m_diff;
};

} // namespace

std::optional<TextDiff> diff(std::string_view left, std::string_view right, const DiffOptions& options) {
    return Differ(left, right, options).run();
}

std::vector<DiffRow> inline_rows(const TextDiff& diff) {
    std::vector<DiffRow> out, added;
    auto flush = [&] {
        out.insert(out.end(), added.begin(), added.end());
        added.clear();
    };
    for (const DiffRow& row : diff.rows) {
        if (row.kind == RowKind::Equal) {
            flush();
            out.push_back(row);
            continue;
        }
        if (row.left > 0)
            out.push_back({RowKind::Removed, row.left, 0, row.left_words, {}});
        if (row.right > 0)
            added.push_back({RowKind::Added, 0, row.right, {}, row.right_words});
    }
    flush();
    return out;
}

namespace {

// "12,5"; a side without lines names the line before it.
std::string hunk_range(int first, int count) {
    if (count == 1)
        return cat(first);
    return cat(count == 0 ? first - 1 : first, ",", count);
}

} // namespace

std::string unified(std::string_view left, std::string_view right, const TextDiff& diff, const UnifiedNames& names) {
    if (diff.same())
        return "";
    LineTable old_lines(left), new_lines(right);
    std::vector<DiffRow> rows = inline_rows(diff);
    std::string out = cat("--- ", names.left, "\n+++ ", names.right, "\n");
    auto context = static_cast<std::size_t>(names.context);
    int old_next = 1, new_next = 1; // the lines that follow the rows before `at`
    for (std::size_t at = 0; at < rows.size();) {
        std::size_t change = at;
        while (change < rows.size() && rows[change].kind == RowKind::Equal)
            ++change;
        if (change == rows.size())
            break;
        std::size_t begin = change - std::min(change - at, context);
        std::size_t end = change, last = change;
        while (end < rows.size() && end <= last + 2 * context) {
            if (rows[end].kind != RowKind::Equal)
                last = end;
            ++end;
        }
        end = std::min(rows.size(), last + context + 1);
        for (; at < begin; ++at)
            ++old_next, ++new_next;
        std::string body;
        int old_count = 0, new_count = 0;
        for (; at < end; ++at) {
            const DiffRow& row = rows[at];
            char mark = row.kind == RowKind::Equal ? ' ' : row.kind == RowKind::Removed ? '-' : '+';
            body += cat(mark, row.left > 0 ? old_lines.text(row.left) : new_lines.text(row.right), "\n");
            old_count += row.left > 0;
            new_count += row.right > 0;
        }
        out += cat("@@ -", hunk_range(old_next, old_count), " +", hunk_range(new_next, new_count), " @@\n", body);
        old_next += old_count;
        new_next += new_count;
    }
    return out;
}

} // namespace hidet::session
