import TesseraVerification

/// The symbol, the word and the colour of a check's status. Each alone is enough to read it.
extension Check.Status {
  var symbol: String {
    switch self {
    case .passed: "✓"
    case .failed: "✗"
    case .skipped: "–"
    case .unsupported: "?"
    }
  }

  var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .skipped: "not checked"
    case .unsupported: "not supported"
    }
  }

  /// The class of the style sheet that sets the colour.
  var colour: Attribute {
    switch self {
    case .passed: .class("good")
    case .failed: .class("bad")
    case .skipped: .class("neutral")
    case .unsupported: .class("open")
    }
  }
}
