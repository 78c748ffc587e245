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
  /// - Throws: `PassportError.unexpectedStatus` where the chip refuses: the keys are the old ones then. With the status
  ///   0000 the chip was not asked, since its key or generator has an order so small that it agrees on nothing secret.
  func run() async throws -> Outcome {
    // Computed before the chip is asked: a key that is none is found without it.
    let (privateKey, readerKey, keys) = try agreement()
    if chipAuthentication.chipAuthentication.cipher == .tripleDES {
      // Chips that do AES as well may leave the older command out (6.2.4).
      if try await !keyAgreementTemplate(readerKey) { try await generalAuthenticate(readerKey) }
    } else {
      try await generalAuthenticate(readerKey)
    }
    session.begin(try keys.secureMessaging())
    return Outcome(readerKey: readerKey, privateKey: privateKey)
  }

  private func agreement() throws -> (privateKey: SecretBytes, readerKey: [UInt8], keys: SessionKeys) {
    let group = chipAuthentication.key.group
    do {
      let (privateKey, readerKey) =
        try privateKey.map { ($0, try group.multiply(group.generator, by: $0)) } ?? group.makeKeyPair(group.generator)
      return (privateKey, readerKey, try chipAuthentication.keys(privateKey: privateKey))
    } catch is GroupElementProblem {
      throw PassportError.unexpectedStatus(operation: "Chip Authentication with a key of small order", .none)
    }
  }

  /// What names the key, in turn: nothing where there is one only, and its number where the chip wants that all the same.
  private var keyReferences: [[UInt8]] {
    guard let number = chipAuthentication.keyIdentifier else { return [[]] }
    let reference = BERTLV.encode(0x84, PACEDriver.bytes(of: number))
    return chipAuthentication.isAmbiguous ? [reference] : [[], reference]
  }

  /// Sends a selection, once more with the key's number where the chip has said that a reference is missing or wrong.
  private func select(_ p2: UInt8, _ data: [UInt8]) async throws -> StatusWord {
    var status = StatusWord.none
    for reference in keyReferences {
      status = try await session.send(CommandAPDU(ins: 0x22, p1: 0x41, p2: p2, data: data + reference)).status
      guard [.wrongData, .referencedDataNotFound].contains(status) else { break }
    }
    return status
  }

  /// - Returns: whether the chip knows the command.
  private func keyAgreementTemplate(_ readerKey: [UInt8]) async throws -> Bool {
    let status = try await select(0xA6, BERTLV.encode(0x91, chipAuthentication.key.group.unsigned(readerKey)))
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
    let selected = try await select(0xA4, BERTLV.encode(0x80, identifier))
    guard selected == .success else { throw PassportError.unexpectedStatus(operation: "MSE:Set AT", selected) }
    let data = BERTLV.encode(0x7C, BERTLV.encode(0x80, chipAuthentication.key.group.unsigned(readerKey)))
    let answer = try await session.send(CommandAPDU(ins: 0x86, p1: 0, p2: 0, data: data, expectedLength: 256)).status
    guard answer == .success else { throw PassportError.unexpectedStatus(operation: "GENERAL AUTHENTICATE", answer) }
  }
}
