// SPDX-License-Identifier: GPL-3.0-only
// The box in which the stage of an operator's code is chosen: its definition, IR before and after each pass, and what is
// generated.
#pragma once

#include <QComboBox>

#include "app/ui/live/stage_name.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class CodeChooser : public QComboBox {
    Q_OBJECT
public:
    CodeChooser(Studio& studio, QWidget* parent = nullptr);

    void setPasses(const std::vector<session::PassSnapshot>& passes);
    void setStage(const StageName& stage);
    QSize minimumSizeHint() const override { return {96, QComboBox::minimumSizeHint().height()}; }

signals:
    void chosen(QString stage);

protected:
    void wheelEvent(QWheelEvent* event) override; // scrolling over it must not change the code

private:
    void fill();

    Studio& m_studio;
    StageName m_stage;
    std::vector<session::PassSnapshot> m_passes;
};

// "definition", and the names of stages.
QString titleOfCode(const StageName& stage);

} // namespace hidet::ui
