// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/language.h"

#include <algorithm>
#include <span>

namespace hidet::ui {

namespace {

using Words = std::span<const std::string_view>;

// Sorted, for a binary search.
constexpr std::string_view script_keywords[] = {
    "False", "None", "True",   "and",   "as",     "assert", "break", "class",  "continue", "def", "del",
    "elif",  "else", "except", "for",   "from",   "global", "if",    "import", "in",       "is",  "lambda",
    "not",   "or",   "pass",   "raise", "return", "try",    "while", "with",   "yield"};
constexpr std::string_view ir_keywords[] = {
    "and", "assert", "break",  "continue", "declare", "elif", "else", "evaluate", "for",    "func",  "function",
    "if",  "in",     "kernel", "let",      "module",  "not",  "or",   "range",    "return", "while", "with"};
constexpr std::string_view cpp_keywords[] = {
    "alignas",  "asm",       "break",    "case",     "const",       "constexpr", "continue", "default",
    "do",       "else",      "enum",     "extern",   "false",       "for",       "goto",     "if",
    "inline",   "namespace", "noexcept", "operator", "private",     "public",    "register", "reinterpret_cast",
    "restrict", "return",    "sizeof",   "static",   "static_cast", "struct",    "switch",   "template",
    "true",     "typedef",   "typename", "union",    "using",       "volatile",  "while"};
constexpr std::string_view types[] = {
    "auto",   "bf16",     "bfloat16", "bool",     "boolean", "char",     "double", "f16",     "f32",      "f64",
    "f8e4m3", "f8e5m2",   "float",    "float16",  "float32", "float64",  "half",   "i16",     "i32",      "i64",
    "i8",     "int",      "int16",    "int16_t",  "int32",   "int32_t",  "int64",  "int64_t", "int8",     "int8_t",
    "long",   "short",    "signed",   "size_t",   "tensor",  "tf32",     "u16",    "u32",     "u64",      "u8",
    "uint16", "uint16_t", "uint32",   "uint32_t", "uint64",  "uint64_t", "uint8",  "uint8_t", "unsigned", "void"};
constexpr std::string_view cuda_primitives[] = {
    "__bool2int",    "__device__", "__forceinline__",  "__global__",  "__launch_bounds__", "__ldg",
    "__restrict__",  "__shared__", "__shfl_down_sync", "__shfl_sync", "__shfl_up_sync",    "__shfl_xor_sync",
    "__syncthreads", "__syncwarp", "blockDim",         "blockIdx",    "gridDim",           "threadIdx"};

struct Rules {
    Words keywords;
    Words types;
    Words primitives;
    std::string_view lineComment;
    bool blockComments = false; // /* */
    bool tripleQuotes = false;
    bool singleQuotes = false; // strings, not characters: the same to us
    bool decorators = false;
    bool hashDirectives = false;
    bool assembly = false; // directives begin with a dot, registers with % or R
};

constexpr Rules rulesOf(Language language) {
    switch (language) {
    case Language::Script: return {script_keywords, types, {}, "#", false, true, true, true, false, false};
    case Language::Ir: return {ir_keywords, types, cuda_primitives, "#", false, false, true, false, false, false};
    case Language::Cuda: return {cpp_keywords, types, cuda_primitives, "//", true, false, true, false, true, false};
    case Language::Cpp: return {cpp_keywords, types, {}, "//", true, false, true, false, true, false};
    case Language::Ptx:
    case Language::Sass: return {{}, {}, {}, "//", true, false, false, false, false, true};
    case Language::Plain: break;
    }
    return {};
}

constexpr LineState in_block_comment = 1;
constexpr LineState in_triple_single = 2;
constexpr LineState in_triple_double = 3;

bool startsName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool inName(char c) {
    return startsName(c) || isDigit(c);
}

bool has(Words words, std::string_view word) {
    return std::binary_search(words.begin(), words.end(), word);
}

class Scanner {
public:
    Scanner(Language language, std::string_view line, LineState& state)
        : m_language(language), m_rules(rulesOf(language)), m_line(line), m_state(state) {}

    std::vector<ColoredRun> run() {
        if (m_state != 0)
            resume();
        while (m_at < m_line.size())
            step();
        return std::move(m_runs);
    }

private:
    bool at(std::string_view text) const { return !text.empty() && m_line.substr(m_at).starts_with(text); }
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_line.size() ? m_line[m_at + ahead] : '\0'; }

    void put(std::size_t end, SyntaxColor color) {
        if (end <= m_at)
            return;
        if (!m_runs.empty() && m_runs.back().color == color)
            m_runs.back().length += static_cast<int>(end - m_at);
        else
            m_runs.push_back({static_cast<int>(end - m_at), color});
        m_at = end;
    }

    // Behind the `from` letters that open it; what does not close goes on in the next line.
    void until(std::string_view close, SyntaxColor color, std::size_t from = 0) {
        const std::size_t found = m_line.find(close, m_at + from);
        if (found == std::string_view::npos)
            return put(m_line.size(), color);
        m_state = 0;
        put(found + close.size(), color);
    }

    void resume() {
        if (m_state == in_block_comment)
            return until("*/", blockCommentColor());
        until(m_state == in_triple_single ? "'''" : "\"\"\"", SyntaxColor::String);
    }

    // In a listing of machine code a block comment is an address or an encoding.
    SyntaxColor blockCommentColor() const { return m_rules.assembly ? SyntaxColor::Address : SyntaxColor::Comment; }

    void step() {
        const char c = peek();
        if (at(m_rules.lineComment))
            return put(lineEnd(), SyntaxColor::Comment);
        if (m_rules.blockComments && at("/*")) {
            m_state = in_block_comment;
            return until("*/", blockCommentColor(), 2);
        }
        if (c == '"' || (c == '\'' && m_rules.singleQuotes))
            return quoted(c);
        if (m_rules.hashDirectives && c == '#')
            return put(lineEnd(), SyntaxColor::Directive);
        if (m_rules.decorators && c == '@' && blankBefore())
            return decorator();
        if (m_rules.assembly && assemblyToken())
            return;
        if (isDigit(c) || (c == '.' && isDigit(peek(1))))
            return number();
        if (startsName(c))
            return name();
        put(m_at + 1, SyntaxColor::Text);
    }

    std::size_t lineEnd() const {
        std::size_t end = m_line.size();
        while (end > m_at && (m_line[end - 1] == '\n' || m_line[end - 1] == '\r'))
            --end;
        return end;
    }

    bool blankBefore() const {
        return std::all_of(m_line.begin(), m_line.begin() + static_cast<std::ptrdiff_t>(m_at),
                           [](char c) { return c == ' ' || c == '\t'; });
    }

    void quoted(char quote) {
        const std::string_view triple = quote == '\'' ? "'''" : "\"\"\"";
        if (m_rules.tripleQuotes && at(triple)) {
            m_state = quote == '\'' ? in_triple_single : in_triple_double;
            return until(triple, SyntaxColor::String, 3);
        }
        std::size_t end = m_at + 1;
        while (end < m_line.size() && m_line[end] != quote && m_line[end] != '\n')
            end += m_line[end] == '\\' ? 2 : 1;
        put(std::min(end + 1, m_line.size()), SyntaxColor::String);
    }

    void decorator() { put(endOfName(m_at + 1, '.'), SyntaxColor::Decorator); }
    // A letter besides those of names may be part of it.
    std::size_t endOfName(std::size_t end, char also = '_') const {
        while (end < m_line.size() && (inName(m_line[end]) || m_line[end] == also))
            ++end;
        return end;
    }

    void number() {
        std::size_t end = m_at + 1;
        while (end < m_line.size() &&
               (inName(m_line[end]) || m_line[end] == '.' ||
                ((m_line[end] == '+' || m_line[end] == '-') && (m_line[end - 1] == 'e' || m_line[end - 1] == 'E') &&
                 !m_line.substr(m_at).starts_with("0x"))))
            ++end;
        put(end, SyntaxColor::Number);
    }

    void name() {
        const std::size_t end = endOfName(m_at);
        put(end, colorOfName(m_line.substr(m_at, end - m_at), end));
    }

    SyntaxColor colorOfName(std::string_view word, std::size_t end) {
        // A keyword of Python ends where an attribute begins: x.in is no keyword, but nobody writes that either.
        if (has(m_rules.keywords, word))
            return SyntaxColor::Keyword;
        const bool member = m_at > 0 && m_line[m_at - 1] == '.';
        if (!member && has(m_rules.types, word))
            return SyntaxColor::Type;
        if (has(m_rules.primitives, word))
            return SyntaxColor::Primitive;
        if (end < m_line.size() && m_line[end] == '(' && m_language != Language::Plain)
            return SyntaxColor::Function;
        return SyntaxColor::Text;
    }

    // True: something of PTX or SASS was coloured.
    bool assemblyToken() {
        const char c = peek();
        if (c == '.' && startsName(peek(1)) && blankBefore()) {
            put(endOfName(m_at + 1, '$'), peek(1) == 'L' ? SyntaxColor::Label : SyntaxColor::Directive);
            return true;
        }
        if (c == '%' || c == '$' || (c == '@' && (startsName(peek(1)) || peek(1) == '%' || peek(1) == '!'))) {
            put(endOfName(m_at + (c == '@' ? 2 : 1), '$'), c == '$' ? SyntaxColor::Label : SyntaxColor::Register);
            return true;
        }
        if (!startsName(c))
            return false;
        const std::size_t end = endOfName(m_at, '.');
        put(end, colorOfMnemonic(m_line.substr(m_at, end - m_at), end));
        return true;
    }

    SyntaxColor colorOfMnemonic(std::string_view word, std::size_t end) {
        if (end < m_line.size() && m_line[end] == ':')
            return SyntaxColor::Label;
        if (!m_seenMnemonic) {
            m_seenMnemonic = true;
            return SyntaxColor::Keyword;
        }
        // R12, UR4, P0, UP1, SR_TID.X
        const std::size_t letters = word.find_first_not_of("URPS");
        const bool numbered = letters != std::string_view::npos && letters > 0 && letters < 3 && isDigit(word[letters]);
        const bool named = word.starts_with("SR_") || word == "RZ" || word == "PT" || word == "URZ" || word == "UPT";
        return numbered || named ? SyntaxColor::Register : SyntaxColor::Text;
    }

    Language m_language;
    const Rules m_rules;
    std::string_view m_line;
    LineState& m_state;
    std::size_t m_at = 0;
    bool m_seenMnemonic = false;
    std::vector<ColoredRun> m_runs;
};

} // namespace

std::vector<ColoredRun> colorLine(Language language, std::string_view line, LineState& state) {
    return Scanner(language, line, state).run();
}

} // namespace hidet::ui
