// SPDX-License-Identifier: GPL-3.0-only
// The box in which a pane's stage is chosen, of a script or of a model: its owner says which there are.
#pragma once

#include <functional>

#include <QComboBox>

#include "app/ui/core/theme.h"
#include "app/ui/live/stage_name.h"

namespace hidet::ui {

struct StageRow {
    StageName stage; // empty: a heading
    QString text;
    QString tip = {};
    QString spoken = {};                // for screen readers, where that is not the text
    std::optional<bool> isChanged = {}; // of a pass: whether it changed something
};
using StageRows = QList<StageRow>;
using StageTitle = QString (*)(const StageName& stage);

StageRows generatedRows(); // "CUDA", ..., below a heading
// IR after each pass that is asked for, below a heading; nothing where there is none.
StageRows passRows(const std::vector<session::PassSnapshot>& passes, StageTitle title,
                   const std::function<bool(const session::PassSnapshot&)>& isWanted);

class StageChooser : public QComboBox {
    Q_OBJECT
public:
    StageChooser(ThemeSource& themes, QWidget* parent);

    // Asked for whenever the list is looked at. The closed box has the title of its stage.
    void setSource(std::function<StageRows()> rows, StageTitle title);
    void setStage(const StageName& stage);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    void showPopup() override;

signals:
    void chosen(StageName stage);

protected:
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void fill();
    void add(const StageRow& row);

    ThemeSource& m_themes;
    std::function<StageRows()> m_rows;
    StageTitle m_title = titleOf;
    StageName m_stage;
};

} // namespace hidet::ui
