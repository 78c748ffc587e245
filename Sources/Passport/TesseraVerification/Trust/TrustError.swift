public import TesseraCore

/// The reason why certificates cannot be imported or used.
public indirect enum TrustError: Error, Sendable, Equatable {
  /// What can be refused.
  public enum Item: String, Sendable {
    case certificate
    case revocationList = "revocation list"
  }

  /// The list is malformed, or its signature is not valid; the sentence says which.
  case listDamaged(String)
  /// No named and no trusted certificate leads to the signer of the list.
  ///
  /// - Parameters:
  ///   - signer: the subject of the signer's certificate.
  ///   - authority: the subject of the certificate that issued it, if the list carries it.
  ///   - fingerprint: SHA-256 of that certificate, in lower-case hexadecimal.
  case signerNotTrusted(signer: String, authority: String?, fingerprint: String?, rootsGiven: Bool)
  /// A certificate or a revocation list is not accepted; the sentence gives the reason.
  case refused(subject: String, reason: String)
  /// Nothing that is trusted verifies a certificate or a revocation list.
  ///
  /// - Parameter fingerprint: SHA-256 of a certificate of a country signer, in lower-case hexadecimal.
  case issuerUnknown(Item, subject: String, fingerprint: String?)
  /// The same country signed a newer list, which was imported already.
  case olderList(signer: String)
  /// The stored certificates would be larger than the store can hold.
  case storeFull
  /// The name of the file says that it is a master list, and it is none.
  case notAList(name: String)
  /// A file contains nothing that can be imported.
  case nothingUsable(name: String)
  /// The stored certificates were changed by another program, or the disk.
  case storeDamaged(path: String)
  /// Another user owns this, or can write to it; the text says what it is.
  case openToOthers(String)
  /// No stored certificate matches.
  case notFound(String)
  /// The error of one of several files.
  case inFile(String, TrustError)
}

extension TrustError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .listDamaged(let reason):
      Failure(
        .checkFailed, "The list is damaged or not authentic.\(reason.isEmpty ? "" : " ")\(reason)",
        remedy: "Download it again from the authority that publishes it.")
    case .signerNotTrusted(let signer, let authority, let fingerprint, let rootsGiven):
      Failure(
        rootsGiven ? .checkFailed : .usage,
        "The list is signed by \(signer), "
          + (rootsGiven
            ? "and none of the named or trusted certificates leads to that signer."
            : "and no trusted certificate leads to that signer.")
          + (authority.map { " Its issuer is \($0)" } ?? "")
          + (fingerprint.map { " with the SHA-256 fingerprint \($0)." } ?? (authority == nil ? "" : ".")),
        remedy: "Get the certificate of that country signer from the authority, compare its fingerprint with the one "
          + "that the authority publishes elsewhere, and name it as the root.",
        details: fingerprint.map { ["fingerprint": $0] } ?? [:])
    case .refused(let subject, let reason):
      Failure(
        .checkFailed, "The certificate or revocation list of \(subject) is refused. \(reason)",
        remedy: "Get it again from the authority that publishes it.")
    case .issuerUnknown(let item, let subject, let fingerprint):
      Failure(
        .usage,
        "Nothing that is trusted verifies the \(item.rawValue) of \(subject)"
          + (fingerprint.map { ", whose SHA-256 fingerprint is \($0)." } ?? "."),
        remedy: fingerprint == nil
          ? "Import the certificates of that country first."
          : "Compare the fingerprint with the one that the authority publishes, and name it as a root.",
        details: fingerprint.map { ["fingerprint": $0] } ?? [:])
    case .olderList(let signer):
      Failure(
        .checkFailed, "The list of \(signer) is older than the one that was imported before.",
        remedy: "Import the newest list. To return to the older one, remove what came from the newer one first.")
    case .storeFull:
      Failure(
        .storageFull, "The country certificates would take more than 512 MB.",
        remedy: "Import fewer certificates of document signers.")
    case .notAList(let name):
      Failure(
        .checkFailed, "\(name) is named like a master list, but no country signed it as one.",
        remedy: "Download it again from the authority that publishes it. If it is a certificate, give it another name.")
    case .nothingUsable(let name):
      Failure(
        .usage, "\(name) contains no certificate, revocation list or master list that can be used.",
        remedy: "Use a file that the authority publishes.")
    case .storeDamaged(let path):
      Failure(
        .storageFailed, "The stored country certificates in \(path) are damaged.",
        remedy: "Delete the file, and import the certificates again.")
    case .openToOthers(let what):
      Failure(
        .usage, "\(what) belongs to another user, or other users can write to it.",
        remedy:
          "Check what is in it. Then change its owner to yourself and its mode to 700 for a folder, 600 for a file.")
    case .notFound(let what):
      Failure(.usage, "No stored certificate matches \(what).", remedy: "List the stored certificates.")
    case .inFile(let name, let error): Self.failure(name, error.failure)
    }
  }

  private static func failure(_ name: String, _ failure: Failure) -> Failure {
    Failure(failure.kind, "“\(name)” is refused. \(failure.cause)", remedy: failure.remedy, details: failure.details)
  }

  /// The reason without the subject.
  var reason: String {
    switch self {
    case .issuerUnknown(let item, _, _): "Nothing that is trusted verifies this \(item.rawValue)."
    default: failure.cause
    }
  }
}
