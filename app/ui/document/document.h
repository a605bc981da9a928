// SPDX-License-Identifier: GPL-3.0-only
// One script that is open: its text lives in an editor's Scintilla document, its file is remembered as it was read, so that
// saving keeps what the user did not change: the end of line, a byte order mark, the last line's end, permissions, a link.
#pragma once

#include <optional>

#include <QByteArray>
#include <QDateTime>
#include <QObject>
#include <QString>

#include "app/session/snapshot/forms.h"

namespace hidet::ui {

struct FileForm { // what is not seen in the editor
    bool crlf = false;
    bool byteOrderMark = false;
    friend bool operator==(const FileForm&, const FileForm&) = default;
};

struct FileText {
    QByteArray text; // UTF-8, lines end in \n
    FileForm form;
};

// Errors are sentences for the user: what is wrong and with which file.
struct FileError {
    QString message;
};

std::optional<FileText> readTextFile(const QString& path, FileError& error);
// Through a temporary file beside it, so that the old text or the new one is there whatever happens.
bool writeTextFile(const QString& path, const FileText& text, FileError& error);

class Document : public QObject {
    Q_OBJECT
public:
    Document(QString path, FileText read, int number, QObject* parent);

    // Empty: never saved.
    const QString& path() const { return m_path; }
    QString folder() const;
    QString title() const; // "matmul.py", "Untitled 2", "Untitled 3.cu"
    QString name() const;  // for diagnostics: the path, or the title
    bool isIr() const;
    std::optional<session::Form> byHand() const; // CUDA C++, PTX or the IR of a script, that was changed by hand
    bool isScript() const { return !isIr() && !byHand(); }
    int number() const { return m_number; }

    // The text now. Every change has a revision of its own; it grows.
    const QByteArray& text() const { return m_text; }
    quint64 revision() const { return m_revision; }
    void edited(const QByteArray& text);

    const FileForm& form() const { return m_form; }
    bool isModified() const { return m_gone || m_text != m_saved; }
    const QByteArray& saved() const { return m_saved; }     // as it was last read or written
    quint64 fileRevision() const { return m_fileRevision; } // grows whenever the file is read or written
    bool isGone() const { return m_gone; }                  // its file was there, and is not any more
    void setGone(bool gone);
    bool isUntouched() const { return m_path.isEmpty() && m_text.isEmpty(); }

    bool save(FileError& error);
    bool saveAs(const QString& path, FileError& error);
    void readAgain(const FileText& text); // the editor shows the text and calls edited()
    void setUnsaved(const QByteArray& text);

signals:
    void textChanged();
    void stateChanged(); // path or modified

private:
    QString m_path;
    int m_number;
    QString m_ending; // of its title, while it has no file: ".cu"
    QByteArray m_text;
    QByteArray m_saved;
    FileForm m_form;
    bool m_gone = false;
    quint64 m_revision = 1;
    quint64 m_fileRevision = 1;
};

} // namespace hidet::ui
