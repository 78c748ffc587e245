import FoundationEssentials
package import TesseraBridge
internal import TesseraDurableFiles
internal import TesseraKeys
internal import TesseraThreads

/// Knows that the clock of the machine is wrong: it is earlier than a time when an authentic document was signed, or its
/// signer's certificate began. The newest such time is kept in a file, so that a clock that is reset later is noticed, too.
package final class ClockWatch: Sendable {
  /// The checks that show who signed a document, and that nobody changed it. `passive.validity` is not among them: a clock
  /// that is wrong fails it.
  private static let proofs = ["passive.signature", "passive.hashes", "passive.chain"]

  /// In seconds. Signers state their local time as UTC.
  private static let signingTimeTolerance: Double = 86_400

  private let file: DurableFile
  private let newest: Locked<Date?>

  /// - Parameter path: a file that need not exist.
  package init(path: String) {
    file = DurableFile(path: path)
    // A file that cannot be read says nothing, and no guest is sent away for that.
    let bytes = (try? file.bytes(upTo: 64)) ?? nil
    newest = Locked(bytes.flatMap { Timestamp(String(decoding: $0, as: UTF8.self))?.date })
  }

  /// The path of the file.
  package var path: String { file.path }

  /// Whether the clock can be right.
  package func isRight(at now: Date = Date()) -> Bool { newest.withLock { $0 ?? now } <= now }

  /// Learns from a read. Only an authentic document is a witness: anybody can write a date.
  package func learn(from scan: NfcScanResult) {
    guard let verification = scan.verification,
      verification.outcome == "genuine" || Self.proofs.allSatisfy({ verification.checks[$0] == "passed" }),
      let begin = Self.time(of: scan.securityObject)
    else { return }
    let isNewer = newest.withLock { newest in
      guard newest.map({ $0 < begin }) ?? true else { return false }
      newest = begin
      return true
    }
    if isNewer { _ = try? file.write(Array(Timestamp(begin).text.utf8), replacing: true) }
  }

  /// When the document was signed; without a credible time, when the certificate of its signer began to be valid.
  private static func time(of object: NfcScanResult.SecurityObject) -> Date? {
    let base64 = object.certificate.pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
    guard let der = Data(base64Encoded: base64), let certificate = try? Certificate(der: Array(der)) else { return nil }
    let begin = certificate.notBefore
    guard let signed = SigningTime.date(ofSignedAttributes: object.signedAttributes), begin <= signed,
      signed <= certificate.notAfter
    else { return begin }
    return max(begin, signed.addingTimeInterval(-signingTimeTolerance))
  }
}
