import TesseraCryptography
import TesseraSmartCard

/// Chip Authentication, Active Authentication and Terminal Authentication.
extension Chip {
  /// MSE (ISO/IEC 7816-4, 10.5.11; BSI TR-03110-3, B.11).
  mutating func manageSecurityEnvironment(_ command: CardCommand) -> ResponseAPDU {
    guard let objects = try? BERTLV.sequence(command.data[...]) else { return ResponseAPDU(status: .wrongData) }
    switch (command.p1, command.p2) {
    case (0xC1, 0xA4) where !profile.pace.isEmpty: return choosePACE(objects)
    case (0x41, 0xA4) where !profile.chipAuthentication.isEmpty: return chooseChipKey(objects)
    case (0x41, 0xA6) where !profile.chipAuthentication.isEmpty: return setKeyAgreementTemplate(objects)
    case (0x81, 0xB6) where profile.supportsTerminalAuthentication,
      (0x81, 0xA4) where profile.supportsTerminalAuthentication:
      return chooseTerminalKey(objects, forCertificate: command.p2 == 0xB6)
    default:
      let isKnown = !profile.pace.isEmpty || !profile.chipAuthentication.isEmpty
      return ResponseAPDU(status: isKnown ? .incorrectParameters : .instructionNotSupported)
    }
  }

  /// A step of PACE, or Chip Authentication.
  mutating func generalAuthenticate(_ command: CardCommand) -> ResponseAPDU {
    guard !profile.pace.isEmpty || !profile.chipAuthentication.isEmpty else {
      return ResponseAPDU(status: .instructionNotSupported)
    }
    guard command.p1 == 0, command.p2 == 0 else { return ResponseAPDU(status: .incorrectParameters) }
    guard let value = try? BERTLV.value(of: 0x7C, in: command.data[...]), let objects = try? BERTLV.sequence(value)
    else {
      state.pace = nil
      return ResponseAPDU(status: .wrongData)
    }
    if let run = state.pace { return continuePACE(run, objects, isLast: command.cla & 0x10 == 0) }
    guard let offer = state.session.chipAuthentication else { return ResponseAPDU(status: .conditionsNotSatisfied) }
    state.session.chipAuthentication = nil
    if !state.session.isChipKeyNamed, let refusal = profile.quirks.unnamedChipKey {
      return ResponseAPDU(status: StatusWord(refusal))
    }
    guard let key = objects.first(where: { $0.tag == 0x80 }) else { return ResponseAPDU(status: .wrongData) }
    return authenticateChip(offer, Array(key.value), answer: [0x7C, 0x00])
  }

  // MARK: - Chip Authentication (Doc 9303-11, 6.2)

  /// MSE:Set AT for Chip Authentication.
  private mutating func chooseChipKey(_ objects: [BERTLV]) -> ResponseAPDU {
    guard mayAuthenticate else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    guard let identifier = objects.first(where: { $0.tag == 0x80 }) else { return ResponseAPDU(status: .wrongData) }
    let offers = profile.chipAuthentication.filter { $0.objectIdentifier == Array(identifier.value) }
    guard !offers.isEmpty else { return ResponseAPDU(status: .wrongData) }
    guard let offer = Self.selectedKey(of: offers, objects) else {
      return ResponseAPDU(status: .referencedDataNotFound)
    }
    state.session.chipAuthentication = offer
    state.session.isChipKeyNamed = objects.contains { $0.tag == 0x84 }
    return ResponseAPDU(status: .success)
  }

  /// MSE:Set KAT: Chip Authentication in one command, for 3DES.
  private mutating func setKeyAgreementTemplate(_ objects: [BERTLV]) -> ResponseAPDU {
    if let refusal = profile.quirks.keyAgreementTemplate { return ResponseAPDU(status: StatusWord(refusal)) }
    guard mayAuthenticate else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    guard let key = objects.first(where: { $0.tag == 0x91 }) else { return ResponseAPDU(status: .wrongData) }
    guard let offer = Self.selectedKey(of: profile.chipAuthentication.filter { $0.cipher == .tripleDES }, objects)
    else {
      return ResponseAPDU(status: .referencedDataNotFound)
    }
    return authenticateChip(offer, Array(key.value), answer: [])
  }

  /// The key that the data object 84 references, or the only one.
  private static func selectedKey(
    of offers: [ChipAuthenticationOffer], _ objects: [BERTLV]
  ) -> ChipAuthenticationOffer? {
    guard let reference = objects.first(where: { $0.tag == 0x84 }) else { return offers.count == 1 ? offers[0] : nil }
    guard (1...4).contains(reference.value.count) else { return nil }
    let identifier = reference.value.reduce(0) { $0 << 8 | Int($1) }
    return offers.first { $0.keyIdentifier == identifier }
  }

  private var mayAuthenticate: Bool { !profile.hasAccessControl || state.session.messaging != nil }

  /// The response is still protected with the old keys, the next command with the new ones.
  private mutating func authenticateChip(
    _ offer: ChipAuthenticationOffer, _ terminalKey: [UInt8], answer: [UInt8]
  ) -> ResponseAPDU {
    do {
      let group = try offer.parameters.group()
      try group.check(terminalKey)
      let exponent =
        try chipKeys[offer.keyIdentifier ?? -1]
        ?? SpecimenKeys.chipAuthentication(offer, isClone: profile.fault == .clone)
      let secret = group.secret(of: try group.raise(terminalKey, to: exponent))
      var next = state.session
      next.messaging = try CardSecureMessaging(secret: secret, cipher: offer.cipher)
      next.terminalKey = try group.compressed(terminalKey)
      state.nextSession = next
      if profile.quirks.leavesApplication {
        state.isApplicationSelected = false
        state.currentFile = nil
      }
      return ResponseAPDU(data: answer, status: .success)
    } catch {
      return ResponseAPDU(status: .wrongData)
    }
  }

  // MARK: - Active Authentication (Doc 9303-11, 6.1)

  mutating func internalAuthenticate(_ command: CardCommand) -> ResponseAPDU {
    guard let offer = profile.activeAuthentication, state.isApplicationSelected else {
      return ResponseAPDU(status: .instructionNotSupported)
    }
    guard mayAuthenticate else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    guard command.data.count == 8 else { return ResponseAPDU(status: .wrongLength) }
    var challenge = command.data
    if profile.fault == .wrongSignature { challenge[0] ^= 0x01 }
    let card = CardActiveAuthentication(
      offer: offer, isClone: profile.fault == .clone, signatureHash: profile.quirks.signatureHash)
    guard let signature = try? card.sign(challenge) else { return ResponseAPDU(status: .unspecifiedError) }
    if profile.quirks.requiresSignatureLength, command.expectedLength != signature.count {
      return ResponseAPDU(status: StatusWord(0x6C00 | UInt16(signature.count & 0xFF)))
    }
    return ResponseAPDU(data: signature, status: .success)
  }

  // MARK: - Terminal Authentication (BSI TR-03110-1, 3.5)

  /// MSE:Set DST before a certificate, MSE:Set AT before the terminal's signature.
  private mutating func chooseTerminalKey(_ objects: [BERTLV], forCertificate: Bool) -> ResponseAPDU {
    guard state.session.terminalKey != nil else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    guard let name = objects.first(where: { $0.tag == 0x83 }) else { return ResponseAPDU(status: .wrongData) }
    do {
      var terminal = try state.session.terminal ?? CardTerminalAuthentication(trusting: SpecimenTerminal.trustPoint())
      let isKnown = terminal.selectKey(Array(name.value), forCertificate: forCertificate)
      state.session.terminal = terminal
      return ResponseAPDU(status: isKnown ? .success : .referencedDataNotFound)
    } catch {
      return ResponseAPDU(status: .unspecifiedError)
    }
  }

  /// PSO:Verify Certificate.
  mutating func performSecurityOperation(_ command: CardCommand) -> ResponseAPDU {
    guard profile.supportsTerminalAuthentication else { return ResponseAPDU(status: .instructionNotSupported) }
    guard command.p1 == 0x00, command.p2 == 0xBE else { return ResponseAPDU(status: .incorrectParameters) }
    guard var terminal = state.session.terminal else { return ResponseAPDU(status: .conditionsNotSatisfied) }
    do {
      let isValid = try terminal.verify(command.data)
      state.session.terminal = terminal
      return ResponseAPDU(status: isValid ? .success : .authenticationFailed)
    } catch {
      state.session.terminal = terminal
      return ResponseAPDU(status: .wrongData)
    }
  }

  /// EXTERNAL AUTHENTICATE under secure messaging.
  mutating func authenticateTerminal(_ command: CardCommand) -> ResponseAPDU {
    guard let terminal = state.session.terminal, let challenge = state.challenge,
      let key = state.session.terminalKey
    else { return ResponseAPDU(status: .conditionsNotSatisfied) }
    state.challenge = nil
    let message = state.session.chipIdentifier + challenge + key
    guard let rights = try? terminal.rights(provedBy: command.data, over: message) else {
      return ResponseAPDU(status: .authenticationFailed)
    }
    state.session.rights = rights
    return ResponseAPDU(status: .success)
  }
}
