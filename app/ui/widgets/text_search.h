// SPDX-License-Identifier: GPL-3.0-only
// Finding and replacing in a text, away from the GUI thread: an expression can take its time, and texts have megabytes.
#pragma once

#include <atomic>
#include <optional>

#include <QObject>
#include <QString>

#include "app/ui/code/carets.h"
#include "app/ui/core/latest_task.h"

namespace hidet::ui {

struct SearchQuery {
    QString pattern;
    bool isExpression = false;
    bool matchCase = false;
    bool wholeWords = false;
    std::optional<ByteRange> scope;     // nothing: the whole text
    std::optional<QString> replacement; // then there are edits; \1 and $1 are groups of an expression
};

struct SearchResult {
    std::vector<ByteRange> hits;
    std::vector<TextEdit> edits;
    QString error;       // what is wrong with the expression
    bool isWhole = true; // false: there are more hits than anybody reads
    QByteArray text;     // what was searched
};

SearchResult searchText(const QByteArray& text, const SearchQuery& query, const std::atomic<bool>& cancelled);

// Searches on a thread; the newest search wins.
class TextSearch : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void start(const QByteArray& text, const SearchQuery& query);
    void cancel() { m_searching.cancel(); }

signals:
    void found(const hidet::ui::SearchResult& result);

private:
    LatestTask m_searching;
};

} // namespace hidet::ui
