/// The outcome of a launch.
public enum LaunchOutcome: Sendable, Equatable {
  case succeeded(VerificationResult)
  case failed(VerificationError)
  /// By the person, or by the page on behalf of the person.
  case cancelled

  /// Interprets the parameters of `setResult`, which differ between client generations. The conditions are those of the
  /// table in the bridge protocol, section lifecycle.
  init(_ parameters: BridgeParameters) {
    let success = parameters.plainText("success")?.isTrue
    if let code = parameters.plainText("errorCode"), !code.isEmpty {
      self = .failed(VerificationError(code: code, message: parameters.plainText("errorMessage") ?? Self.noReason))
    } else if success == false, let error = Self.error(parameters["error"]) {
      self = .failed(error)
    } else if parameters.plainText("type") != nil {
      self = success == false ? .cancelled : .succeeded(VerificationResult(parameters))
    } else if success == true, let data = parameters["data"] {
      self = Self.outcome(of: data)
    } else {
      self = success == true ? .succeeded(VerificationResult(parameters)) : .cancelled
    }
  }

  /// Interprets a result in `data`. If its `success` is false, the outcome is a failure.
  private static func outcome(of data: JSONValue) -> LaunchOutcome {
    guard case .object(let fields) = data, case .bool(let success)? = fields["success"] else {
      return .failed(VerificationError(code: "PARSE_ERROR", message: "The result is unreadable."))
    }
    if success { return .succeeded(VerificationResult(BridgeParameters(fields))) }
    return .failed(error(fields["error"]) ?? VerificationError(code: "UNKNOWN", message: noReason))
  }

  private static func error(_ value: JSONValue?) -> VerificationError? {
    guard case .object(let members)? = value else { return nil }
    let fields = BridgeParameters(members)
    return VerificationError(
      code: fields.plainText("code") ?? "UNKNOWN", message: fields.plainText("message") ?? noReason)
  }

  private static let noReason = "The verification failed."
}

extension BridgeParameters {
  /// The text of a parameter; nil also for an object or an array.
  func plainText(_ key: String) -> String? { try? string(key) }
}
