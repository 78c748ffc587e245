import Cryptography
import SmartCard

/// Runs Chip Authentication over the channel and rekeys it: one exchange with MSE:Set KAT, two with MSE:Set AT and
/// GENERAL AUTHENTICATE (Doc 9303-11, 6.2.4).
struct ChipAuthenticationDriver {
  /// What a run left behind.
  struct Outcome {
    /// This reader's ephemeral key, which Terminal Authentication binds to.
    let readerKey: [UInt8]
    let privateKey: SecretBytes
  }

  let session: ChipSession
  let chipAuthentication: ChipAuthentication
  /// Known in tests only.
  var privateKey: SecretBytes?

  /// Afterwards the session has the new keys. Whether the chip has them too shows in its next answer.
  ///
  /// - Throws: `PassportError.unexpectedStatus` where the chip refuses: the keys are the old ones then.
  func run() async throws -> Outcome {
    let group = chipAuthentication.key.group
    let (privateKey, readerKey) =
      try privateKey.map { ($0, try group.multiply(group.generator, by: $0)) } ?? group.makeKeyPair(group.generator)
    // Computed before the chip is asked: a key that is none is found without it.
    let keys = try chipAuthentication.keys(privateKey: privateKey)
    if chipAuthentication.chipAuthentication.cipher == .tripleDES {
      // Chips that do AES as well may leave the older command out (6.2.4).
      if try await !keyAgreementTemplate(readerKey) { try await generalAuthenticate(readerKey) }
    } else {
      try await generalAuthenticate(readerKey)
    }
    session.begin(try keys.secureMessaging())
    return Outcome(readerKey: readerKey, privateKey: privateKey)
  }

  private var keyReference: [UInt8] {
    guard chipAuthentication.isAmbiguous, let number = chipAuthentication.keyIdentifier else { return [] }
    return BERTLV.encode(0x84, PACEDriver.bytes(of: number))
  }

  /// - Returns: whether the chip knows the command.
  private func keyAgreementTemplate(_ readerKey: [UInt8]) async throws -> Bool {
    let data = BERTLV.encode(0x91, chipAuthentication.key.group.unsigned(readerKey)) + keyReference
    let status = try await session.send(CommandAPDU(ins: 0x22, p1: 0x41, p2: 0xA6, data: data)).status
    if status == .success { return true }
    let isUnknown: [StatusWord] = [
      .instructionNotSupported, .incorrectParameters, .functionNotSupported, .wrongData, .referencedDataNotFound,
    ]
    guard isUnknown.contains(status) else {
      throw PassportError.unexpectedStatus(operation: "MSE:Set KAT", status)
    }
    return false
  }

  private func generalAuthenticate(_ readerKey: [UInt8]) async throws {
    let identifier = ObjectIdentifierBytes.encode(chipAuthentication.chipAuthentication.identifier)
    let selection = CommandAPDU(
      ins: 0x22, p1: 0x41, p2: 0xA4, data: BERTLV.encode(0x80, identifier) + keyReference)
    let selected = try await session.send(selection).status
    guard selected == .success else { throw PassportError.unexpectedStatus(operation: "MSE:Set AT", selected) }
    let data = BERTLV.encode(0x7C, BERTLV.encode(0x80, chipAuthentication.key.group.unsigned(readerKey)))
    let answer = try await session.send(CommandAPDU(ins: 0x86, p1: 0, p2: 0, data: data, expectedLength: 256)).status
    guard answer == .success else { throw PassportError.unexpectedStatus(operation: "GENERAL AUTHENTICATE", answer) }
  }
}
