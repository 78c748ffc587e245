import TesseraCryptography
import TesseraSmartCard

/// Runs Chip Authentication in a session with the chip and replaces the session's keys: one exchange with MSE:Set KAT,
/// two with MSE:Set AT and GENERAL AUTHENTICATE (Doc 9303-11, 6.2.4).
struct ChipAuthenticationDriver {
  /// The result of a run.
  struct Outcome {
    /// This reader's ephemeral public key, to which Terminal Authentication binds.
    let readerKey: [UInt8]
    let privateKey: SecretBytes
  }

  let session: ChipSession
  let chipAuthentication: ChipAuthentication
  /// Only tests set it.
  var privateKey: SecretBytes?

  /// On return the session uses the new keys. The chip's next response shows whether the chip uses them as well.
  ///
  /// - Throws: `PassportError.unexpectedStatus` if the chip refuses; the session then keeps its keys. The status is
  ///   0000 if no command was sent, because the order of the chip's key or generator is too small for a secret
  ///   agreement.
  func run() async throws -> Outcome {
    // Computed first, so that an invalid key is detected before the chip receives a command.
    let (privateKey, readerKey, keys) = try agreement()
    if chipAuthentication.chipAuthentication.cipher == .tripleDES {
      // Chips that also support AES may not support the older command (6.2.4).
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

  /// The key references to try, in this order: none if there is only one key, then its number, which some chips
  /// require.
  private var keyReferences: [[UInt8]] {
    guard let number = chipAuthentication.keyIdentifier else { return [[]] }
    let reference = BERTLV.encode(0x84, PACEDriver.bytes(of: number))
    return chipAuthentication.isAmbiguous ? [reference] : [[], reference]
  }

  /// Sends a selection. Repeats it with the key's number if the chip reports that a reference is missing or wrong.
  private func select(_ p2: UInt8, _ data: [UInt8]) async throws -> StatusWord {
    var status = StatusWord.none
    for reference in keyReferences {
      status = try await session.transceive(CommandAPDU(ins: 0x22, p1: 0x41, p2: p2, data: data + reference)).status
      guard [.wrongData, .referencedDataNotFound].contains(status) else { break }
    }
    return status
  }

  /// - Returns: whether the chip supports the command.
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
    let answer = try await session.transceive(CommandAPDU(ins: 0x86, p1: 0, p2: 0, data: data, expectedLength: 256))
      .status
    guard answer == .success else { throw PassportError.unexpectedStatus(operation: "GENERAL AUTHENTICATE", answer) }
  }
}
