import FoundationEssentials
package import TesseraBridge
package import TesseraCore
import TesseraCryptography
import TesseraThreads
package import TesseraVerification

/// Knows that the clock of the machine is wrong: it is earlier than a time when a list was signed that the user imported,
/// or when an authentic document was signed, or its signer's certificate began. The newest such time of documents is kept
/// in a file, so that a clock that is reset later is noticed, too.
package final class ClockWatch: Sendable {
  /// The checks that show who signed a document, and that nobody changed it. `passive.validity` is not among them: a clock
  /// that is wrong fails it.
  private static let proofs = ["passive.signature", "passive.hashes", "passive.chain"]

  private struct State {
    /// The newest time of what is imported now.
    var ofLists: PassedTime?
    /// The newest one of documents, which is in the file.
    var ofDocuments: PassedTime?
    /// The newest time that is known.
    var newest: PassedTime? { ClockWatch.newer(ofLists, ofDocuments) }
    /// Whether somebody was told, so that a log says it once.
    var isTold = false
  }
  private let file: SigningTimeFile
  private let state: Locked<State>

  /// - Parameter path: a file that need not exist.
  package convenience init(path: String) { self.init(SigningTimeFile(path: path)) }

  package init(_ file: SigningTimeFile) {
    self.file = file
    state = Locked(State(ofDocuments: file.read()))
  }

  /// Whether the clock can be right.
  package func isRight(at now: Date = Date()) -> Bool { problem(at: now) == nil }

  /// What is wrong with the clock, and what to do about it; nil if it can be right.
  package func problem(at now: Date = Date()) -> Failure? { state.withLock { $0.newest }?.problem(of: now) }

  /// The same if nobody was told since the clock was right.
  package func news(at now: Date = Date()) -> Failure? {
    state.withLock { state in
      let problem = state.newest?.problem(of: now)
      defer { state.isTold = problem != nil }
      return state.isTold ? nil : problem
    }
  }

  /// Learns from what is imported, in place of what was imported before. Its signatures were verified then.
  package func learn(from dates: TrustDates) {
    let known = file.read()
    state.withLock { state in
      state.ofLists = dates.newestSignature
      state.ofDocuments = Self.newer(state.ofDocuments, known)
    }
  }

  /// Learns from a read. Only an authentic document is a witness: anybody can write a date.
  package func learn(from scan: NfcScanResult) {
    guard let verification = scan.verification,
      verification.outcome == "genuine" || Self.proofs.allSatisfy({ verification.checks[$0] == "passed" }),
      let time = Self.time(of: scan.securityObject).map(file.passed)
    else { return }
    // The service and a kiosk share the file: the other one may have written a later time meanwhile.
    let known = file.read()
    state.withLock { $0.ofDocuments = Self.newer(Self.newer($0.ofDocuments, known), time) }
    if known.map({ $0.date < time.date }) ?? true { file.write(time) }
  }

  private static func newer(_ known: PassedTime?, _ time: PassedTime?) -> PassedTime? {
    guard let known, let time else { return known ?? time }
    return known.date < time.date ? time : known
  }

  /// When the document was signed; without a credible time, when the certificate of its signer began to be valid.
  private static func time(of object: NfcScanResult.SecurityObject) -> Date? {
    let base64 = object.certificate.pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
    guard let der = Data(base64Encoded: base64), let certificate = try? Certificate(der: Array(der)) else { return nil }
    let begin = certificate.notBefore
    guard let signed = SigningTime.date(ofSignedAttributes: object.signedAttributes), begin <= signed,
      signed <= certificate.notAfter
    else { return begin }
    return max(begin, signed.addingTimeInterval(-PassedTime.tolerance))
  }
}
