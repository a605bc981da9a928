// SPDX-License-Identifier: GPL-3.0-only
// Scripts and models that are open, in the order of their tabs, and which of them is in front. The graph of a model may stand
// beside a script.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QPointer>

#include "app/ui/document/document.h"

namespace hidet::session {
struct ModelRecord;
}

namespace hidet::ui {

class LiveModel;
struct Studio;

class OpenTabs : public QObject {
    Q_OBJECT
public:
    explicit OpenTabs(Studio& studio) : m_studio(studio) {}

    const QList<QObject*>& all() const { return m_tabs; } // scripts and models alike
    QObject* front() const;                               // null: nothing is open
    void setFront(QObject* tab);
    void move(int from, int to);
    // A script, a model or a workspace, by what the file is; false: it cannot be opened, and the window says why.
    bool openFile(const QString& path);

    const QList<Document*>& documents() const { return m_documents; }
    Document* current() const { return m_current; }        // null: none is open, or a model is in front
    Document* open(const QString& path, FileError& error); // makes it current; the one that is open, if it is
    Document* create(const QByteArray& text);
    // As it was when the program ended: `saved` is what its file holds, `text` what the editor held. No path: never saved;
    // then the number is that of its title.
    Document* restore(const QString& path, FileText saved, const QByteArray& text, int number);
    void close(Document& document);
    void setCurrent(Document* document);

    // One model is in front of all scripts, or none.
    const QList<LiveModel*>& models() const { return m_models; }
    LiveModel* model() const { return m_model; } // that is in front; null: a script is, or nothing
    LiveModel* openModel(const QString& path);   // makes it current; the one that is open, if it is
    // The graph of a script, beside it; made when it is first asked for. Its tab closes with that of the script.
    LiveModel* openModelOf(Document& script);
    // Or that of a model which it defines operators of, once that was put beside it. Null: there is none.
    LiveModel* modelOf(const Document* script) const;
    void splitWith(const Document& script, LiveModel* model); // null: away again; its own graph is closed instead
    // A model of an earlier session, from where runs are kept; it leaves no trace among the recent files.
    LiveModel* openKept(const QString& path, const session::ModelRecord& run);
    void close(LiveModel& model);
    void setCurrent(LiveModel& model);
    // The model whose graph commands of graphs mean: that in front, or the one beside the script that has the keyboard.
    LiveModel* graphModel() const;
    void setGraphBeside(LiveModel* model);

signals:
    void documentAdded(hidet::ui::Document* document);
    void documentClosing(hidet::ui::Document* document);
    void modelAdded(hidet::ui::LiveModel* model);
    void modelClosing(hidet::ui::LiveModel* model);
    void currentChanged(); // another tab is in front
    void besideChanged();  // another graph stands beside the script in front
    void tabsChanged();    // opened, closed, moved, or one has another title
    void workspaceRequested(QString path);

private:
    Document* add(QString path, FileText read, const QByteArray& text, int number);
    LiveModel* add(LiveModel* model);
    LiveModel* modelAt(const QString& path) const; // null: it is not open
    void bring(Document* document, LiveModel* model);
    void removeTab(QObject* tab);

    Studio& m_studio;
    QList<QObject*> m_tabs;
    QList<Document*> m_documents;
    QPointer<Document> m_current;
    QList<LiveModel*> m_models;
    LiveModel* m_model = nullptr;
    QPointer<LiveModel> m_beside;
    QHash<const Document*, QPointer<LiveModel>> m_besides;
    int m_untitled = 0;
};

} // namespace hidet::ui
