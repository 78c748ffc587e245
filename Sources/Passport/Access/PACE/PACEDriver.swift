import Cryptography
import SmartCard

/// Runs PACE over the channel: five exchanges (Doc 9303-11, 4.4.4).
struct PACEDriver {
  /// What a run left behind.
  struct Outcome {
    let keys: SessionKeys
    /// The chip's ephemeral key of the agreement, by which Terminal Authentication names the chip.
    let chipKey: [UInt8]
    /// This reader's ephemeral key of the agreement.
    let readerKey: [UInt8]
    /// What the chip authentication mapping proves, where that was the mapping.
    let chipAuthentication: PACEChipAuthenticationEvidence?
    /// The certification authorities that the chip knows (tags 87 and 88).
    let authorities: [String]
  }

  /// What this reader contributes; known in tests only.
  struct Share {
    var mappingKey: SecretBytes?
    var readerNonce: SecretBytes?
    var agreementKey: SecretBytes?
  }

  let session: ChipSession
  let choice: PACEChoice
  /// Whether the chip shall name the certification authorities that it knows.
  var asksForAuthorities = false
  var share = Share()

  private var core: PACE { PACE(pace: choice.pace, group: choice.group) }

  /// - Throws: `PACEError`; whatever ended the session.
  func run(_ key: AccessKey) async throws -> Outcome {
    let passwordKey = try PACE.passwordKey(key, for: choice.pace.cipher)
    try await select(key)
    let encrypted = try await ask(.nonce, [], wanting: 0x80)
    let nonce = try core.nonce(encrypted: encrypted, passwordKey: passwordKey)
    let (generator, mappingKey) = try await map(nonce)
    return try await agree(generator, mappingKey: mappingKey)
  }

  // MARK: - Steps

  private func select(_ key: AccessKey) async throws {
    let isRefused: (StatusWord) -> Bool = {
      [.wrongData, .incorrectParameters, .referencedDataNotFound, .wrongLength].contains($0)
    }
    var status = try await session.send(selection(key, choice.isAmbiguous, asksForAuthorities)).status
    if isRefused(status), asksForAuthorities {
      // Chips of the first generation know no template of rights here; EF.CVCA tells the authorities as well.
      status = try await session.send(selection(key, choice.isAmbiguous, false)).status
    }
    if isRefused(status), !choice.isAmbiguous, choice.parameterIdentifier != nil {
      // A chip may want to be told which domain parameters even where it has one set only.
      status = try await session.send(selection(key, true, false)).status
    }
    if status == .success { return }
    if status == .referencedDataNotFound { throw PACEError.passwordUnknown(status) }
    // 63Cx: selected, with x tries left.
    if let tries = status.triesLeft, tries > 1 { return }
    throw Self.refusal(.selection, status)
  }

  private func selection(_ key: AccessKey, _ namesParameters: Bool, _ asksForAuthorities: Bool) -> CommandAPDU {
    let reference: UInt8 =
      switch key {
      case .mrz: 1
      case .can: 2
      }
    var data = BERTLV.encode(0x80, choice.pace.identifierBytes) + BERTLV.encode(0x83, [reference])
    if namesParameters, let number = choice.parameterIdentifier {
      data += BERTLV.encode(0x84, Self.bytes(of: number))
    }
    if asksForAuthorities {
      // id-IS with all rights: only then a chip answers with the authorities (Doc 9303-11, 4.4.4.1).
      data += CertificateHolderAuthorization.everyRightOfInspectionSystem.encoded
    }
    return CommandAPDU(ins: 0x22, p1: 0xC1, p2: 0xA4, data: data)
  }

  /// Big-endian, without leading zeros, one byte at least.
  static func bytes(of number: Int) -> [UInt8] {
    var bytes = [UInt8(truncatingIfNeeded: number)]
    var rest = number >> 8
    while rest > 0 {
      bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return bytes
  }

  /// - Returns: the generator, and the chip's mapping key where there is one.
  private func map(_ nonce: SecretBytes) async throws -> (generator: [UInt8], chipKey: [UInt8]?) {
    switch choice.pace.mapping {
    case .generic, .chipAuthentication:
      let (privateKey, publicKey) = try keyPair(share.mappingKey, choice.group.generator)
      let answer = try await ask(.mapping, BERTLV.encode(0x81, choice.group.unsigned(publicKey)), wanting: 0x82)
      let chipKey = choice.group.normalized(answer)
      let generator = try core.genericGenerator(
        nonce: nonce, privateKey: privateKey, publicKey: publicKey, chipKey: chipKey)
      return (generator, chipKey)
    case .integrated:
      let function = PACERandomFunction(cipher: choice.pace.cipher)
      let readerNonce = try share.readerNonce ?? RandomBytes.makeSecret(function.readerNonceLength)
      // Computed first, so that a nonce of the wrong length is found before the chip has this reader's.
      let generator = try core.integratedGenerator(nonce: nonce, readerNonce: readerNonce)
      let data = readerNonce.withUnsafeBytes { BERTLV.encode(0x81, $0) }
      _ = try await ask(.mapping, data, wanting: nil)
      return (generator, nil)
    }
  }

  private func keyPair(_ known: SecretBytes?, _ generator: [UInt8]) throws -> (SecretBytes, [UInt8]) {
    guard let known else { return try choice.group.makeKeyPair(generator) }
    return (known, try choice.group.multiply(generator, by: known))
  }

  private func agree(_ generator: [UInt8], mappingKey: [UInt8]?) async throws -> Outcome {
    let (privateKey, publicKey) = try keyPair(share.agreementKey, generator)
    let answer = try await ask(.agreement, BERTLV.encode(0x83, choice.group.unsigned(publicKey)), wanting: 0x84)
    let chipKey = choice.group.normalized(answer)
    let agreement = try core.agreement(privateKey: privateKey, publicKey: publicKey, chipKey: chipKey, sentKey: answer)
    let final = try await exchange(.authentication, BERTLV.encode(0x85, agreement.readerToken))
    guard let token = final.first(where: { $0.tag == 0x86 })?.value else {
      throw PACEError.malformedAnswer(.authentication)
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

  /// One object of the answer; any answer where none is wanted, since chips differ in how they say nothing.
  private func ask(_ step: PACEError.Step, _ data: [UInt8], wanting tag: UInt32?) async throws -> [UInt8] {
    let objects = try await exchange(step, data)
    guard let tag else { return [] }
    guard let object = objects.first(where: { $0.tag == tag }), !object.value.isEmpty else {
      throw PACEError.malformedAnswer(step)
    }
    return Array(object.value)
  }

  private func exchange(_ step: PACEError.Step, _ data: [UInt8]) async throws -> [BERTLV] {
    let isLast = step == .authentication
    let body = BERTLV.encode(0x7C, data)
    // The answer has the size of the question.
    let command = CommandAPDU(
      cla: isLast ? 0x00 : 0x10, ins: 0x86, p1: 0, p2: 0, data: body, expectedLength: body.count > 240 ? 65_536 : 256)
    let response = try await session.send(command)
    guard response.status == .success else { throw Self.refusal(step, response.status) }
    if response.data.isEmpty, step == .mapping, choice.pace.mapping == .integrated { return [] }
    do {
      var rest = response.data[...]
      let outer = try BERTLV.take(from: &rest)
      guard outer.tag == 0x7C, rest.isEmpty else { throw PACEError.malformedAnswer(step) }
      return try BERTLV.sequence(outer.value)
    } catch {
      throw PACEError.malformedAnswer(step)
    }
  }

  /// Whether the chip means the password or the protocol.
  static func refusal(_ step: PACEError.Step, _ status: StatusWord) -> PACEError {
    switch status {
    case .authenticationBlocked: return .passwordBlocked(status)
    // What the chip found wrong at the last step is the token, and that is wrong where the password is.
    case .authenticationFailed, .securityStatusNotSatisfied, .secureMessagingObjectsIncorrect:
      if step == .authentication { return .wrongPassword(triesLeft: nil, status) }
    default: break
    }
    switch status.triesLeft {
    case 0?: return .passwordBlocked(status)
    case 1?: return .passwordSuspended(status)
    case let tries?: return .wrongPassword(triesLeft: tries, status)
    case nil: return .refused(step, status)
    }
  }
}
