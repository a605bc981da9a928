// SPDX-License-Identifier: GPL-3.0-only
// The script of the template that schedules the selected operator, beside its kernel. Ours is read only; a copy for this model
// is edited here, and the model is compiled with it a moment after each change. What that changes of the kernel's time is
// said above the text.
#pragma once

#include <memory>

#include <QPointer>
#include <QToolButton>

#include "app/session/model/model_code.h"
#include "app/ui/code/code_view.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/graph/tune/model_tuning.h"
#include "app/ui/panes/pane_notice.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class TemplatePane : public QWidget {
    Q_OBJECT
public:
    explicit TemplatePane(Studio& studio, QWidget* parent = nullptr);

    CodeView& view() { return *m_view; }
    QString title() const { return m_title->text(); }
    QString effect() const { return m_effect->text(); }
    QString notice() const { return m_notice->text(); }
    bool isEdited() const { return !m_path.isEmpty(); } // a copy is shown
    bool isSettled() const { return !m_save.isActive(); }

    bool canEdit() const;
    void edit();
    bool canPutBack() const { return isEdited(); }
    void putBack();
    void flush(); // writes what was typed without waiting for a pause

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void follow();
    void refresh();
    void show(std::shared_ptr<const session::CodeTemplate> shown);
    void showCopy(const QString& path);
    void fill(const QByteArray& text, bool isReadOnly);
    void showEffect();
    void showMistake();
    void say(const QString& title, const QString& text);
    quint32 selectedNode() const;

    Studio& m_studio;
    QPointer<LiveModel> m_model;
    BarParts* m_parts;
    ElidedLabel* m_title;
    ElidedLabel* m_effect;
    QToolButton* m_edit;
    QToolButton* m_back;
    QToolButton* m_open;
    PaneNotice* m_notice;
    CodeView* m_view;
    EmptyState* m_empty;
    std::shared_ptr<const session::CodeTemplate> m_shown;
    QString m_path;                             // of the copy that is shown; empty: the text is read only
    QByteArray m_onDisk;                        // of the copy, as it was read or written
    static constexpr int typing_pause_ms = 400; // a model is read and planned again for each change
    OneShot m_save{typing_pause_ms, [this] { flush(); }};
    bool m_filling = false;
};

} // namespace hidet::ui
