// SPDX-License-Identifier: GPL-3.0-only
// What an editor does with the name at its caret: cards, definitions, other names.
#include "app/ui/code/carets.h"
#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

namespace assist = session::assist;

void ScriptEditor::showCard(int offset, FloatingPanel::Prefer prefer) {
    if (m_completer.isOpen())
        return;
    assist::Card card;
    if (m_live.answersAreCurrent())
        card = assist::hover(*m_live.answers(), static_cast<std::uint32_t>(offset));
    const auto problems = problemsAt(offset);
    ByteRange range{offset, offset};
    if (card.known())
        range = {static_cast<int>(card.range.begin), static_cast<int>(card.range.end)};
    if (!m_card)
        m_card = new HoverCard(*this);
    m_cardCaret = caret();
    m_card->show(card, problems, range, prefer);
}

void ScriptEditor::closeCard() {
    m_cardTimer.stop();
    if (m_card)
        m_card->setVisible(false);
}

void ScriptEditor::goToDefinition(int offset) {
    if (!m_live.answersAreCurrent()) {
        m_studio.notices.showStatus(tr("The script is still being read"));
        return;
    }
    const assist::Location found = assist::definition(*m_live.answers(), static_cast<std::uint32_t>(offset));
    const ByteRange range{static_cast<int>(found.range.begin), static_cast<int>(found.range.end)};
    if (!found.known()) {
        m_studio.notices.showStatus(tr("No definition is known for what is here"));
    } else if (found.file.empty()) {
        jumpTo(range);
    } else {
        // Its text may not be open: the place is worked out from the file.
        FileError error;
        const QString path = QString::fromStdString(found.file);
        const std::optional<FileText> file = readTextFile(path, error);
        if (!file)
            return m_studio.notices.showOpenError(error);
        const QByteArray before = file->text.left(range.begin);
        session::Place place;
        place.file = found.file;
        place.line = place.end_line = static_cast<int>(before.count('\n')) + 1;
        place.column = static_cast<int>(before.size() - (before.lastIndexOf('\n') + 1)) + 1;
        place.end_column = place.column + range.end - range.begin;
        m_studio.requests.show(place);
    }
}

void ScriptEditor::renameAtCaret() {
    ByteRange word;
    if (wordAt(*this, caret(), &word).isEmpty()) {
        m_studio.notices.showStatus(tr("There is no name here"));
        return;
    }
    if (!m_rename) {
        m_rename = new InPlaceField(*this, "rename", tr("New name"));
        connect(m_rename, &InPlaceField::accepted, this,
                [this](const QString& name) { emit renameRequested(m_renamedOffset, name); });
    }
    m_renamedOffset = caret();
    CodeView::reveal(word);
    const QString old = QString::fromUtf8(bytes(word));
    m_rename->open(word, old, [this, old](const QString& name) -> QString {
        if (name == old)
            return {};
        if (!m_live.answersAreCurrent())
            return tr("the script is still being read");
        return QString::fromStdString(
            assist::rename(*m_live.answers(), static_cast<std::uint32_t>(m_renamedOffset), name.toStdString()).refusal);
    });
}

// The imports that would bind the names of a line which nothing binds. All of them are known, while the script's evaluation
// ends at its first mistake.
std::vector<session::FixView> ScriptEditor::importsFor(int line) const {
    std::vector<session::FixView> out;
    if (!m_live.valuesAreCurrent())
        return out;
    const ByteRange here = rangeOfLine(line);
    for (const ByteRange& name : m_unknown)
        if (here.begin <= name.begin && name.end <= here.end)
            for (const assist::ImportFix& fix :
                 assist::import_fixes(*m_live.answers(), static_cast<std::uint32_t>(name.begin)))
                out.push_back({placeOf({static_cast<int>(fix.edit.range.begin), static_cast<int>(fix.edit.range.end)}),
                               fix.edit.text, fix.title});
    return out;
}

} // namespace hidet::ui
