internal import TesseraFleet
package import TesseraVerification

/// The result of one read, in a form that can be compared and written to a file.
package struct LoadResult: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The outcome with its reason, or `error:` with the code and the failure of the document's read.
  package let description: String

  /// The verdict on a document.
  package init(_ outcome: Outcome, _ reason: OutcomeReason?) {
    description = reason.map { "\(outcome.rawValue) \($0.rawValue)" } ?? outcome.rawValue
  }

  /// An error of a read, at this machine or elsewhere.
  package init(_ error: any Error) {
    let error = FleetError(error)
    description =
      "error: " + ([error.code.rawValue] + [error.readFailure?.cause].compactMap { $0 }).joined(separator: ": ")
  }

  package init(from decoder: any Decoder) throws { description = try String(from: decoder) }

  package func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

  /// The outcome alone; nil after an error.
  package var outcome: Outcome? { description.split(separator: " ").first.flatMap { Outcome(rawValue: String($0)) } }
}
