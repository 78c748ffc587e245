import Passage

/// Shows Passage and prints how it ends.
@MainActor
func connect(token: String) {
  Passage.shared.configure(PassageConfig(uiUrl: "https://ui.example.org", apiUrl: "https://api.example.org"))
  Passage.shared.open(
    PassageOpenOptions(
      intentToken: token,
      onConnectionComplete: { print("\($0.history.count) entries") },
      onConnectionError: { print($0.error) },
      onExit: { print($0.rawValue) }))
}
