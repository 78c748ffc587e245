internal import TesseraCore

/// The JSON form of an error in a response.
struct WireError: Codable, Equatable {
  /// The failure of a document's read.
  struct ReadFailure: Codable, Equatable {
    var kind: String
    var cause: String
    var remedy: String?
    var details: [String: String]?
  }

  var code: String
  var readFailure: ReadFailure?

  init(_ error: FleetError) {
    code = error.code.rawValue
    readFailure = error.readFailure.map {
      ReadFailure(
        kind: $0.kind.rawValue, cause: $0.cause, remedy: $0.remedy, details: $0.details.isEmpty ? nil : $0.details)
    }
  }

  /// The error that this states. A code of a later version is a defect of the other end.
  var error: FleetError {
    guard let code = FleetError.Code(rawValue: code) else { return FleetError(.internalError) }
    return FleetError(
      code,
      readFailure: readFailure.map {
        Failure(
          FailureKind(rawValue: $0.kind) ?? .internalError, PrintableText.of($0.cause),
          remedy: $0.remedy.map { PrintableText.of($0) }, details: $0.details ?? [:])
      })
  }
}
