import TesseraCryptography
import TesseraSmartCard

/// Runs PACE in a session with the chip: five exchanges (Doc 9303-11, 4.4.4).
struct PACEDriver {
  /// The result of a run.
  struct Outcome {
    let keys: SessionKeys
    /// The chip's ephemeral public key, which identifies the chip in Terminal Authentication.
    let chipKey: [UInt8]
    /// This reader's ephemeral public key.
    let readerKey: [UInt8]
    /// The evidence of the chip authentication mapping; nil for other mappings.
    let chipAuthentication: PACEChipAuthenticationEvidence?
    /// The certification authorities that the chip trusts (tags 87 and 88).
    let authorities: [String]
  }

  /// The random values of the reader. Only known-answer tests set them.
  struct ReaderRandomValues {
    var mappingKey: SecretBytes?
    var readerNonce: SecretBytes?
    var agreementKey: SecretBytes?
  }

  let session: ChipSession
  let choice: PACEChoice
  /// Whether to request the certification authorities that the chip trusts.
  var requestsAuthorities = false
  var randomValues = ReaderRandomValues()

  private var core: PACE { PACE(pace: choice.pace, group: choice.group) }

  /// - Throws: `PACEError`; the error that ended the session.
  func run(_ key: AccessKey) async throws -> Outcome {
    let passwordKey = try PACE.passwordKey(key, for: choice.pace.cipher)
    try await select(key)
    let encrypted = try await generalAuthenticate(.nonce, [], expecting: 0x80)
    let nonce = try core.nonce(encrypted: encrypted, passwordKey: passwordKey)
    let (generator, mappingKey) = try await map(nonce)
    return try await agree(generator, mappingKey: mappingKey)
  }

  // MARK: - Steps

  private func select(_ key: AccessKey) async throws {
    let isRefused: (StatusWord) -> Bool = {
      [.wrongData, .incorrectParameters, .inconsistentLength, .referencedDataNotFound, .wrongLength].contains($0)
    }
    var status = try await select(key, choice.isAmbiguous, requestsAuthorities)
    if isRefused(status), requestsAuthorities {
      // Chips of the first generation do not support the authorisation template here; EF.CVCA also lists the
      // authorities.
      status = try await select(key, choice.isAmbiguous, false)
    }
    var mayName = !choice.isAmbiguous && choice.parameterIdentifier != nil
    if isRefused(status), mayName {
      // A chip may require the domain parameters although it has only one set.
      status = try await select(key, true, false)
      mayName = false
    }
    let isFinal: (StatusWord) -> Bool = { $0 == .success || $0.triesLeft != nil || $0 == .authenticationBlocked }
    // A chip may refuse a command once.
    if !isFinal(status) { status = try await select(key, choice.isAmbiguous, requestsAuthorities) }
    // It may also say with any status that it requires the domain parameters.
    if !isFinal(status), mayName {
      let named = try await select(key, true, false)
      if isFinal(named) { status = named }
    }
    if status == .success { return }
    if status == .referencedDataNotFound, case .can = key { throw PACEError.passwordUnknown(status) }
    // 63Cx: the password is selected and has x tries left.
    if let tries = status.triesLeft, tries > 1 { return }
    throw Self.refusal(.selection, status)
  }

  /// Sends MSE:Set AT. If the chip accepts it, the request for the nonce follows.
  private func select(
    _ key: AccessKey, _ namesParameters: Bool, _ requestsAuthorities: Bool
  ) async throws -> StatusWord {
    let command = selection(key, namesParameters, requestsAuthorities)
    session.distance?.expect(.commands([command, self.command(.nonce, [])]))
    return try await session.transceive(command).status
  }

  private func selection(_ key: AccessKey, _ namesParameters: Bool, _ requestsAuthorities: Bool) -> CommandAPDU {
    let reference: UInt8 =
      switch key {
      case .mrz: 1
      case .can: 2
      }
    var data = BERTLV.encode(0x80, choice.pace.identifierBytes) + BERTLV.encode(0x83, [reference])
    if namesParameters, let number = choice.parameterIdentifier {
      data += BERTLV.encode(0x84, Self.bytes(of: number))
    }
    if requestsAuthorities {
      // id-IS with all rights: only then the chip returns the authorities (Doc 9303-11, 4.4.4.1).
      data += CertificateHolderAuthorization.inspectionSystemWithAllRights.encoded
    }
    return CommandAPDU(ins: 0x22, p1: 0xC1, p2: 0xA4, data: data)
  }

  /// Big-endian without leading zeros, at least one byte.
  static func bytes(of number: Int) -> [UInt8] {
    var bytes = [UInt8(truncatingIfNeeded: number)]
    var rest = number >> 8
    while rest > 0 {
      bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return bytes
  }

  /// - Returns: the generator; the chip's mapping key, or nil if the mapping has none.
  private func map(_ nonce: SecretBytes) async throws -> (generator: [UInt8], chipKey: [UInt8]?) {
    switch choice.pace.mapping {
    case .generic, .chipAuthentication:
      let (privateKey, publicKey) = try keyPair(randomValues.mappingKey, choice.group.generator)
      let answer = try await generalAuthenticate(
        .mapping, BERTLV.encode(0x81, choice.group.unsigned(publicKey)), expecting: 0x82)
      let chipKey = choice.group.normalized(answer)
      let generator = try core.genericGenerator(
        nonce: nonce, privateKey: privateKey, publicKey: publicKey, chipKey: chipKey)
      return (generator, chipKey)
    case .integrated:
      let function = PACERandomFunction(cipher: choice.pace.cipher)
      let readerNonce = try randomValues.readerNonce ?? RandomBytes.makeSecret(function.readerNonceLength)
      // Computed first, so that a nonce of the wrong length is detected before the chip receives this reader's nonce.
      let generator = try core.integratedGenerator(nonce: nonce, readerNonce: readerNonce)
      let data = readerNonce.withUnsafeBytes { BERTLV.encode(0x81, $0) }
      _ = try await generalAuthenticate(.mapping, data, expecting: nil)
      return (generator, nil)
    }
  }

  private func keyPair(_ known: SecretBytes?, _ generator: [UInt8]) throws -> (SecretBytes, [UInt8]) {
    guard let known else { return try choice.group.makeKeyPair(generator) }
    return (known, try choice.group.multiply(generator, by: known))
  }

  private func agree(_ generator: [UInt8], mappingKey: [UInt8]?) async throws -> Outcome {
    let (privateKey, publicKey) = try keyPair(randomValues.agreementKey, generator)
    let answer = try await generalAuthenticate(
      .agreement, BERTLV.encode(0x83, choice.group.unsigned(publicKey)), expecting: 0x84)
    let chipKey = choice.group.normalized(answer)
    let agreement = try core.agreement(privateKey: privateKey, publicKey: publicKey, chipKey: chipKey, sentKey: answer)
    let final = try await exchange(.authentication, BERTLV.encode(0x85, agreement.readerToken))
    guard let token = final.first(where: { $0.tag == 0x86 })?.value else {
      throw PACEError.malformedResponse(.authentication)
    }
    guard constantTimeEqual(token, agreement.chipToken) else { throw PACEError.wrongToken }
    let chipAuthentication: PACEChipAuthenticationEvidence? =
      if choice.pace.mapping == .chipAuthentication, let mappingKey {
        PACEChipAuthenticationEvidence(
          pace: choice.pace, parameterIdentifier: choice.parameterIdentifier,
          explicitParameters: choice.explicitParameters, mappingKey: mappingKey,
          encryptedData: final.first { $0.tag == 0x8A }.map { Array($0.value) }, keys: agreement.keys)
      } else {
        nil
      }
    return Outcome(
      keys: agreement.keys, chipKey: chipKey, readerKey: publicKey, chipAuthentication: chipAuthentication,
      authorities: final.filter { $0.tag == 0x87 || $0.tag == 0x88 }.compactMap { Self.reference($0.value) })
  }

  /// A certification authority reference: up to 16 printable characters of ISO/IEC 8859-1.
  static func reference(_ bytes: ArraySlice<UInt8>) -> String? {
    guard (1...16).contains(bytes.count) else { return nil }
    var text = ""
    for byte in bytes {
      let isPrintable = (0x20...0x7E).contains(byte) || byte >= 0xA0
      guard isPrintable else { return nil }
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return text
  }

  // MARK: - GENERAL AUTHENTICATE

  /// One data object of the response. If `tag` is nil, accepts any response, since chips encode an empty one
  /// differently.
  private func generalAuthenticate(
    _ step: PACEError.Step, _ data: [UInt8], expecting tag: UInt32?
  ) async throws -> [UInt8] {
    let objects = try await exchange(step, data)
    guard let tag else { return [] }
    guard let object = objects.first(where: { $0.tag == tag }), !object.value.isEmpty else {
      throw PACEError.malformedResponse(step)
    }
    return Array(object.value)
  }

  private func exchange(_ step: PACEError.Step, _ data: [UInt8]) async throws -> [BERTLV] {
    let response = try await session.transceive(command(step, data))
    guard response.status == .success else { throw Self.refusal(step, response.status) }
    if response.data.isEmpty, step == .mapping, choice.pace.mapping == .integrated { return [] }
    do {
      var rest = response.data[...]
      let outer = try BERTLV.take(from: &rest)
      guard outer.tag == 0x7C, rest.isEmpty else { throw PACEError.malformedResponse(step) }
      return try BERTLV.sequence(outer.value)
    } catch {
      throw PACEError.malformedResponse(step)
    }
  }

  private func command(_ step: PACEError.Step, _ data: [UInt8]) -> CommandAPDU {
    let isLast = step == .authentication
    let body = BERTLV.encode(0x7C, data)
    // The response has the size of the command.
    return CommandAPDU(
      cla: isLast ? 0x00 : 0x10, ins: 0x86, p1: 0, p2: 0, data: body, expectedLength: body.count > 240 ? 65_536 : 256)
  }

  /// The error for a status word: a wrong password, or a failure of the protocol.
  static func refusal(_ step: PACEError.Step, _ status: StatusWord) -> PACEError {
    switch status {
    case .authenticationBlocked: return .passwordBlocked(status)
    // Only these say in the last step that the chip does not know the command, or not in this form.
    case .instructionNotSupported, .classNotSupported, .wrongLength, .secureMessagingNotSupported: break
    // Otherwise the token is wrong, the consequence of a wrong password, whatever the status.
    default: if step == .authentication, status.triesLeft == nil { return .wrongPassword(triesLeft: nil, status) }
    }
    switch status.triesLeft {
    case 0?: return .passwordBlocked(status)
    case 1?: return .passwordSuspended(status)
    case let tries?: return .wrongPassword(triesLeft: tries, status)
    case nil: return .refused(step, status)
    }
  }
}
