// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/document/document.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QStringDecoder>

#include "app/session/request/edited_stage.h"
#include "lang/base/files.h"

namespace hidet::ui {

namespace {

constexpr qint64 largest_file = 64 << 20;
constexpr char byte_order_mark[] = "\xEF\xBB\xBF";

QString shown(const QString& path) {
    return QDir::toNativeSeparators(path);
}

QString reasonOf(const Error& error) {
    if (error.code == "file-not-found")
        return QObject::tr("there is no such file");
    if (error.code == "file-too-large")
        return QObject::tr("it is larger than 64 MiB");
    const QString message = QString::fromStdString(error.message);
    return message.contains("': ") ? message.section("': ", 1) : message;
}

} // namespace

std::optional<FileText> readTextFile(const QString& path, FileError& error) {
    const Result<std::string> read = read_file(path.toStdString(), largest_file);
    if (!read) {
        error.message = QObject::tr("%1 cannot be opened: %2").arg(shown(path), reasonOf(read.error()));
        return std::nullopt;
    }
    FileText out;
    out.text = QByteArray::fromStdString(read.value());
    if (out.text.startsWith(byte_order_mark)) {
        out.form.byteOrderMark = true;
        out.text.remove(0, 3);
    }
    QStringDecoder utf8(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = utf8(out.text);
    if (utf8.hasError()) {
        error.message = QObject::tr("%1 is not UTF-8 text").arg(shown(path));
        return std::nullopt;
    }
    if (out.text.contains('\0')) {
        error.message = QObject::tr("%1 is not a text file").arg(shown(path));
        return std::nullopt;
    }
    // Mixed ends of line count as \n, and the \r that are left are kept as characters.
    if (out.text.count('\n') > 0 && out.text.count("\r\n") == out.text.count('\n')) {
        out.form.crlf = true;
        out.text.replace("\r\n", "\n");
    }
    return out;
}

bool writeTextFile(const QString& path, const FileText& text, FileError& error) {
    // A link stays a link: the file that it points to is written.
    const QFileInfo info(path);
    const QString target = info.isSymLink() && !info.symLinkTarget().isEmpty() ? info.symLinkTarget() : path;
    QSaveFile file(target);
    file.setDirectWriteFallback(true); // a folder that takes no new files may hold one that can be written
    if (!file.open(QIODevice::WriteOnly)) {
        error.message = QObject::tr("%1 cannot be written: %2").arg(shown(path), file.errorString());
        return false;
    }
    QByteArray bytes = text.text;
    if (text.form.crlf)
        bytes.replace("\n", "\r\n");
    if (text.form.byteOrderMark)
        bytes.prepend(byte_order_mark);
    file.write(bytes);
    if (!file.commit()) {
        error.message = QObject::tr("%1 cannot be written: %2").arg(shown(path), file.errorString());
        return false;
    }
    return true;
}

Document::Document(QString path, FileText read, int number, QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_number(number), m_text(read.text), m_saved(read.text),
      m_form(read.form) {}

QString Document::folder() const {
    return m_path.isEmpty() ? QString() : QFileInfo(m_path).absolutePath();
}

QString Document::title() const {
    return m_path.isEmpty() ? tr("Untitled %1").arg(m_number) + m_ending : QFileInfo(m_path).fileName();
}

QString Document::name() const {
    return m_path.isEmpty() ? title() : m_path;
}

bool Document::isIr() const {
    return session::is_ir_file(name().toStdString());
}

std::optional<session::Form> Document::byHand() const {
    if (!isIr())
        return session::compiled_form(name().toStdString());
    const std::string_view text(m_text.constData(), static_cast<std::size_t>(m_text.size()));
    return session::edited_stage(text).is_of_script() ? std::optional(session::Form::Ir) : std::nullopt;
}

// A text without a file says itself what it is.
void Document::setUnsaved(const QByteArray& text) {
    if (const auto form = session::edited_stage(text.toStdString()).form; form && m_path.isEmpty())
        m_ending = QString(".") + session::info(*form).ending;
    edited(text);
}

void Document::edited(const QByteArray& text) {
    if (text == m_text)
        return;
    const bool was = isModified();
    m_text = text;
    ++m_revision;
    emit textChanged();
    if (was != isModified())
        emit stateChanged();
}

bool Document::save(FileError& error) {
    return saveAs(m_path, error);
}

bool Document::saveAs(const QString& path, FileError& error) {
    if (!writeTextFile(path, {m_text, m_form}, error))
        return false;
    m_path = QFileInfo(path).absoluteFilePath();
    m_saved = m_text;
    m_gone = false;
    ++m_fileRevision;
    emit stateChanged();
    return true;
}

void Document::setGone(bool gone) {
    if (gone == m_gone)
        return;
    m_gone = gone;
    emit stateChanged();
}

void Document::readAgain(const FileText& text) {
    m_saved = text.text;
    m_form = text.form;
    ++m_fileRevision;
    emit stateChanged();
}

} // namespace hidet::ui
