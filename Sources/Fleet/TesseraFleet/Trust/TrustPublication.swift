package import TesseraVerification

/// What was published.
package struct TrustPublication: Sendable {
  /// The version of the store from now on.
  package let version: UInt64
  /// The results of the new files, in their order.
  package let summaries: [TrustImportSummary]
  /// The names of the files that the store has now.
  package let files: [String]
}
