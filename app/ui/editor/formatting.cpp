// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/formatting.h"

#include "app/ui/code/carets.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace assist = session::assist;

void formatText(Studio& studio, ScriptEditor& editor) {
    if (!editor.document().isScript())
        return studio.showStatus(tr("Only scripts are formatted"));
    if (!editor.live().answersAreCurrent())
        return studio.showStatus(tr("The script is still being read"));
    const ByteRange chosen = editor.selection();
    const bool some = chosen.begin < chosen.end;
    const assist::Range range{static_cast<std::uint32_t>(chosen.begin), static_cast<std::uint32_t>(chosen.end)};
    const assist::Formatting formatting =
        some ? assist::format_range(*editor.live().answers(), range) : assist::format(*editor.live().answers());
    if (!formatting.refusal.empty())
        return studio.showStatus(tr("Not formatted: %1").arg(QString::fromStdString(formatting.refusal)));
    if (formatting.edits.empty())
        return studio.showStatus(some ? tr("These lines are formatted already")
                                      : tr("The script is formatted already"));
    std::vector<TextEdit> edits;
    for (const assist::Edit& edit : formatting.edits)
        edits.push_back({{static_cast<int>(edit.range.begin), static_cast<int>(edit.range.end)},
                         QByteArray::fromStdString(edit.text)});
    const int first = editor.firstLine();
    applyEditsUnderCarets(editor, edits, Stick::Before);
    editor.setFirstLine(first);
    studio.showStatus(some ? tr("The lines are formatted") : tr("The script is formatted"));
}

} // namespace hidet::ui
