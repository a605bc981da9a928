// SPDX-License-Identifier: GPL-3.0-only
// The command and the button of a dock that save what it shows as a picture.
#pragma once

#include <QToolButton>

#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class PictureSaver : public QObject {
    Q_OBJECT
public:
    // `make` is asked only while `has` holds.
    PictureSaver(Studio& studio, QWidget& dock, std::function<bool()> has, std::function<SavedPicture()> make);

    QToolButton* newButton(QWidget* line); // belongs to the line
    void save();                           // asks where to

private:
    Studio& m_studio;
    QWidget& m_dock;
    std::function<bool()> m_has;
    std::function<SavedPicture()> m_make;
    LatestTask m_writing{LatestTask::Wanted::ByPerson};
};

} // namespace hidet::ui
