// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/model_setup.h"

#include <utility>

namespace hidet::ui {

class ModelSetup::ChooseStep : public QUndoCommand {
public:
    ChooseStep(ModelSetup& setup, QByteArray after, const QString& what)
        : QUndoCommand(what), m_setup(setup), m_before(setup.m_choices), m_after(std::move(after)) {}
    void undo() override { m_setup.setChoices(m_before); }
    void redo() override { m_setup.setChoices(m_after); }

private:
    ModelSetup& m_setup;
    const QByteArray m_before, m_after;
};

ModelSetup::ModelSetup(QObject* parent) : QObject(parent) {}

void ModelSetup::choose(const QByteArray& choices, const QString& what) {
    if (choices != m_choices)
        m_undo.push(new ChooseStep(*this, choices, what));
}

void ModelSetup::setChoices(const QByteArray& choices) {
    m_choices = choices;
    emit choicesChanged();
    outdate();
}

void ModelSetup::setChoicesPath(const QString& path) {
    m_choicesPath = path;
    emit choicesFileChanged();
}

void ModelSetup::choicesSaved() {
    m_savedChoices = m_choices;
    emit choicesFileChanged();
}

void ModelSetup::setScripts(const QStringList& paths) {
    if (std::exchange(m_scripts, paths) != paths)
        outdate();
}

void ModelSetup::setDimensions(const QHash<QString, qint64>& dimensions) {
    if (std::exchange(m_dimensions, dimensions) != dimensions)
        outdate();
}

void ModelSetup::setTraced(int number) {
    if (std::exchange(m_traced, number) != number)
        outdate();
}

void ModelSetup::outdate() {
    ++m_revision;
    emit outdated();
}

} // namespace hidet::ui
