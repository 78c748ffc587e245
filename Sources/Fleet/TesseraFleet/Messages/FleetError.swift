public import TesseraCore
internal import TesseraPassport
internal import TesseraSmartCard

/// An error of a read by a fleet. It travels between desk and inspector as its code, with the failure of the document's
/// read if that is the reason.
public struct FleetError: Error, Sendable, Equatable {
  /// The reason. The raw value is the code on the wire and never changes.
  public enum Code: String, Sendable, Codable, CaseIterable {
    /// The other end speaks another version of the messages.
    case unknownVersion
    /// A message is not of the required form.
    case malformed
    /// A message, a file or a read exceeds a limit.
    case tooLarge
    /// Parts of a read did not arrive.
    case incomplete
    /// The inspector has as many reads as it can take.
    case busy
    /// The inspector is stopping.
    case closing
    /// No inspector has answered.
    case noInspector
    /// The inspector has no such read of this desk.
    case sessionUnknown
    /// The inspector has no usable country certificates.
    case trustUnavailable
    /// The clock of the inspector's machine differs from its server's.
    case clockDiffers
    /// The record can be kept nowhere, so there is no verdict.
    case notRecorded
    /// The fleet has another record with this read's identifier.
    case readIDUsed
    /// The inspector that read the document remotely has fallen silent.
    case relayLost
    /// The desk has stopped answering the inspector.
    case deskLost
    /// The read took too long.
    case timeLimit
    /// The other end does not do what was asked.
    case refused
    /// The document or the reader caused the failure, which `readFailure` describes.
    case readFailed
    /// The connection to the servers is closed.
    case disconnected
    /// A defect at the other end.
    case internalError
  }

  public let code: Code
  /// Why the document could not be read; nil unless `code` is `.readFailed`.
  public let readFailure: Failure?

  package init(_ code: Code, readFailure: Failure? = nil) {
    self.code = code
    self.readFailure = readFailure
  }

  /// Any error of a read at an inspector. Only what concerns the document and the reader is described: another error may
  /// name a path of the inspector's machine.
  package init(_ error: any Error) {
    switch error {
    case let error as FleetError: self = error
    case is CancellationError: self.init(.closing)
    case let error as PassportError: self.init(.readFailed, readFailure: error.failure)
    case let error as CardError: self.init(.readFailed, readFailure: error.failure)
    case let error as ChipWitnessError: self.init(.readFailed, readFailure: error.failure)
    default: self.init(.internalError)
    }
  }

  /// Whether the same read can succeed when it is begun again.
  package var allowsRepetition: Bool {
    switch code {
    case .incomplete, .busy, .closing, .noInspector, .sessionUnknown, .trustUnavailable, .clockDiffers, .notRecorded,
      .relayLost, .deskLost, .timeLimit:
      true
    case .unknownVersion, .malformed, .tooLarge, .readIDUsed, .refused, .readFailed, .disconnected, .internalError:
      false
    }
  }
}

extension FleetError: LocalizedFailure {
  public var failure: Failure {
    switch code {
    case .unknownVersion:
      Failure(
        .serviceUnavailable, "The desk and the inspector speak different versions of the fleet's messages.",
        remedy: "Install the same version of Tessera on both.")
    case .malformed:
      Failure(
        .protocolViolation, "A message between the desk and the inspector is malformed.",
        remedy: "Install the same version of Tessera on both, and check what else publishes to these subjects.")
    case .tooLarge:
      Failure(
        .protocolViolation, "The document's files exceed a limit of the fleet.",
        remedy: "Read fewer data groups, or read the document at one machine.")
    case .incomplete:
      Failure(
        .serviceUnavailable, "Parts of the read were lost on the way to the inspector.", remedy: "Repeat the read.")
    case .busy:
      Failure(
        .serviceUnavailable, "All inspectors are busy.", remedy: "Start more inspectors (tessera inspect --fleet).")
    case .closing:
      Failure(.serviceUnavailable, "The inspector is stopping.", remedy: "Repeat the read.")
    case .noInspector:
      Failure(
        .serviceUnavailable, "No inspector has answered.",
        remedy: "Start an inspector (tessera inspect --fleet), and check this desk's name and its permissions.")
    case .sessionUnknown:
      Failure(
        .serviceUnavailable, "The inspector does not know this read any more.", remedy: "Repeat the read.")
    case .trustUnavailable:
      Failure(
        .serviceUnavailable, "The inspector has no usable country certificates.",
        remedy: "Import them again: tessera trust import --fleet.")
    case .clockDiffers:
      Failure(
        .serviceUnavailable,
        "The clocks of the inspector and of its server differ by more than five minutes, so it judges no document.",
        remedy: "Nothing tells which of the two is wrong. Look at both, and let NTP set the wrong one: timedatectl "
          + "set-ntp true, with systemd-timesyncd or chrony.")
    case .notRecorded:
      Failure(
        .serviceUnavailable, "The record of the read could not be kept, so there is no verdict.",
        remedy: "Check the stream's limits (tessera fleet status) and the disk of the inspector, and repeat the read.")
    case .readIDUsed:
      Failure(
        .checkFailed, "The fleet already has a record with the identifier of this read.",
        remedy: "Look up the record, or begin a new read.")
    case .relayLost:
      Failure(
        .serviceUnavailable, "The inspector stopped answering while it read the document.", remedy: "Repeat the read.")
    case .deskLost:
      Failure(
        .serviceUnavailable, "The desk stopped answering while its document was read.", remedy: "Repeat the read.")
    case .timeLimit:
      Failure(.serviceUnavailable, "The read did not end in time.", remedy: "Repeat the read.")
    case .refused:
      Failure(
        .usage, "The inspector does not read documents in this way.",
        remedy: "Choose the other way of reading, or change the configuration of the inspectors.")
    case .readFailed: readFailure ?? Failure(.internalError, "The document could not be read.")
    case .disconnected:
      Failure(
        .serviceUnavailable, "The connection to the fleet's servers is closed.",
        remedy: "Check the servers and the credentials, and start again.")
    case .internalError:
      Failure(
        .internalError, "The inspector has failed.", remedy: "This is a defect in Tessera. Report the inspector's log.")
    }
  }
}
