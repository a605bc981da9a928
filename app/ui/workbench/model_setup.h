// SPDX-License-Identifier: GPL-3.0-only
// What a person has decided about a model, besides its file: choices with their undo, scripts, dimensions, inputs. A change
// outdates what was read and measured before.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QMap>
#include <QObject>
#include <QStringList>
#include <QUndoStack>

namespace hidet::ui {

class ModelSetup : public QObject {
    Q_OBJECT
public:
    explicit ModelSetup(QObject* parent);

    const QByteArray& choices() const { return m_choices; } // the text of a choices file; empty: none
    // One step of undo, "Keep conv1 and relu1 apart"; the graph is optimised again with them.
    void choose(const QByteArray& choices, const QString& what);
    const QString& choicesPath() const { return m_choicesPath; } // where they are kept; empty: nowhere yet
    void setChoicesPath(const QString& path);
    bool hasUnsavedChoices() const { return m_choices != m_savedChoices; }
    void choicesSaved();
    QUndoStack& undo() { return m_undo; }

    // Scripts with operators and rules, as --with.
    const QStringList& scripts() const { return m_scripts; }
    void setScripts(const QStringList& paths);
    // Values of dynamic dimensions, as --dim.
    const QHash<QString, qint64>& dimensions() const { return m_dimensions; }
    void setDimensions(const QHash<QString, qint64>& dimensions);
    // Of the graphs that a script traces the one that is shown, from 1 on; 0: the last.
    int traced() const { return m_traced; }
    void setTraced(int number);
    // Files that it runs on, by the names of its inputs; random numbers for the others.
    const QMap<QString, QString>& inputs() const { return m_inputs; }
    void setInputs(const QMap<QString, QString>& files) { m_inputs = files; }

    // Grows with everything that makes an earlier result stale: file, choices, scripts, dimensions, target.
    quint64 revision() const { return m_revision; }
    void outdate(); // what it is made of has changed: it is read again, keeping all that still has a meaning

signals:
    void choicesChanged();
    void choicesFileChanged(); // where they are kept, or that they are
    void outdated();

private:
    class ChooseStep;
    void setChoices(const QByteArray& choices);

    QByteArray m_choices, m_savedChoices;
    QString m_choicesPath;
    QUndoStack m_undo;
    QStringList m_scripts;
    QHash<QString, qint64> m_dimensions;
    int m_traced = 0;
    QMap<QString, QString> m_inputs;
    quint64 m_revision = 1;
};

} // namespace hidet::ui
