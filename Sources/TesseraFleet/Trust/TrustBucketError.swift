package import TesseraCore

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
  /// A list of this signer is older than the one that this worker has used.
  case olderList(signer: String)
  /// The revocation list of this issuer is missing, or older than the one that this worker has used.
  case olderRevocationList(issuer: String)
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
        remedy: "Publish fewer files.")
    case .partMissing(let file):
      Failure(
        .storageFailed, "A part of “\(PrintableText.of(file))” is missing in the fleet's store.",
        remedy: "Import the file again with tessera trust import --fleet.")
    case .changed(let file):
      Failure(
        .storageFailed, "“\(PrintableText.of(file))” was changed in the fleet's store.",
        remedy: "Find out who wrote to the bucket TRUST, and import the file again.")
    case .refused(let failure):
      Failure(
        failure.kind, "The fleet's country certificates are refused. \(failure.cause)", remedy: failure.remedy,
        details: failure.details)
    case .olderList(let signer):
      Failure(
        .checkFailed, "The fleet's store has an older list of \(PrintableText.of(signer)) than before.",
        remedy: "Publish the newest list. To go back on purpose, restart the inspectors.")
    case .olderRevocationList(let issuer):
      Failure(
        .checkFailed,
        "The revocation list of \(PrintableText.of(issuer)) in the fleet's store is missing or older than before.",
        remedy: "Publish the newest revocation list. To go back on purpose, restart the inspectors.")
    case .conflict:
      Failure(
        .serviceUnavailable, "Others publish country certificates at the same time.", remedy: "Publish again.")
    }
  }
}
