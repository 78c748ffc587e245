import Cryptography
import SmartCard

/// Terminal Authentication version 1, the reader's side (Doc 9303-11, 7.1): the reader proves its right to DG3 and DG4.
/// Two exchanges for every certificate and three more.
struct TerminalAuthentication {
  let session: ChipSession
  let credentials: TerminalCredentials
  /// `ID_IC`: the document number with its check digit after BAC, the chip's compressed ephemeral key after PACE.
  let chipIdentifier: [UInt8]
  /// The compressed ephemeral key of the last key agreement.
  let readerKey: [UInt8]

  /// - Parameter authorities: the certification authorities that the chip knows.
  /// - Returns: what the chip said to it.
  /// - Throws: whatever ended the session; the credentials' own failures.
  func run(authorities: [String]) async throws -> TerminalAuthenticationEvidence {
    guard let chain = credentials.chain(from: authorities) else {
      return TerminalAuthenticationEvidence(authorities: authorities, chain: [], outcome: .noChain)
    }
    let names = chain.map(\.holderReference)
    var proof: TerminalAuthenticationEvidence.Proof?
    func evidence(_ outcome: TerminalAuthenticationEvidence.Outcome) -> TerminalAuthenticationEvidence {
      TerminalAuthenticationEvidence(
        authorities: authorities, chain: names, outcome: outcome, certificates: chain.map(\.encoded), proof: proof)
    }
    for certificate in chain {
      let selected = try await send(0x22, 0x81, 0xB6, reference(certificate.authorityReference))
      guard selected.status == .success else {
        return evidence(.refused("MSE:Set DST for \(certificate.authorityReference)", selected.status))
      }
      let data = certificate.body + BERTLV.encode(0x5F37, certificate.signature)
      let verified = try await send(0x2A, 0x00, 0xBE, data)
      guard verified.status == .success else {
        return evidence(.refused("the certificate of \(certificate.holderReference)", verified.status))
      }
    }
    let selected = try await send(0x22, 0x81, 0xA4, reference(credentials.terminal.holderReference))
    guard selected.status == .success else { return evidence(.refused("MSE:Set AT", selected.status)) }
    let challenge = try await session.send(CommandAPDU(ins: 0x84, p1: 0, p2: 0, expectedLength: 8))
    guard challenge.status == .success, challenge.data.count == 8 else {
      return evidence(.refused("GET CHALLENGE", challenge.status))
    }
    let signed = chipIdentifier + challenge.data + readerKey
    let signature = try credentials.key.sign(signed, credentials.algorithm)
    proof = TerminalAuthenticationEvidence.Proof(signed: signed, signature: signature)
    let answer = try await send(0x82, 0x00, 0x00, signature)
    return evidence(answer.status == .success ? .accepted : .refused("the terminal's signature", answer.status))
  }

  private func send(_ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8]) async throws -> ResponseAPDU {
    try await session.send(CommandAPDU(ins: ins, p1: p1, p2: p2, data: data))
  }

  private func reference(_ name: String) -> [UInt8] {
    BERTLV.encode(0x83, name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }
}

/// What came of Terminal Authentication.
public struct TerminalAuthenticationEvidence: Sendable, Equatable {
  public enum Outcome: Sendable, Equatable {
    case accepted
    /// No chain of the given certificates begins at an authority that the chip knows.
    case noChain
    /// There is no authenticated key agreement to bind the terminal's rights to.
    case chipNotAuthenticated
    case refused(String, StatusWord)
  }

  /// The authorities that the chip named.
  public let authorities: [String]
  /// The holders of the certificates that were sent, the terminal last.
  public let chain: [String]
  public let outcome: Outcome
  /// The certificates of `chain`, each a data object `7F21`.
  public let certificates: [[UInt8]]
  /// nil where it did not come to a signature.
  public let proof: Proof?

  /// What the terminal proved its right with. That the chip was content is its status word alone.
  public struct Proof: Sendable, Equatable {
    /// `ID_IC ‖ r_IC ‖ Comp(PK_PCD)` (Doc 9303-11, 7.1); begins with the document number where BAC opened the chip.
    public let signed: [UInt8]
    /// By the key of the last certificate.
    public let signature: [UInt8]

    public init(signed: [UInt8], signature: [UInt8]) {
      self.signed = signed
      self.signature = signature
    }
  }

  public init(
    authorities: [String], chain: [String], outcome: Outcome, certificates: [[UInt8]] = [], proof: Proof? = nil
  ) {
    self.authorities = authorities
    self.chain = chain
    self.outcome = outcome
    self.certificates = certificates
    self.proof = proof
  }
}

/// EF.CVCA: the authorities that the chip knows, the newest first (BSI TR-03110-3, A.3.2.1). It is a row of references
/// padded with zeros, without a data object around it.
enum TrustPointFile {
  static func authorities(_ bytes: [UInt8]) -> [String] {
    var rest = bytes[...]
    var names: [String] = []
    while names.count < 2, rest.first == 0x42, let object = try? BERTLV.take(from: &rest) {
      guard let name = PACEDriver.reference(object.value) else { break }
      names.append(name)
    }
    return names
  }
}
