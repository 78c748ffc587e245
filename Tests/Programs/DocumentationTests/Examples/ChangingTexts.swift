import CTesseraWebKitGTK
import Foundation
import ReRune
import ReRuneGTK

func firstTitle() -> String {
  ReRune.setup(otaPublishId: "pub_3f7a")
  let title = reRuneString("home_title", value: "Welcome")
  return title
}

/// A menu of languages.
func languages() -> [String] { ReRune.availableLocales.map { $0.name ?? $0.identifier } }

func choose(_ language: ReRuneLocale) { ReRune.setLocale(language.identifier) }

/// "1 file", "5 files"; in Russian "2 файла", "5 файлов".
func files(_ count: Int) -> String {
  String(format: reRuneString("files", count: count, value: "%lld files"), count)
}

/// Checks now and every six hours, and redraws with each new text.
@MainActor
func keepCurrent(_ redraw: @escaping @MainActor () -> Void) {
  ReRune.setup(
    otaPublishId: "pub_3f7a", updatePolicy: ReRuneUpdatePolicy(periodicInterval: .seconds(6 * 3_600)))
  Task {
    for await _ in ReRune.revisions { redraw() }
  }
}

/// A label whose text follows the server.
@MainActor
func titleLabel() -> UnsafeMutablePointer<GtkWidget>? {
  let label = gtk_label_new(nil)
  if let label {
    reRuneObserveRevision(of: label) { gtk_label_set_text(OpaquePointer($0), reRuneString("home_title")) }
  }
  return label
}
