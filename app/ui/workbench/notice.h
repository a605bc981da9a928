// SPDX-License-Identifier: GPL-3.0-only
// A sentence that the user should read, with what can be done about it. Shown in a bar above the scripts; it waits there and
// takes no keyboard, so nothing that is typed goes astray.
#pragma once

#include <functional>

#include <QList>
#include <QPointer>
#include <QString>

#include "app/ui/document/document.h"

namespace hidet::ui {

enum class NoticeKind { Info, Warning, Error };

struct Offer {
    QString text; // of its button: "Reload"
    std::function<void()> act;
};

struct Notice {
    QString id; // one that has the same id is replaced; empty: none is
    NoticeKind kind = NoticeKind::Info;
    QString sentence;
    QList<Offer> offers;      // taking one closes the notice
    QPointer<Document> about; // closing it closes the notice
};

// Of the notice that the script's file has changed, or is gone.
inline QString diskNotice(const Document& document) {
    return "disk:" + document.path();
}

} // namespace hidet::ui
