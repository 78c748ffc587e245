import ReRune

func firstTitle() -> String {
  ReRune.setup(otaPublishId: "pub_3f7a")
  let title = reRuneString("home_title", value: "Welcome")
  return title
}

/// A menu of languages.
func languages() -> [String] { ReRune.availableLocales.map { $0.name ?? $0.identifier } }

func choose(_ language: ReRuneLocale) { ReRune.setLocale(language.identifier) }

/// Checks now and every six hours, and redraws with each new text.
@MainActor
func keepCurrent(_ redraw: @escaping @MainActor () -> Void) {
  ReRune.setup(
    otaPublishId: "pub_3f7a", updatePolicy: ReRuneUpdatePolicy(periodicInterval: .seconds(6 * 3_600)))
  Task {
    for await _ in ReRune.revisions { redraw() }
  }
}
