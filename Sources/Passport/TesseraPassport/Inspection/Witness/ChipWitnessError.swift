import TesseraCore

/// The reason why a chip cannot be proved to another machine than the one at the reader.
public enum ChipWitnessError: Error, Sendable, Equatable {
  /// What the witness wants to be sent is no Chip Authentication.
  case unusableAgreement
  /// The reader cannot carry the chip's key or its signature. The other machine would take that for a chip that has
  /// none.
  case readerUnsuitable
}

extension ChipWitnessError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .unusableAgreement:
      Failure(
        .peerRejected, "What the inspector wants to be sent to the chip is no Chip Authentication.",
        remedy: "Use the same version of Tessera on both machines.")
    case .readerUnsuitable:
      Failure(
        .usage, "The reader cannot carry the messages by which this chip proves that it is the original.",
        remedy: "Use a reader that supports extended length.")
    }
  }
}
