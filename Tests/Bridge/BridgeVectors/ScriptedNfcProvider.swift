import Foundation
public import TesseraBridge
import TesseraCore
public import TestSupport

/// An NFC provider that follows the `given` of a vector. It falls back from PACE to Basic Access Control like the
/// Android SDK; `PassportNfcProvider` does not.
public struct ScriptedNfcProvider: NfcProvider {
  let given: Vector
  /// Opens when a scan waits for a document that is never presented.
  public let isWaiting = Gate()

  public init(given: Vector) { self.given = given }

  public func isAvailable() async -> Bool { !given["available"].isPresent || given["available"].flag }
  public func cancelScan() async {}

  public func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> NfcScanResult {
    onProgress(.waitingForTag)
    switch given["hardware"].text {
    case "none": throw Failure(.noReader, "No reader.")
    case "off": throw Failure(.serviceUnavailable, "No service.")
    default: break
    }
    if given["providerError"].isPresent { throw Failure(.cardLost, given["providerError"].text) }
    if given["rawResult"].isPresent { throw BridgeError("PARSE_ERROR", "The result of the reader is unreadable.") }
    if given["scanInProgress"].flag || given["chip"].text == "never" {
      await isWaiting.open()
      try await untilCancelled()
    }
    if given["chip"].text == "mifareClassic" { throw Failure(.notSmartCard, "A storage card.") }
    onProgress(.connecting)
    let pace = given["pace"].text
    if !request.skipPACE, given["chip"].text == "synthetic" {
      onProgress(.pace)
      if pace == "ok" || pace == "okWithCan" && request.canNumber != nil { onProgress(.paceSucceeded) }
    }
    let isPACE = !request.skipPACE && (pace == "ok" || pace == "okWithCan" && request.canNumber != nil)
    if !isPACE {
      onProgress(.bac)
      if given["bac"].text == "fail" { throw Failure(.accessDenied, "The chip refused the key.") }
      onProgress(given["chip"].text == "openNoBac" ? .bacNotRequired : .bacSucceeded)
    }
    onProgress(.readingDG1)
    onProgress(.readingSOD)
    if !request.skipChipAuthentication { onProgress(.chipAuthentication) }
    onProgress(.buildingResult)
    onProgress(.complete)
    return .vector(paceSucceeded: isPACE)
  }
}

extension NfcScanResult {
  /// The scan result of the vectors.
  package static func vector(paceSucceeded: Bool = false) -> NfcScanResult {
    let flat = BridgeVectors.fixture["nfcShapes"]["flatAndroid"]
    let hashes = flat["dataGroupHashes"]
    return NfcScanResult(
      zone: MachineReadableZone(
        text: String(flat["mrz"].text.dropLast()), documentType: flat["documentType"].text,
        issuingState: flat["issuingState"].text, surname: flat["surname"].text, givenNames: flat["givenNames"].text,
        documentNumber: flat["documentNumber"].text, nationality: flat["nationality"].text,
        personalNumber: flat["personalNumber"].text, dateOfBirth: flat["dateOfBirth"].text,
        dateOfExpiry: flat["dateOfExpiry"].text,
        sex: MachineReadableZone.Sex(rawValue: flat["gender"].text) ?? .unspecified),
      securityObject: SecurityObject(
        certificate: SignerCertificate(
          pem: flat["documentSigningCertificate"].text, signatureAlgorithm: flat["signatureAlgorithm"].text,
          publicKey: .rsa(modulus: flat["modulus"].text)),
        digestAlgorithm: flat["digestAlgorithm"].text,
        signerDigestAlgorithm: flat["signerInfoDigestAlgorithm"].text,
        signatureAlgorithm: flat["digestEncryptionAlgorithm"].text, ldsVersion: flat["LDSVersion"].text,
        unicodeVersion: flat["unicodeVersion"].text, signedAttributes: flat["eContent"].base64,
        signature: flat["encryptedDigest"].base64, content: flat["encapContent"].base64,
        dataGroupHashes: Dictionary(
          uniqueKeysWithValues: hashes.keys.compactMap { key in Int(key).map { ($0, hashes[key].bytes) } })),
      paceSucceeded: paceSucceeded, chipAuthenticationSucceeded: flat["chipAuthSucceeded"].flag)
  }
}

/// A gate that tasks wait for until another task opens it.
public actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  public init() {}

  public func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  public func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}
