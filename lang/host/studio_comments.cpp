// SPDX-License-Identifier: Apache-2.0
// `# studio: matmul(1024, 1024, 1024)`: preview calls the kernel factory with these arguments when nothing else does,
// or when the call was asked for.
#include <charconv>

#include "lang/host/interpreter.h"

namespace hidet::lang {

namespace {

// name(argument, ..., keyword=argument): numbers, strings, names with dots, lists and tuples.
class CommentReader {
public:
    CommentReader(Evaluator::Impl& impl, Scope& scope, std::string_view text, Span span)
        : m_impl(impl), m_scope(scope), m_text(text), m_span(span) {}

    Value callee() {
        m_name = std::string(word());
        if (m_name.empty())
            bad("a function name is wanted");
        return named(m_name);
    }
    Args arguments() {
        Args args;
        if (!take('('))
            bad("'(' is wanted after '" + m_name + "'");
        while (!take(')')) {
            if (m_depth > 20)
                bad("it is nested too deeply");
            std::size_t start = m_at;
            std::string key(word());
            if (!key.empty() && take('=')) {
                args.keywords.emplace_back(key, argument());
                args.keyword_spans.push_back(m_span);
                args.keyword_name_spans.push_back(m_span);
            } else {
                m_at = start;
                args.positional.push_back(argument());
                args.spans.push_back(m_span);
            }
            if (!take(',') && peek() != ')')
                bad("',' or ')' is wanted");
        }
        return args;
    }

private:
    [[noreturn]] void bad(const std::string& why) { fail(DiagId::BadStudioComment, m_span, why); }
    void blanks() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }
    char peek() {
        blanks();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c) {
        if (peek() != c || (c == '=' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '='))
            return false;
        ++m_at;
        return true;
    }
    std::string_view word() {
        blanks();
        std::size_t begin = m_at;
        auto fits = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
                   static_cast<unsigned char>(c) >= 0x80;
        };
        if (m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])))
            return {};
        while (m_at < m_text.size() && fits(m_text[m_at]))
            ++m_at;
        return m_text.substr(begin, m_at - begin);
    }
    Value named(const std::string& name) {
        std::vector<std::string> parts = split(name, '.');
        const Value* found = m_scope.find(parts[0]);
        if (!found) {
            std::vector<std::string> names;
            m_scope.names(names);
            throw DiagnosticError(Diagnostic::make(DiagId::UnknownName, m_span, parts[0]).suggest({}, parts[0], names));
        }
        Value value = *found;
        for (std::size_t i = 1; i < parts.size(); ++i)
            value = m_impl.attribute(value, parts[i], m_span);
        return value;
    }
    Value number() {
        std::size_t begin = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '.' ||
                                        m_text[m_at] == '_' || (m_text[m_at] == '-' && m_at == begin)))
            ++m_at;
        std::string text;
        for (char c : m_text.substr(begin, m_at - begin))
            if (c != '_')
                text += c;
        std::int64_t whole = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
        if (error == std::errc() && end == text.data() + text.size())
            return Value::integer(whole);
        double real = 0;
        auto [real_end, real_error] = std::from_chars(text.data(), text.data() + text.size(), real);
        if (real_error != std::errc() || real_end != text.data() + text.size())
            bad("'" + text + "' is not a number");
        return Value::real(real);
    }
    Value argument() {
        struct Depth {
            int& depth;
            ~Depth() { --depth; }
        } depth{++m_depth};
        if (m_depth > 20)
            bad("it is nested too deeply");
        char c = peek();
        if (c == '\'' || c == '"') {
            std::size_t end = m_text.find(c, ++m_at);
            if (end == std::string_view::npos)
                bad("a string is not closed");
            Value value = Value::str(std::string(m_text.substr(m_at, end - m_at)));
            m_at = end + 1;
            return value;
        }
        if (c == '[' || c == '(') {
            ++m_at;
            std::vector<Value> items;
            char close = c == '[' ? ']' : ')';
            while (!take(close)) {
                items.push_back(argument());
                if (!take(',') && peek() != close)
                    bad(cat("',' or '", close, "' is wanted"));
            }
            return c == '[' ? m_impl.new_list(std::move(items)) : Value::tuple(std::move(items));
        }
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.')
            return number();
        std::string name(word());
        if (name == "True" || name == "False")
            return Value::boolean(name == "True");
        if (name == "None")
            return Value();
        if (name.empty())
            bad("an argument is wanted");
        return named(name);
    }

    Evaluator::Impl& m_impl;
    Scope& m_scope;
    std::string_view m_text;
    Span m_span;
    std::string m_name;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

void Evaluator::Impl::run_studio_comments(const ast::Module& module, Scope& scope) {
    std::size_t left = module.comments.size();
    for (const ast::Comment& comment : module.comments) {
        const bool is_asked = left-- <= module.asked_calls;
        const std::size_t known = result.modules.size();
        std::string_view text = comment.text;
        std::size_t start = text.find_first_not_of("# \t");
        if (start == std::string_view::npos || !text.substr(start).starts_with("studio:"))
            continue;
        if (trimmed(text.substr(start + 7)).starts_with("expect ")) // of performance: app/session/prove/contracts.h
            continue;
        CommentReader reader(*this, scope, text.substr(start + 7), comment.span);
        try {
            Value callee = reader.callee();
            if (callee.is(ValueKind::Function) && as_function(callee).calls > 0 && !is_asked)
                continue;
            Args args = reader.arguments();
            call(callee, args, comment.span);
            for (std::size_t i = known; i < result.modules.size(); ++i)
                result.modules[i].is_asked = is_asked;
        } catch (const UnknownValue&) {
        } catch (const RaisedError& error) {
            report(error);
        } catch (const DiagnosticError& error) {
            if (!can_be_caught(error.diagnostic))
                throw;
            report(error);
        }
    }
}

} // namespace hidet::lang
