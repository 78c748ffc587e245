import TesseraCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A typed error of which Foundation knows the sentences, too: `error.localizedDescription` is the cause. Without this
/// protocol it is the name and the number of the case.
///
/// The protocol stands here since TesseraCore has no Foundation. `Failure(_:)` has the sentences of all errors.
public protocol LocalizedFailure: FailureConvertible, LocalizedError {}

extension LocalizedFailure {
  /// What happened.
  public var errorDescription: String? { failure.cause }
  /// What the user can do.
  public var recoverySuggestion: String? { failure.remedy }
}

extension Failure: LocalizedError {
  /// The cause and the remedy.
  public var errorDescription: String? { description }
  /// What the user can do.
  public var recoverySuggestion: String? { remedy }
}
