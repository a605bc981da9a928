// SPDX-License-Identifier: GPL-3.0-only
// One name in all scripts of a folder: where it is used, and another name for it. Other files are read on another thread; their
// changes are made in editors, where they can be undone and wait to be saved.
#pragma once

#include <QFileInfo>
#include <QPointer>
#include <algorithm>
#include <functional>

#include "app/ui/code/carets.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

namespace assist = session::assist;

class FolderNames : public QObject {
    Q_OBJECT
public:
    using EditorOf = std::function<ScriptEditor*(Document&)>;
    FolderNames(Studio& studio, EditorOf editorOf, QObject* parent)
        : QObject(parent), m_studio(studio), m_editorOf(std::move(editorOf)) {}

    // into the dock of references
    void find(ScriptEditor& editor, int offset) {
        if (!editor.live().answersAreCurrent())
            return m_studio.notices.showStatus(tr("The script is still being read"));
        const QString name = QString::fromUtf8(wordAt(editor, offset));
        const QString own = editor.document().name();
        m_search.run(
            [document = editor.live().answers(), open = buffers(), name, own, offset](const std::atomic<bool>&) {
                FoundUses out;
                out.name = name;
                for (const assist::FileUses& file :
                     assist::references_in_folder(*document, static_cast<std::uint32_t>(offset), open)) {
                    const QString path = QString::fromStdString(file.path);
                    const bool isOwn = path == own || path.isEmpty();
                    const auto buffer = open.find(file.path);
                    const std::string text = isOwn                  ? assist::text_of(*document)
                                             : buffer != open.end() ? buffer->second
                                                                    : assist::text_of_file(file.path);
                    FileOfUses shown;
                    shown.title = QFileInfo(isOwn ? own : path).fileName();
                    for (const assist::Use& use : file.uses) {
                        FoundUse found =
                            foundUse((isOwn ? own : path).toStdString(), QByteArray::fromStdString(text), use.range);
                        found.isDefinition = use.range == file.definition;
                        found.isWrite = use.is_write;
                        shown.uses << found;
                    }
                    if (!shown.uses.isEmpty())
                        out.files << shown;
                }
                return out;
            },
            [this](const FoundUses& found) {
                if (found.files.isEmpty())
                    return m_studio.notices.showStatus(tr("No uses are known for what is here"));
                emit m_studio.requests.usesFound(found);
                m_studio.requests.showDock("references");
            });
    }

    void rename(ScriptEditor& editor, int offset, const QString& name) {
        if (!editor.live().answersAreCurrent())
            return m_studio.notices.showStatus(tr("The script is still being read"));
        const auto at = static_cast<std::uint32_t>(offset);
        const QByteArray old = wordAt(editor, offset);
        if (editor.document().path().isEmpty()) { // no other file can know of it
            assist::Renaming own = assist::rename(*editor.live().answers(), at, name.toStdString());
            return apply(editor, {{editor.document().name().toStdString(), std::move(own.edits)}}, old);
        }
        m_renaming.run(
            [document = editor.live().answers(), open = buffers(), name, at](const std::atomic<bool>&) {
                return assist::rename_in_folder(*document, at, name.toStdString(), open);
            },
            [this, asked = QPointer<ScriptEditor>(&editor), text = editor.bytes(),
             old](const assist::FolderRenaming& renaming) {
                if (!asked)
                    return;
                if (!renaming.refusal.empty())
                    return m_studio.notices.showError(
                        tr("Nothing was renamed: %1").arg(QString::fromStdString(renaming.refusal)));
                if (asked->bytes() != text)
                    return m_studio.notices.showStatus(tr("Nothing was renamed: the script has changed meanwhile"));
                apply(*asked, renaming.edits, old);
            });
    }

private:
    static ByteRange bytesOf(assist::Range range) {
        return {static_cast<int>(range.begin), static_cast<int>(range.end)};
    }

    // A use with its line, which is cut where it is very long.
    static FoundUse foundUse(const std::string& file, const QByteArray& text, assist::Range range) {
        constexpr qsizetype longest = 400;
        const auto begin = std::min(qsizetype(range.begin), text.size()),
                   end = std::min(qsizetype(range.end), text.size());
        const qsizetype line = begin == 0 ? 0 : text.lastIndexOf('\n', begin - 1) + 1;
        qsizetype first = line; // indentation says nothing here
        while (first < begin && (text[first] == ' ' || text[first] == '\t'))
            ++first;
        qsizetype last = text.indexOf('\n', begin);
        last = std::min(last < 0 ? text.size() : last, first + longest);
        FoundUse out;
        out.place.file = file;
        out.place.line = out.place.end_line = static_cast<int>(QByteArrayView(text).first(line).count('\n')) + 1;
        out.place.column = static_cast<int>(begin - line) + 1;
        out.place.end_column = static_cast<int>(end - line) + 1;
        out.line = QString::fromUtf8(text.mid(first, last - first)).trimmed();
        out.begin = static_cast<int>(QString::fromUtf8(text.mid(first, begin - first)).size());
        out.end = static_cast<int>(QString::fromUtf8(text.mid(first, end - first)).size());
        return out;
    }

    using Changes = std::map<std::string, std::vector<session::assist::Edit>>;
    // what is open
    session::assist::Buffers buffers() const {
        assist::Buffers out;
        for (const Document* document : m_studio.tabs.documents())
            if (!document->path().isEmpty() && document->isScript())
                out[document->path().toStdString()] = document->text().toStdString();
        return out;
    }

    // A file that says something else by now is left alone, and named.
    void apply(ScriptEditor& asked, const Changes& changes, const QByteArray& name) {
        int places = 0;
        QStringList changed, left;
        Document& front = asked.document();
        for (const auto& [path, edits] : changes) {
            const QString file = QString::fromStdString(path);
            ScriptEditor* editor = file.isEmpty() || file == front.name() ? &asked : editorFor(file);
            std::vector<TextEdit> made;
            bool holds = editor != nullptr;
            for (const assist::Edit& edit : edits) {
                holds = holds && editor->bytes(bytesOf(edit.range)) == name;
                made.push_back({bytesOf(edit.range), QByteArray::fromStdString(edit.text)});
            }
            if (!holds) {
                left << QFileInfo(file).fileName();
                continue;
            }
            applyEditsUnderCarets(*editor, made, Stick::After);
            places += static_cast<int>(made.size());
            changed << editor->document().title();
        }
        m_studio.tabs.setCurrent(&front);
        asked.setFocus();
        if (!left.isEmpty())
            m_studio.notices.showError(tr("Not renamed in %1: the text has changed").arg(left.join(", ")));
        m_studio.notices.showStatus(tr("Renamed in %n place(s)", nullptr, places));
        if (changed.size() < 2)
            return;
        QAction* save = m_studio.commands.action(Command::FileSaveAll);
        m_studio.notices.notify(
            {"renamed",
             NoticeKind::Info,
             tr("Renamed in %1 places of %2; the files are not saved yet").arg(places).arg(changed.join(", ")),
             {{tr("Save all"), [save] { save->trigger(); }}},
             {}});
    }

    ScriptEditor* editorFor(const QString& path) {
        for (Document* document : m_studio.tabs.documents())
            if (document->name() == path)
                return m_editorOf(*document);
        FileError error;
        Document* opened = m_studio.tabs.open(path, error);
        if (!opened)
            m_studio.notices.showOpenError(error);
        return opened ? m_editorOf(*opened) : nullptr;
    }

    Studio& m_studio;
    EditorOf m_editorOf;
    LatestTask m_search;
    LatestTask m_renaming{LatestTask::Wanted::ByPerson};
};

} // namespace hidet::ui
