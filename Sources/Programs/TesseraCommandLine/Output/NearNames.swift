package import Tessera

extension NearNames {
  /// " Did you mean 'a' or 'b'?", to stand behind a sentence; empty without names.
  package static func question(_ names: [String]) -> String {
    names.isEmpty ? "" : " Did you mean \(Alternatives.text(names.map { "'\($0)'" }))?"
  }
}
