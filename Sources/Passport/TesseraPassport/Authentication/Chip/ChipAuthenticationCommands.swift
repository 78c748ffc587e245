import TesseraCryptography
import TesseraSmartCard

/// The commands of Chip Authentication: one exchange with MSE:Set KAT, two with MSE:Set AT and GENERAL AUTHENTICATE
/// (Doc 9303-11, 6.2.4). They contain the reader's public key only, so that any machine can send them.
package struct ChipAuthenticationCommands {
  let session: ChipSession
  let chipAuthentication: ChipAuthenticationProtocol
  /// The chip's number for its key.
  let keyIdentifier: Int?
  /// Whether the chip has several keys.
  let isAmbiguous: Bool
  /// Whether the number of an only key is tried first. Some chips notice only after the selection that it is missing, and
  /// answer with any status.
  package var namesKey = false

  package init(
    session: ChipSession, chipAuthentication: ChipAuthenticationProtocol, keyIdentifier: Int?, isAmbiguous: Bool
  ) {
    self.session = session
    self.chipAuthentication = chipAuthentication
    self.keyIdentifier = keyIdentifier
    self.isAmbiguous = isAmbiguous
  }

  /// Sends a public key. The session keeps its keys; the chip uses the new ones from the next command on.
  ///
  /// - Parameter publicKey: as it goes to the chip (Doc 9303-11, 9.4).
  /// - Throws: `PassportError.unexpectedStatus` if the chip refuses.
  package func send(_ publicKey: [UInt8]) async throws {
    if chipAuthentication.cipher == .tripleDES {
      // Chips that also support AES may not support the older command (Doc 9303-11, 6.2.4), and say so with any status.
      if try await select(0xA6, BERTLV.encode(0x91, publicKey)) != .success { try await generalAuthenticate(publicKey) }
    } else {
      try await generalAuthenticate(publicKey)
    }
  }

  /// The key references to try, in this order: none if there is only one key, then its number, which some chips
  /// require.
  private var keyReferences: [[UInt8]] {
    guard let keyIdentifier else { return [[]] }
    let reference = BERTLV.encode(0x84, PACEDriver.bytes(of: keyIdentifier))
    return isAmbiguous ? [reference] : namesKey ? [reference, []] : [[], reference]
  }

  /// Sends a selection. Repeats it with the key's number if the chip reports that a reference is missing or wrong, and
  /// without a number that it did not ask for after any refusal.
  ///
  /// - Parameter next: the command that follows if the chip accepts; nil for none.
  private func select(_ p2: UInt8, _ data: [UInt8], followedBy next: CommandAPDU? = nil) async throws -> StatusWord {
    var status = StatusWord.none
    for reference in keyReferences {
      let command = CommandAPDU(ins: 0x22, p1: 0x41, p2: p2, data: data + reference)
      session.distance?.expect(.commands([command, next].compactMap(\.self)))
      status = try await session.transceive(command).status
      guard status != .success, namesKey || [.wrongData, .referencedDataNotFound].contains(status) else { break }
    }
    return status
  }

  private func generalAuthenticate(_ publicKey: [UInt8]) async throws {
    let identifier = ObjectIdentifierBytes.encode(chipAuthentication.identifier)
    let data = BERTLV.encode(0x7C, BERTLV.encode(0x80, publicKey))
    let command = CommandAPDU(ins: 0x86, p1: 0, p2: 0, data: data, expectedLength: 256)
    let selected = try await select(0xA4, BERTLV.encode(0x80, identifier), followedBy: command)
    guard selected == .success else { throw PassportError.unexpectedStatus(operation: "MSE:Set AT", selected) }
    let answer = try await session.transceive(command).status
    guard answer == .success else { throw PassportError.unexpectedStatus(operation: "GENERAL AUTHENTICATE", answer) }
  }
}

/// Runs Chip Authentication in a session with the chip and replaces the session's keys.
struct ChipAuthenticationDriver {
  /// The result of a run.
  struct Outcome {
    /// This reader's ephemeral public key, to which Terminal Authentication binds.
    let readerKey: [UInt8]
    let privateKey: SecretBytes
  }

  let session: ChipSession
  let chipAuthentication: ChipAuthentication
  /// See `ChipAuthenticationCommands`.
  var namesKey = false
  /// Only tests set it.
  var privateKey: SecretBytes?

  /// On return the session uses the new keys. The chip's next response shows whether the chip uses them as well.
  ///
  /// - Throws: `PassportError.unexpectedStatus` if the chip refuses; the session then keeps its keys. The status is
  ///   0000 if no command was sent, because the order of the chip's key or generator is too small for a secret
  ///   agreement.
  func run() async throws -> Outcome {
    // Computed first, so that an invalid key is detected before the chip receives a command.
    let agreement = try agreement()
    var commands = ChipAuthenticationCommands(
      session: session, chipAuthentication: chipAuthentication.chipAuthentication,
      keyIdentifier: chipAuthentication.keyIdentifier, isAmbiguous: chipAuthentication.isAmbiguous)
    commands.namesKey = namesKey
    try await commands.send(chipAuthentication.key.group.unsigned(agreement.publicKey))
    session.begin(try agreement.keys.secureMessaging())
    return Outcome(readerKey: agreement.publicKey, privateKey: agreement.privateKey)
  }

  private func agreement() throws -> ChipAuthentication.Agreement {
    do {
      return try chipAuthentication.agreement(privateKey: privateKey)
    } catch is GroupElementProblem {
      throw PassportError.unexpectedStatus(operation: "Chip Authentication with a key of small order", .none)
    }
  }
}
