import TesseraCryptography
import TesseraSmartCard

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The evidence of Chip, Active and Terminal Authentication, as it was exchanged. It can be verified later without the
/// chip.
public struct ChipEvidence: Sendable, Equatable {
  package var chipAuthentication: ChipAuthenticationEvidence?
  /// Whether the chip offers Chip Authentication, the request included it, and the chip made it impossible.
  package var withholdsChipAuthentication = false
  package var activeAuthentication: ActiveAuthenticationEvidence?
  package var paceChipAuthentication: PACEChipAuthenticationEvidence?
  /// Whether `paceChipAuthentication` is what another machine reports, which performed PACE and may be lying. It may
  /// then speak against the document, and proves nothing.
  package var isMappingReported = false
  /// The status word with which the chip refused the Chip Authentication Mapping that it offers; nil if it did not.
  package var mappingRefusal: StatusWord?
  package var terminalAuthentication: TerminalAuthenticationEvidence?

  public init() {}
}

/// The JSON form of the evidence in a dump folder, with bytes in hexadecimal.
///
/// It contains the reader's private key of Chip Authentication, which decrypts a recording of the radio traffic. This
/// discloses nothing more, since the folder holds the same files in plain.
extension ChipEvidence {
  private struct Record: Codable {
    struct Chip: Codable {
      var protocolIdentifier: String
      var keyIdentifier: Int?
      var readerPrivateKey: String
      var firstAnswer: String?
      var refusal: UInt16?
    }

    struct Active: Codable {
      var challenge: String
      var signature: String?
      var status: UInt16
      var isBeyondReader: Bool?
    }

    struct PACE: Codable {
      var protocolIdentifier: String
      var parameterIdentifier: Int?
      var explicitParameters: String?
      var mappingKey: String
      var chipAuthenticationData: String?
      var isPresent: Bool
    }

    struct Terminal: Codable {
      var authorities: [String]
      var chain: [String]
      var outcome: String
      var step: String?
      var status: UInt16?
      var certificates: [String]?
      var signed: String?
      var signature: String?
    }

    var chipAuthentication: Chip?
    var withholdsChipAuthentication: Bool?
    var mappingRefusal: UInt16?
    var isMappingReported: Bool?
    var activeAuthentication: Active?
    var paceChipAuthentication: PACE?
    var terminalAuthentication: Terminal?
  }

  /// The JSON text; nil if there is no evidence.
  public func json() throws -> String? {
    guard self != ChipEvidence() else { return nil }
    var record = Record()
    record.withholdsChipAuthentication = withholdsChipAuthentication ? true : nil
    record.mappingRefusal = mappingRefusal?.rawValue
    record.isMappingReported = isMappingReported ? true : nil
    record.chipAuthentication = chipAuthentication.map { evidence in
      Record.Chip(
        protocolIdentifier: evidence.protocolIdentifier, keyIdentifier: evidence.keyIdentifier,
        readerPrivateKey: evidence.readerPrivateKey.withUnsafeBytes { $0.hexadecimal },
        firstAnswer: evidence.firstAnswer?.hexadecimal, refusal: evidence.refusal?.rawValue)
    }
    record.activeAuthentication = activeAuthentication.map { evidence in
      Record.Active(
        challenge: evidence.challenge.hexadecimal, signature: evidence.signature?.hexadecimal,
        status: evidence.status.rawValue, isBeyondReader: evidence.isBeyondReader ? true : nil)
    }
    record.paceChipAuthentication = paceChipAuthentication.map { evidence in
      Record.PACE(
        protocolIdentifier: evidence.protocolIdentifier, parameterIdentifier: evidence.parameterIdentifier,
        explicitParameters: evidence.explicitParameters?.hexadecimal, mappingKey: evidence.mappingKey.hexadecimal,
        chipAuthenticationData: evidence.chipAuthenticationData?.hexadecimal, isPresent: evidence.isPresent)
    }
    record.terminalAuthentication = terminalAuthentication.map { evidence in
      var terminal = Record.Terminal(authorities: evidence.authorities, chain: evidence.chain, outcome: "")
      switch evidence.outcome {
      case .accepted: terminal.outcome = "accepted"
      case .noChain: terminal.outcome = "noChain"
      case .chipNotAuthenticated: terminal.outcome = "chipNotAuthenticated"
      case .refused(let step, let status):
        terminal.outcome = "refused"
        terminal.step = step
        terminal.status = status.rawValue
      }
      terminal.certificates = evidence.certificates.isEmpty ? nil : evidence.certificates.map(\.hexadecimal)
      terminal.signed = evidence.proof?.signed.hexadecimal
      terminal.signature = evidence.proof?.signature.hexadecimal
      return terminal
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(record), as: UTF8.self)
  }

  /// - Throws: `PassportError.malformedResponse` if the text does not have the form that `json()` writes.
  public init(json text: String) throws {
    self.init()
    let malformed = PassportError.malformedResponse(operation: "the evidence of a dump")
    guard let record = try? JSONDecoder().decode(Record.self, from: Data(text.utf8)) else { throw malformed }
    func bytes(_ text: String) throws -> [UInt8] {
      guard let bytes = [UInt8](hexadecimal: text) else { throw malformed }
      return bytes
    }
    withholdsChipAuthentication = record.withholdsChipAuthentication ?? false
    mappingRefusal = record.mappingRefusal.map { StatusWord($0) }
    isMappingReported = record.isMappingReported ?? false
    if let chip = record.chipAuthentication {
      chipAuthentication = ChipAuthenticationEvidence(
        protocolIdentifier: chip.protocolIdentifier, keyIdentifier: chip.keyIdentifier,
        readerPrivateKey: SecretBytes(try bytes(chip.readerPrivateKey)),
        firstAnswer: try chip.firstAnswer.map(bytes), refusal: chip.refusal.map { StatusWord($0) })
    }
    if let active = record.activeAuthentication {
      activeAuthentication = ActiveAuthenticationEvidence(
        challenge: try bytes(active.challenge), signature: try active.signature.map(bytes),
        status: StatusWord(active.status), isBeyondReader: active.isBeyondReader ?? false)
    }
    if let pace = record.paceChipAuthentication {
      paceChipAuthentication = PACEChipAuthenticationEvidence(
        protocolIdentifier: pace.protocolIdentifier, parameterIdentifier: pace.parameterIdentifier,
        explicitParameters: try pace.explicitParameters.map(bytes), mappingKey: try bytes(pace.mappingKey),
        chipAuthenticationData: try pace.chipAuthenticationData.map(bytes),
        isPresent: pace.isPresent)
    }
    if let terminal = record.terminalAuthentication {
      let outcomes: [String: TerminalAuthenticationEvidence.Outcome] = [
        "accepted": .accepted, "noChain": .noChain, "chipNotAuthenticated": .chipNotAuthenticated,
        "refused": .refused(terminal.step ?? "", StatusWord(terminal.status ?? 0)),
      ]
      guard let outcome = outcomes[terminal.outcome] else { throw malformed }
      var proof: TerminalAuthenticationEvidence.Proof?
      if let signed = terminal.signed, let signature = terminal.signature {
        proof = TerminalAuthenticationEvidence.Proof(signed: try bytes(signed), signature: try bytes(signature))
      }
      terminalAuthentication = TerminalAuthenticationEvidence(
        authorities: terminal.authorities, chain: terminal.chain, outcome: outcome,
        certificates: try (terminal.certificates ?? []).map(bytes), proof: proof)
    }
  }
}
