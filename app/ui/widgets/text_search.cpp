// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/text_search.h"

#include <QRegularExpression>

namespace hidet::ui {

namespace {

constexpr std::size_t most_hits = 200'000;

// Bytes of UTF-8 before a UTF-16 position, for positions that only grow.
class ByteCounter {
public:
    explicit ByteCounter(const QString& text) : m_text(text) {}
    int at(qsizetype position) {
        for (; m_position < position; ++m_position) {
            const QChar c = m_text[m_position];
            // Each half of a surrogate pair counts two of its four bytes.
            m_bytes += c.unicode() < 0x80 ? 1 : c.unicode() < 0x800 || c.isSurrogate() ? 2 : 3;
        }
        return m_bytes;
    }

private:
    const QString& m_text;
    qsizetype m_position = 0;
    int m_bytes = 0;
};

QRegularExpression expressionOf(const SearchQuery& query) {
    QString pattern = query.isExpression ? query.pattern : QRegularExpression::escape(query.pattern);
    if (query.wholeWords)
        pattern = "(?<!\\w)(?:" + pattern + ")(?!\\w)";
    auto options = QRegularExpression::MultilineOption | QRegularExpression::UseUnicodePropertiesOption;
    if (!query.matchCase)
        options |= QRegularExpression::CaseInsensitiveOption;
    return QRegularExpression(pattern, options);
}

QString expanded(const QString& replacement, const QRegularExpressionMatch& match) {
    QString out;
    for (qsizetype i = 0; i < replacement.size(); ++i) {
        const QChar c = replacement[i];
        const QChar next = i + 1 < replacement.size() ? replacement[i + 1] : QChar();
        if ((c == '\\' || c == '$') && next.isDigit()) {
            out += match.captured(next.digitValue());
            ++i;
        } else if (c == '\\' && (next == 'n' || next == 't' || next == '\\')) {
            out += next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
            ++i;
        } else {
            out += c;
        }
    }
    return out;
}

} // namespace

SearchResult searchText(const QByteArray& text, const SearchQuery& query, const std::atomic<bool>& cancelled) {
    SearchResult out;
    out.text = text;
    if (query.pattern.isEmpty())
        return out;
    const QRegularExpression expression = expressionOf(query);
    if (!expression.isValid()) {
        out.error = expression.errorString();
        return out;
    }
    const QString whole = QString::fromUtf8(text);
    ByteCounter bytes(whole);
    QRegularExpressionMatchIterator matches = expression.globalMatch(whole);
    while (matches.hasNext() && !cancelled) {
        const QRegularExpressionMatch match = matches.next();
        const int begin = bytes.at(match.capturedStart());
        const ByteRange hit{begin, bytes.at(match.capturedEnd())};
        if (query.scope && hit.begin > query.scope->end)
            break;
        if (query.scope && (hit.begin < query.scope->begin || hit.end > query.scope->end))
            continue;
        if (out.hits.size() >= most_hits && !query.replacement) {
            out.isWhole = false;
            break;
        }
        out.hits.push_back(hit);
        if (query.replacement)
            out.edits.push_back(
                {hit, (query.isExpression ? expanded(*query.replacement, match) : *query.replacement).toUtf8()});
    }
    return out;
}

void TextSearch::start(const QByteArray& text, const SearchQuery& query) {
    m_searching.run([text, query](const std::atomic<bool>& stopped) { return searchText(text, query, stopped); },
                    [this](const SearchResult& result) { emit found(result); });
}

} // namespace hidet::ui
