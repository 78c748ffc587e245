import TesseraCryptography
import TesseraSmartCard

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
    let commands = ChipAuthenticationCommands(
      session: session, chipAuthentication: chipAuthentication.chipAuthentication,
      keyIdentifier: chipAuthentication.keyIdentifier, isAmbiguous: chipAuthentication.isAmbiguous)
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
