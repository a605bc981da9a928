// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/code/code_chooser.h"

#include <algorithm>

#include <QAbstractItemView>
#include <QWheelEvent>

namespace hidet::ui {

QString titleOfCode(const StageName& stage) {
    if (stage == "definition")
        return CodeChooser::tr("Definition");
    if (stage == "ir:script")
        return CodeChooser::tr("IR as scheduled");
    return stage == "ir" ? CodeChooser::tr("IR after all passes") : titleOf(stage);
}

CodeChooser::CodeChooser(Studio& studio, QWidget* parent) : QComboBox(parent), m_studio(studio) {
    setAccessibleName(tr("Stage of the code"));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(12);
    setMaxVisibleItems(40);
    connect(this, &QComboBox::activated, this, [this](int row) {
        if (const StageName stage = itemData(row).toString(); !stage.isEmpty())
            emit chosen(stage);
    });
    fill();
}

void CodeChooser::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

void CodeChooser::setPasses(const std::vector<session::PassSnapshot>& passes) {
    const bool same =
        std::equal(passes.begin(), passes.end(), m_passes.begin(), m_passes.end(),
                   [](const auto& a, const auto& b) { return a.name == b.name && a.changed == b.changed; });
    if (same)
        return;
    m_passes = passes;
    fill();
}

void CodeChooser::setStage(const StageName& stage) {
    m_stage = stage;
    setAccessibleDescription(titleOfCode(stage));
    int row = findData(stage);
    if (row < 0) { // a pass that this program does not have
        addItem(titleOfCode(stage), stage);
        row = count() - 1;
    }
    setCurrentIndex(row);
}

void CodeChooser::fill() {
    const QSignalBlocker quiet(this);
    clear();
    for (const char* stage : {"definition", "ir:script", "ir", "cuda", "ptx", "sass", "cpp"}) {
        addItem(titleOfCode(stage), stage);
        if (QString(stage) == "ir")
            insertSeparator(count());
    }
    const bool some = std::any_of(m_passes.begin(), m_passes.end(),
                                  [](const session::PassSnapshot& pass) { return pass.number > 0 && pass.changed; });
    if (some)
        insertSeparator(count());
    for (const session::PassSnapshot& pass : m_passes) { // after the others the IR is as it was
        if (pass.number == 0 || !pass.changed)
            continue;
        const StageName stage = nameOfPass(m_passes, pass.number);
        addItem(titleOfCode(stage), stage);
        setItemData(count() - 1, QString::fromStdString(pass.summary), Qt::ToolTipRole);
    }
    view()->setMinimumWidth(view()->sizeHintForColumn(0) + 40);
    if (!m_stage.isEmpty())
        setStage(m_stage);
}

} // namespace hidet::ui
