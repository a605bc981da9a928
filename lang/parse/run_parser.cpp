// SPDX-License-Identifier: Apache-2.0
//
// ANTLR's parser over our tokens, with a strategy of our own for mistakes. One pass and one message per mistake: an error
// unwinds to its statement, which becomes an ErrorStmt, and the parser goes on with the next line. The indentation of
// every token is known beforehand, so recovery never leaves a block or stays in one by accident.
#include <antlr4-runtime.h>

#include "HidetScriptParser.h"
#include "lang/parse/syntax_errors.h"

namespace hidet::lang {

namespace {

#define TOKEN(name, spelling)                                                                                          \
    static_assert(static_cast<int>(Tok::name) == HidetScriptParser::name, "tokens.def is out of step with the "        \
                                                                          "grammar");
#include "lang/parse/tokens.def"

class ScriptToken final : public antlr4::Token {
public:
    ScriptToken(const BuilderState& state, antlr4::TokenSource* source, std::size_t index)
        : m_state(&state), m_source(source), m_index(index) {}

    std::string getText() const override { return std::string(m_state->word(static_cast<Index>(m_index))); }
    std::size_t getType() const override { return m_type; }
    std::size_t getLine() const override { return 0; }
    std::size_t getCharPositionInLine() const override { return 0; }
    std::size_t getChannel() const override { return 0; }
    std::size_t getTokenIndex() const override { return m_index; }
    std::size_t getStartIndex() const override { return 0; }
    std::size_t getStopIndex() const override { return 0; }
    antlr4::TokenSource* getTokenSource() const override { return m_source; }
    antlr4::CharStream* getInputStream() const override { return nullptr; }
    std::string toString() const override { return getText(); }

    void set_type(std::size_t type) { m_type = type; }

private:
    const BuilderState* m_state;
    antlr4::TokenSource* m_source;
    std::size_t m_index;
    std::size_t m_type = 0;
};

// The runtime asks for a source only to make tokens up, which our strategy never does.
struct NoSource final : antlr4::TokenSource {
    std::unique_ptr<antlr4::Token> nextToken() override { return nullptr; }
    std::size_t getLine() const override { return 0; }
    std::size_t getCharPositionInLine() override { return 0; }
    antlr4::CharStream* getInputStream() override { return nullptr; }
    std::string getSourceName() override { return {}; }
    antlr4::TokenFactory<antlr4::CommonToken>* getTokenFactory() override { return nullptr; }
};

class VectorStream final : public antlr4::TokenStream {
public:
    explicit VectorStream(const BuilderState& state) {
        m_tokens.reserve(state.tokens.size());
        int level = 0;
        for (std::size_t i = 0; i < state.tokens.size(); ++i) {
            Tok kind = state.tokens[i].kind;
            m_tokens.emplace_back(state, &m_source, i);
            m_tokens.back().set_type(kind == Tok::EndOfFile ? antlr4::Token::EOF : static_cast<std::size_t>(kind));
            level -= kind == Tok::DEDENT;
            m_levels.push_back(level);
            level += kind == Tok::INDENT || kind == Tok::STRAY_INDENT;
        }
    }

    std::size_t LA(ssize_t offset) override { return m_tokens[place(offset)].getType(); }
    antlr4::Token* LT(ssize_t offset) override {
        if (offset < 0 && m_at < static_cast<std::size_t>(-offset))
            return nullptr;
        return &m_tokens[place(offset)];
    }
    void consume() override {
        if (m_at + 1 < m_tokens.size())
            ++m_at;
    }
    ssize_t mark() override { return 0; }
    void release(ssize_t) override {}
    std::size_t index() override { return m_at; }
    void seek(std::size_t index) override { m_at = std::min(index, m_tokens.size() - 1); }
    std::size_t size() override { return m_tokens.size(); }
    std::string getSourceName() const override { return {}; }
    antlr4::Token* get(std::size_t index) const override {
        return const_cast<ScriptToken*>(&m_tokens[std::min(index, m_tokens.size() - 1)]);
    }
    antlr4::TokenSource* getTokenSource() const override { return const_cast<NoSource*>(&m_source); }
    std::string getText(const antlr4::misc::Interval&) override { return {}; }
    std::string getText() override { return {}; }
    std::string getText(antlr4::RuleContext*) override { return {}; }
    std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

    Tok kind(ssize_t offset = 1) const { return kind_at(place(offset)); }
    Tok kind_at(std::size_t i) const {
        std::size_t type = m_tokens[std::min(i, m_tokens.size() - 1)].getType();
        return type == antlr4::Token::EOF ? Tok::EndOfFile : static_cast<Tok>(type);
    }
    Tok previous() const { return m_at == 0 ? Tok::NEWLINE : kind_at(m_at - 1); }
    int level(std::size_t i) const { return m_levels[std::min(i, m_levels.size() - 1)]; }
    void retag(Tok kind) { m_tokens[m_at].set_type(static_cast<std::size_t>(kind)); }

private:
    std::size_t place(ssize_t offset) const {
        std::size_t i =
            offset > 0 ? m_at + static_cast<std::size_t>(offset) - 1 : m_at - static_cast<std::size_t>(-offset);
        return std::min(i, m_tokens.size() - 1);
    }

    NoSource m_source;
    std::vector<ScriptToken> m_tokens;
    std::vector<int> m_levels;
    std::size_t m_at = 0;
};

struct GaveUp {};

class Strategy final : public antlr4::DefaultErrorStrategy {
public:
    Strategy(BuilderState& state, VectorStream& stream) : m_state(state), m_stream(stream) {}

    // Called before every loop and optional part. At the start of a line, what can begin no statement is skipped here;
    // elsewhere there is nothing to do.
    void sync(antlr4::Parser* parser) override {
        Tok before = m_stream.previous();
        bool line_start = before == Tok::NEWLINE || before == Tok::DEDENT || before == Tok::INDENT ||
                          before == Tok::STRAY_INDENT || before == Tok::NO_BODY || before == Tok::STRAY_CLAUSE;
        if (!line_start)
            return;
        std::size_t rule = parser->getContext()->getRuleIndex();
        bool in_list = rule == HidetScriptParser::RuleFile || rule == HidetScriptParser::RuleStatement ||
                       (rule == HidetScriptParser::RuleBlock && before != Tok::NEWLINE);
        if (in_list)
            skip_junk(parser, rule == HidetScriptParser::RuleFile);
    }

    void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override {
        if (inErrorRecoveryMode(parser))
            return;
        beginErrorCondition(parser);
        fault(parser, e.getOffendingToken() ? e.getOffendingToken()->getTokenIndex() : m_stream.index());
    }

    void recover(antlr4::Parser* parser, std::exception_ptr error) override {
        if (parser->getContext()->getRuleIndex() != HidetScriptParser::RuleStatement &&
            parser->getContext()->getRuleIndex() != HidetScriptParser::RuleFile)
            std::rethrow_exception(error);
        std::size_t first =
            parser->getContext()->start ? parser->getContext()->start->getTokenIndex() : m_stream.index();
        bool in_file = parser->getContext()->getRuleIndex() == HidetScriptParser::RuleFile;
        skip_line(first);
        if (!in_file)
            m_state.builder.statement.statement_failed(
                {static_cast<Index>(first), static_cast<Index>(m_stream.index() - 1)});
        endErrorCondition(parser);
    }

    // A missing colon is put in; one token too many is left out. Everything else unwinds.
    antlr4::Token* recoverInline(antlr4::Parser* parser) override {
        antlr4::misc::IntervalSet expected = parser->getExpectedTokens();
        Tok wanted = expected.size() == 1 ? static_cast<Tok>(expected.getMinElement()) : Tok::EndOfFile;
        if (wanted == Tok::COLON && (m_stream.kind() == Tok::NEWLINE || starts_body(m_stream.kind()))) {
            fault(parser, m_stream.index());
            return m_stream.LT(1);
        }
        throw antlr4::InputMismatchException(parser);
    }

private:
    static bool starts_body(Tok kind) {
        return kind == Tok::RETURN || kind == Tok::PASS || kind == Tok::BREAK || kind == Tok::CONTINUE ||
               kind == Tok::RAISE;
    }

    static bool begins_statement(Tok kind) {
        static constexpr TokSet others{Tok::NEWLINE, Tok::INDENT,    Tok::NO_BODY, Tok::CASE,   Tok::AS,    Tok::IN,
                                       Tok::IS,      Tok::AND,       Tok::OR,      Tok::ELIF,   Tok::ELSE,  Tok::EXCEPT,
                                       Tok::FINALLY, Tok::RPAREN,    Tok::RBRACK,  Tok::RBRACE, Tok::COMMA, Tok::COLON,
                                       Tok::WALRUS,  Tok::SEMICOLON, Tok::DOT,     Tok::ARROW};
        if (others.holds(kind))
            return false;
        if (kind >= Tok::EQUAL && kind <= Tok::CARET_EQUAL)
            return false;
        if (kind >= Tok::SLASH && kind <= Tok::GREATER_EQUAL)
            return kind == Tok::AT || kind == Tok::TILDE;
        return kind != Tok::NOT_IN && kind != Tok::IS_NOT;
    }

    void skip_junk(antlr4::Parser* parser, bool in_file) {
        while (true) {
            Tok kind = m_stream.kind();
            if (kind == Tok::EndOfFile || (kind == Tok::DEDENT && !in_file) || begins_statement(kind))
                break;
            std::size_t first = m_stream.index();
            bool clause = kind == Tok::ELIF || kind == Tok::ELSE || kind == Tok::EXCEPT || kind == Tok::FINALLY;
            bool is_line_end =
                kind == Tok::DEDENT || kind == Tok::INDENT || kind == Tok::NO_BODY || kind == Tok::NEWLINE;
            if (is_line_end) {
                if (kind == Tok::INDENT) {
                    m_stream.retag(Tok::STRAY_INDENT);
                    break;
                }
                m_stream.consume();
                continue;
            }
            // A clause here belongs to a statement whose head has failed: the reader of lines has seen to all others.
            if (!clause)
                fault(parser, first);
            skip_line(first);
            m_state.statements.push_back(m_state.node(
                Extent{static_cast<Index>(first), static_cast<Index>(m_stream.index() - 1)}, ast::ErrorStmt{}));
        }
    }

    // To the start of the next line at the level of the token.
    void skip_line(std::size_t first) {
        int level = m_stream.level(first);
        bool moved = m_stream.index() > first;
        bool at_line_start = moved && m_stream.previous() == Tok::NEWLINE;
        while (!at_line_start && m_stream.kind() != Tok::EndOfFile) {
            Tok kind = m_stream.kind();
            if ((kind == Tok::DEDENT) && m_stream.level(m_stream.index()) < level)
                break;
            m_stream.consume();
            at_line_start = kind == Tok::NEWLINE;
        }
        bool deeper = false;
        for (; m_stream.kind() != Tok::EndOfFile && m_stream.level(m_stream.index()) > level; deeper = true)
            m_stream.consume();
        if (deeper && m_stream.kind() == Tok::DEDENT) // the one that leads back to this level
            m_stream.consume();
        if (m_stream.kind() == Tok::NO_BODY)
            m_stream.consume();
        if (m_stream.kind() == Tok::INDENT)
            m_stream.retag(Tok::STRAY_INDENT);
    }

    Index line_first(std::size_t at) const {
        while (at > 0) {
            Tok kind = m_stream.kind_at(at - 1);
            if (kind == Tok::NEWLINE || kind == Tok::INDENT || kind == Tok::DEDENT || kind == Tok::STRAY_INDENT ||
                kind == Tok::NO_BODY || kind == Tok::STRAY_CLAUSE)
                break;
            --at;
        }
        return static_cast<Index>(at);
    }

    Index line_last(std::size_t at) const {
        while (at + 1 < m_stream_size() && m_stream.kind_at(at) != Tok::NEWLINE)
            ++at;
        return static_cast<Index>(at);
    }
    std::size_t m_stream_size() const { return m_state.tokens.size(); }

    void fault(antlr4::Parser* parser, std::size_t at) {
        Stuck stuck;
        stuck.at = static_cast<Index>(at);
        stuck.line_first = line_first(at);
        for (ssize_t token : parser->getExpectedTokens().toList())
            if (token > 0)
                stuck.expected.push_back(static_cast<Tok>(token));
        for (auto* context = parser->getContext(); context;
             context = static_cast<antlr4::ParserRuleContext*>(context->parent))
            stuck.places.push_back(place_of(context->getRuleIndex()));
        report(parser, explain(m_state, stuck));
    }

    static Place place_of(std::size_t rule) {
        switch (rule) {
        case HidetScriptParser::RuleIf_statement:
        case HidetScriptParser::RuleWhile_statement: return Place::Condition;
        case HidetScriptParser::RuleFor_statement: return Place::Loop;
        case HidetScriptParser::RuleFunction:
        case HidetScriptParser::RuleParameter_list:
        case HidetScriptParser::RuleParameter:
        case HidetScriptParser::RuleLambda_parameter: return Place::Parameters;
        case HidetScriptParser::RuleHandler: return Place::Handler;
        case HidetScriptParser::RuleWith_statement: return Place::With;
        case HidetScriptParser::RuleDecorated: return Place::Decorated;
        case HidetScriptParser::RuleClause: return Place::Clause;
        default: return Place::Other;
        }
    }

    // A line that has a fault already says nothing more.
    void report(antlr4::Parser*, Diagnostic diagnostic) {
        std::size_t at = m_stream.index();
        std::uint32_t begin = m_state.token(line_first(at)).begin;
        Index last = line_last(at);
        std::uint32_t end = std::max(m_state.token(last).end, m_state.token(last + 1).begin);
        end -= end > begin ? 1 : 0; // the next line's own
        if (!m_state.faults.any_in(begin, end))
            m_state.faults.add(std::move(diagnostic));
        if (m_state.faults.full())
            throw GaveUp{};
    }

    BuilderState& m_state;
    VectorStream& m_stream;
};

} // namespace

void run_parser(BuilderState& state) {
    VectorStream stream(state);
    HidetScriptParser parser(&stream);
    parser.b = &state.builder;
    parser.setBuildParseTree(false);
    parser.removeErrorListeners();
    parser.setErrorHandler(std::make_shared<Strategy>(state, stream));
    try {
        parser.file();
    } catch (const GaveUp&) {
        state.cut_back(BuilderState::Frame{});
    }
}

} // namespace hidet::lang
