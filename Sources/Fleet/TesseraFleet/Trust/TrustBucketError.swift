package import TesseraCore
internal import TesseraNATS

/// The reason why the country certificates of the fleet cannot be used or published.
package enum TrustBucketError: Error, Sendable, Equatable {
  /// The servers have no bucket for country certificates.
  case bucketMissing
  /// Nothing was published yet.
  case nothingPublished
  /// The servers did not answer.
  case unreachable
  /// A later version of Tessera wrote the manifest.
  case unknownVersion
  /// The manifest is not of the form.
  case malformed
  /// The manifest or a file exceeds a limit.
  case tooLarge
  /// A part of this file is missing.
  case partMissing(file: String)
  /// A part of this file, or the whole, does not have the digest that the manifest states.
  case changed(file: String)
  /// The certificates in the bucket do not verify. The failure is that of the import.
  case refused(Failure)
  /// A list of this signer is older than the one that this inspector has used.
  case olderList(signer: String)
  /// The revocation list of this issuer is missing, or older than the one that this inspector has used.
  case olderRevocationList(issuer: String)
  /// What this inspector has used could not be kept for the time after a restart, or what it kept cannot be read.
  case notKept(Failure)
  /// Others publish at the same time.
  case conflict

  /// A word for figures and tests.
  package var code: String {
    switch self {
    case .bucketMissing: "bucketMissing"
    case .nothingPublished: "nothingPublished"
    case .unreachable: "unreachable"
    case .unknownVersion: "unknownVersion"
    case .malformed: "malformed"
    case .tooLarge: "tooLarge"
    case .partMissing: "partMissing"
    case .changed: "changed"
    case .refused: "refused"
    case .olderList: "olderList"
    case .olderRevocationList: "olderRevocationList"
    case .notKept: "notKept"
    case .conflict: "conflict"
    }
  }
}

extension TrustBucketError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .bucketMissing:
      Failure(
        .serviceUnavailable, "The fleet's servers have no store of country certificates.",
        remedy: "Import certificates with tessera trust import --fleet.")
    case .nothingPublished:
      Failure(
        .serviceUnavailable, "The fleet's store of country certificates is empty.",
        remedy: "Import certificates with tessera trust import --fleet.")
    case .unreachable:
      Failure(
        .serviceUnavailable, "The fleet's store of country certificates does not answer.",
        remedy: "Check that a majority of the NATS servers runs, and that this key may read the store.")
    case .unknownVersion:
      Failure(
        .storageFailed, "A later version of Tessera wrote the fleet's country certificates.",
        remedy: "Install the same version of Tessera here.")
    case .malformed:
      Failure(
        .storageFailed, "The list of the fleet's country certificates is malformed.",
        remedy: "Import all certificates again with tessera trust import --fleet --replace.")
    case .tooLarge:
      Failure(
        .storageFull, "The fleet's country certificates exceed a limit: 1,000 files, 256 MB, 128 roots.",
        remedy: "Publish fewer files with tessera trust import --fleet --replace.")
    case .partMissing(let file):
      Failure(
        .storageFailed, "A part of “\(PrintableText.of(file))” is missing in the fleet's store.",
        remedy: "Import all certificates again with tessera trust import --fleet --replace.")
    case .changed(let file):
      Failure(
        .storageFailed, "“\(PrintableText.of(file))” was changed in the fleet's store.",
        remedy: "Find out who wrote to the bucket TRUST, and import all certificates again with "
          + "tessera trust import --fleet --replace.")
    case .refused(let failure):
      Failure(
        failure.kind, "The fleet's country certificates are refused. \(failure.cause)", remedy: failure.remedy,
        details: failure.details)
    case .olderList(let signer):
      Failure(
        .checkFailed, "The fleet's store has an older list of \(PrintableText.of(signer)) than before.",
        remedy: "Publish the newest list. \(Self.goingBack)")
    case .olderRevocationList(let issuer):
      Failure(
        .checkFailed,
        "The revocation list of \(PrintableText.of(issuer)) in the fleet's store is missing or older than before.",
        remedy: "Publish the newest revocation list. \(Self.goingBack)")
    case .notKept(let failure):
      Failure(
        failure.kind, "This inspector cannot keep which country certificates it has used. \(failure.cause)",
        remedy: failure.remedy, details: failure.details)
    case .conflict:
      Failure(
        .serviceUnavailable, "Others publish country certificates at the same time.", remedy: "Publish again.")
    }
  }

  private static let goingBack =
    "To go back on purpose, publish the older files with tessera trust import --fleet --replace. Then stop each "
    + "inspector, remove the folder trust in its spool, and start it again."

  /// What an inspector remembers cannot be read.
  static func damagedMemory(path: String) -> TrustBucketError {
    .notKept(
      Failure(
        .storageFailed, "The file \(PrintableText.of(path)) is damaged.",
        remedy: "Restore the file. Or check that the fleet's store has the newest lists, and remove the file: an "
          + "inspector without it accepts older lists."))
  }

  /// What an inspector remembers would exceed a limit.
  static let fullMemory = TrustBucketError.notKept(
    Failure(
      .storageFull, "It would remember more than 4,096 lists, or 256 MB.",
      remedy: "Find out who published so many revocation lists. Then publish the right files with tessera trust import "
        + "--fleet --replace, remove the folder trust in the spool of each inspector, and restart it."))
}

extension TrustBucketError {
  /// What an error of the connection means for the bucket.
  init(_ error: NATSError) {
    switch error {
    case .bucketMissing: self = .bucketMissing
    case .conflict: self = .conflict
    case .streamFull, .tooLarge: self = .tooLarge
    default: self = .unreachable
    }
  }
}
