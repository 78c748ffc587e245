package import TesseraCore

/// The result of a check, with what its caller may want to tell apart.
package struct CheckReport: Sendable {
  package let result: ReRuneUpdateResult
  /// The reason why the cache does not have the texts: they are used while the process lives, and are gone after it.
  package let storageFailure: Failure?
}
