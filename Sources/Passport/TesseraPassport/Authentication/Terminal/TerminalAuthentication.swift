import TesseraCryptography
import TesseraSmartCard

/// Terminal Authentication version 1 on the reader's side (Doc 9303-11, 7.1): the reader proves its right to DG3 and
/// DG4. Two exchanges for every certificate, then three more.
struct TerminalAuthentication {
  let session: ChipSession
  let credentials: TerminalCredentials
  /// `ID_IC`: the document number with its check digit after BAC, the chip's compressed ephemeral key after PACE.
  let chipIdentifier: [UInt8]
  /// The compressed ephemeral key of the last key agreement.
  let readerKey: [UInt8]

  /// - Parameter authorities: the certification authorities that the chip trusts.
  /// - Returns: the evidence, also if the chip refused.
  /// - Throws: the error that ended the session; the errors of the private key.
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
    let challenge = try await session.transceive(CommandAPDU(ins: 0x84, p1: 0, p2: 0, expectedLength: 8))
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
    try await session.transceive(CommandAPDU(ins: ins, p1: p1, p2: p2, data: data))
  }

  private func reference(_ name: String) -> [UInt8] {
    BERTLV.encode(0x83, name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }
}

/// The evidence of Terminal Authentication.
package struct TerminalAuthenticationEvidence: Sendable, Equatable {
  package enum Outcome: Sendable, Equatable {
    case accepted
    /// No chain of the given certificates begins at an authority that the chip trusts.
    case noChain
    /// The terminal's rights cannot be bound, since there was no authenticated key agreement.
    case chipNotAuthenticated
    case refused(String, StatusWord)
  }

  /// The authorities that the chip named.
  package let authorities: [String]
  /// The holders of the certificates that were sent, the terminal last.
  package let chain: [String]
  package let outcome: Outcome
  /// The certificates of `chain`, each a data object `7F21`.
  package let certificates: [[UInt8]]
  /// nil if the protocol ended before the signature.
  package let proof: Proof?

  /// The terminal's signature. Only the status word shows that the chip accepted it.
  package struct Proof: Sendable, Equatable {
    /// `ID_IC ‖ r_IC ‖ Comp(PK_PCD)` (Doc 9303-11, 7.1). Begins with the document number after BAC.
    package let signed: [UInt8]
    /// By the key of the last certificate.
    package let signature: [UInt8]

    package init(signed: [UInt8], signature: [UInt8]) {
      self.signed = signed
      self.signature = signature
    }
  }

  package init(
    authorities: [String], chain: [String], outcome: Outcome, certificates: [[UInt8]] = [], proof: Proof? = nil
  ) {
    self.authorities = authorities
    self.chain = chain
    self.outcome = outcome
    self.certificates = certificates
    self.proof = proof
  }
}

/// EF.CVCA: the authorities that the chip trusts, the newest first (BSI TR-03110-3, A.3.2.1). A sequence of references
/// that is padded with zeros, without an enclosing data object.
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
