// SPDX-License-Identifier: GPL-3.0-only
// Every state of screenshots/states.def: nothing in it is cut off, overlaps, sticks out or is empty, every table keeps Qt's
// contract of item models, and the window's parts are those of screens/…/<state>.txt, in every theme.
//
// `ui_screens --update` writes those files (tests/dev.py screens); `--part 2/4` is the second quarter of the states.
#include <algorithm>

#include <QAbstractItemView>
#include <QAbstractProxyModel>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QStatusBar>

#include "app/ui/screenshots/screenshots.h"
#include "tests/ui/fixture/layout_faults.h"
#include "tests/ui/fixture/model_contract.h"
#include "tests/ui/fixture/studio_fixture.h"
#include "tests/ui/fixture/window_structure.h"

using namespace hidet::ui;

namespace {

// By state; a new one gets its file at the top.
QMap<QString, QString> acceptedFiles() {
    QMap<QString, QString> out;
    QDirIterator each(HIDET_SCREENS, {"*.txt"}, QDir::Files, QDirIterator::Subdirectories);
    while (each.hasNext()) {
        const QString path = each.next();
        out.insert(QFileInfo(path).completeBaseName(), path);
    }
    return out;
}

QString acceptedPath(const QString& state) {
    return acceptedFiles().value(state, QString(HIDET_SCREENS "/%1.txt").arg(state));
}

QString read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// The lines from the first to the last one that differ.
QString difference(const QString& accepted, const QString& now) {
    QStringList before = accepted.split('\n'), after = now.split('\n');
    while (!before.isEmpty() && !after.isEmpty() && before.first() == after.first()) {
        before.removeFirst();
        after.removeFirst();
    }
    while (!before.isEmpty() && !after.isEmpty() && before.last() == after.last()) {
        before.removeLast();
        after.removeLast();
    }
    QString out;
    for (const QString& line : before)
        out += "\n- " + line;
    for (const QString& line : after)
        out += "\n+ " + line;
    return out;
}

QStringList untestedModels(const QWidget& window) {
    QStringList out;
    for (const auto* view : window.findChildren<QAbstractItemView*>())
        if (!view->visibleRegion().isEmpty() && view->model() && !test::isUnderContract(*view->model()))
            out << "nothing tests the model of " + view->objectName();
    return out;
}

} // namespace

class Screens : public QObject {
    Q_OBJECT
public:
    bool update = false;

private slots:
    // What the program keeps begins anew with each state, so that no state depends on which were shown before it.
    void init() {
        QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support ).*"));
        m_kept = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_kept->path().toUtf8());
    }

    void looksAsAccepted_data() {
        QTest::addColumn<const SceneInfo*>("info");
        for (const SceneInfo& info : allScenes())
            QTest::newRow(qPrintable(info.name)) << &info;
    }
    void looksAsAccepted() {
        QFETCH(const SceneInfo*, info);
        Scene scene("light", info->size);
        info->show(scene);
        QString structure;
        for (const char* theme : {"light", "dark"}) {
            scene.setTheme(theme);
            const QStringList faults = layoutFaults(scene);
            for (const QString& fault : faults) // one message of Qt's holds few of them
                qInfo("%s: %s", theme, qPrintable(fault));
            QVERIFY2(faults.isEmpty() && !scene.hasErrors(), theme);
            const QString now = test::structureOf(scene.window());
            if (!structure.isEmpty())
                QVERIFY2(now == structure, qPrintable("the themes differ:" + difference(structure, now)));
            structure = now;
        }
        if (update)
            return write(acceptedPath(info->name), structure);
        const QString accepted = read(acceptedPath(info->name));
        QVERIFY2(accepted == structure, qPrintable(difference(accepted, structure)));
    }

    // A state that is gone leaves no file.
    void everyFileHasAState() {
        const QStringList files = acceptedFiles().keys();
        QStringList states;
        for (const SceneInfo& info : allScenes())
            states << info.name;
        states.sort();
        if (!update)
            QCOMPARE(files, states);
    }

private:
    std::unique_ptr<QTemporaryDir> m_kept;

    static QStringList layoutFaults(Scene& scene) {
        scene.settle();
        scene.window().statusBar()->clearMessage(); // which goes by itself after seconds
        const QImage picture = scene.picture();
        return test::layoutFaultsOf(scene.window(), picture) + untestedModels(scene.window());
    }
    static void write(const QString& path, const QString& text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text.toUtf8()), text.toUtf8().size());
    }
};

namespace {

// Of the states, this part: 2/4 is the second quarter.
QStringList functionsOf(const QString& part) {
    const qsizetype number = part.section('/', 0, 0).toInt(), parts = std::max(1, part.section('/', 1).toInt());
    const auto count = static_cast<qsizetype>(allScenes().size());
    QStringList out;
    for (qsizetype i = (number - 1) * count / parts; i < number * count / parts; ++i)
        out << "looksAsAccepted:" + allScenes()[static_cast<std::size_t>(i)].name;
    return number == 1 ? out << "everyFileHasAState" : out;
}

} // namespace

int main(int argc, char** argv) {
    test::prepareEnvironment();
    // The same tools on every machine: a compiler that answers at once, no disassembler, no GPU.
    qputenv("HIDET_NVRTC", HIDET_FAKE_NVRTC);
    for (const char* absent : {"HIDET_NVDISASM", "HIDET_PTXAS", "HIDET_LIBCUDA", "HIDET_LIBNVML", "HIDET_CUBLAS"})
        qputenv(absent, "/nowhere");
    Application app(argc, argv);
    prepareLook();
    QStringList arguments = QCoreApplication::arguments();
    Screens tests;
    tests.update = arguments.removeAll("--update") > 0;
    if (const qsizetype at = arguments.indexOf("--part"); at > 0) {
        const QStringList functions = functionsOf(arguments.value(at + 1));
        arguments = arguments.mid(0, at) + functions + arguments.mid(at + 2);
    }
    test::ModelContract contract;
    app.installEventFilter(&contract);
    return QTest::qExec(&tests, arguments);
}

#include "screens_test.moc"
