/// The allow-list of analytics events. It protects against mistakes, such as a page that reports a name or a document
/// number in an event. It does not protect against a malicious page, which can send its data elsewhere.
enum AnalyticsVocabulary {
  /// A permitted number. Narrow ranges and coarse steps exclude dates and document numbers.
  struct Number {
    let range: ClosedRange<Int64>
    var step: Int64 = 1

    /// Rounds a number down to the step; nil if the value is not a number in the range.
    func rounded(_ value: JSONValue?) -> Int64? {
      let number: Int64
      switch value {
      case .integer(let integer): number = integer
      case .number(let fraction):
        guard let integer = fraction.double.flatMap({ Int64(exactly: $0.rounded()) }) else { return nil }
        number = integer
      default: return nil
      }
      guard range.contains(number) else { return nil }
      return number / step * step
    }
  }

  static let numbers: [String: Number] = [
    "durationMs": Number(range: 0...600_000, step: 100),
    "elapsedMs": Number(range: 0...600_000, step: 100),
    "attempt": Number(range: 0...100),
    "attempts": Number(range: 0...100),
    "retries": Number(range: 0...100),
    "count": Number(range: 0...1_000),
    "percent": Number(range: 0...100),
    "stateIndex": Number(range: 0...7),
  ]

  static let flags: Set<String> = ["success", "cancelled", "retry", "supported", "available", "enabled", "skipPACE"]

  /// The steps of a scan in Tessera and in the mobile SDKs.
  static let steps = Set(NfcScanStep.allCases.map(\.rawValue)).union([
    "initializing", "tag_discovered", "connected", "apdu_exchange", "apdu_complete", "authenticating", "reading_data",
    "reading_security", "authenticating_chip", "finalizing", "error",
  ])

  /// The error codes that a client can receive (the bridge protocol, section Errors).
  static let errorCodes: Set<String> = [
    "ALREADY_SCANNING", "APDU_REJECTED", "AUTH_FAILED", "BIOMETRIC_ERROR", "BIOMETRIC_FAILED", "BRIDGE_TIMEOUT",
    "CAMERA_BUSY", "CAMERA_ERROR", "CAMERA_INIT_FAILED", "CAMERA_PERMISSION_DENIED", "DOMAIN_NOT_FOUND",
    "HANDLER_NOT_FOUND", "INTERNAL_ERROR", "INVALID_DATA", "INVALID_PARAMS", "KEY_ALREADY_EXISTS", "KEY_NOT_FOUND",
    "METHOD_NOT_FOUND", "MISSING_DATA", "MISSING_DOB", "MISSING_DOCUMENT", "MISSING_EXPIRY", "MISSING_ID",
    "MISSING_KEY", "MISSING_KEY_REF", "MISSING_PASSPORT_NUMBER", "MISSING_ROUTE", "MISSING_VALUE",
    "MRZ_SCAN_CANCELLED", "MRZ_SCAN_FAILED", "MRZ_SCAN_INVALID_RESULT", "NFC_APDU_NOT_ALLOWED",
    "NFC_APDU_NOT_SUPPORTED", "NFC_APDU_TIMEOUT", "NFC_BUSY", "NFC_NOT_ENABLED", "NFC_NOT_ISO_DEP",
    "NFC_NOT_SUPPORTED", "NFC_SCAN_FAILED", "NOT_AVAILABLE", "NOT_CONFIGURED", "NOT_IMPLEMENTED", "NO_TRANSPORT",
    "PARSE_ERROR", "PROVIDER_ERROR", "SCAN_ABORTED", "SIGN_FAILED", "UNKNOWN", "UNKNOWN_ERROR",
    "UNSUPPORTED_VERSION",
  ]

  /// The first words of event names.
  private static let subjects: Set<String> = [
    "app", "backup", "bridge", "button", "camera", "country", "document", "error", "flow", "key", "launch", "mrz",
    "nfc", "onboarding", "page", "passport", "proof", "scan", "screen", "session", "settings", "step", "verification",
    "wallet",
  ]

  /// All words of event names. Any other word could be a name.
  private static let words = subjects.union([
    "abandoned", "aborted", "accepted", "added", "and", "attempt", "attempted", "authentication", "back", "began",
    "begin", "biometric", "blocked", "cancel", "canceled", "cancelled", "card", "changed", "check", "chip", "click",
    "clicked", "close", "closed", "complete", "completed", "confirm", "confirmed", "connected", "continue", "created",
    "data", "declined", "deleted", "denied", "detected", "disabled", "disconnected", "dismissed", "done", "enabled",
    "end", "ended", "entered", "exit", "exited", "fail", "failed", "failure", "finish", "finished", "found",
    "generated", "granted", "guide", "help", "hidden", "home", "info", "input", "is", "lost", "loaded", "loading",
    "manual", "missing", "modal", "mount", "mounted", "next", "no", "not", "of", "open", "opened", "pace", "permission",
    "press", "pressed", "progress", "prompt", "read", "reading", "ready", "received", "recovered", "register",
    "registered", "rejected", "removed", "request", "requested", "reset", "restored", "result", "results", "resumed",
    "retried", "retry", "saved", "secret", "selected", "selection", "sent", "share", "shown", "signature", "signed",
    "skip", "skipped", "slow", "start", "started", "state", "stop", "stopped", "storage", "submitted", "success",
    "succeeded", "supported", "tag", "tap", "tapped", "timeout", "to", "toggled", "unmounted", "unsupported",
    "unlocked", "updated", "verified", "view", "viewed", "visible", "waiting", "warning", "with",
  ])

  /// Whether the text is one to six of these words, joined by underscores: `page_view`, `scan_started`.
  static func isEventName(_ text: String) -> Bool {
    guard text.utf8.count <= 40 else { return false }
    let words = text.split(separator: "_", omittingEmptySubsequences: false)
    return words.count <= 6 && words.first.map { subjects.contains(String($0)) } == true
      && words.allSatisfy { Self.words.contains(String($0)) }
  }
}
