/// The commands of a PN532 or PN533 in reader mode (PN532 user manual UM0701-02, 7), as far as libnfc uses them. It is
/// independent of the transport, a serial line or USB.
public struct PN53xChip: Sendable {
  public enum Model: Sendable { case pn532, pn533 }

  public enum Outcome: Sendable, Equatable {
    /// The command's code plus one, then the data.
    case answer([UInt8])
    case syntaxError
    /// No response yet: the chip polls for a card until it finds one, or until the host aborts.
    case pending
  }

  /// The status byte of responses (UM0701-02, 7.1).
  private enum Status {
    static let success: UInt8 = 0x00
    /// The card did not answer in time.
    static let timeout: UInt8 = 0x01
    /// A parameter is out of range.
    static let invalidParameter: UInt8 = 0x10
    /// The command is invalid in this state.
    static let wrongContext: UInt8 = 0x27
    static let moreInformation: UInt8 = 0x40
  }

  /// The maximum data length of one InDataExchange response after its status (UM0701-02, 7.3.8).
  public static let largestExchange = 262

  public let model: Model
  public let field: ContactlessField
  /// The maximum data length of one response; smaller than that of the real chip, to test chaining.
  public var largestExchange = PN53xChip.largestExchange
  /// The bit rate of the card: 0 is 106 kbit/s, 1 is 212, 2 is 424.
  public private(set) var bitRate: UInt8 = 0

  private var registers: [UInt16: UInt8] = [:]
  private var activatesSmartCards = true
  private var looksForEver = false
  private var isFieldOn = true
  /// The time at which the field was switched off.
  private var fieldOff: ContinuousClock.Instant?
  private var isSelected = false
  /// The placement of the card in the state PROTOCOL (ISO/IEC 14443-3, 6.3.5): it does not answer requests until it is
  /// deselected or loses power.
  private var placementInProtocol: Int?
  private var remainder: [UInt8] = []
  /// The parts of a command that the host sends in several parts.
  private var parts: [UInt8] = []
  private var waiting: [UInt8]?

  public init(model: Model = .pn532, field: ContactlessField) {
    self.model = model
    self.field = field
  }

  public mutating func execute(_ command: [UInt8]) -> Outcome {
    waiting = nil
    guard let code = command.first else { return .syntaxError }
    let parameters = command.dropFirst()
    guard let data = data(code, Array(parameters)) else {
      guard Self.looking.contains(code), isLookingForEver(code, Array(parameters)) else { return .syntaxError }
      waiting = command
      return .pending
    }
    return .answer([code &+ 1] + data)
  }

  /// Completes a pending command after a change of the field, if possible.
  public mutating func retry() -> Outcome? {
    guard let waiting else { return nil }
    let outcome = execute(waiting)
    return outcome == .pending ? nil : outcome
  }

  /// Ends the pending command, which the host aborted.
  public mutating func abort() { waiting = nil }

  // MARK: - Commands

  private static let looking: Set<UInt8> = [0x4A, 0x60]

  /// The data of the response; nil if there is none yet.
  private mutating func data(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8]? {
    switch code {
    case 0x00: diagnose(parameters)
    case 0x02: model == .pn532 ? [0x32, 0x01, 0x06, 0x07] : [0x33, 0x02, 0x07, 0x07]  // GetFirmwareVersion
    case 0x04: [0x00, isFieldOn ? 1 : 0, isSelected ? 1 : 0] + (isSelected ? [1, bitRate, bitRate, 0] : []) + [0]
    case 0x06: readRegisters(parameters)
    case 0x08: writeRegisters(parameters)
    case 0x12: setParameters(parameters)
    case 0x14: model == .pn532 ? [] : nil  // SAMConfiguration
    case 0x16: powerDown()
    case 0x32: configureField(parameters)
    case 0x40: exchange(parameters)
    case 0x42: passThrough(parameters)
    case 0x44, 0x52: release()
    case 0x4A: list(parameters)
    case 0x4E: changeBitRate(parameters)
    case 0x54: isSelected ? [Status.success] : [Status.wrongContext]  // InSelect
    case 0x60: poll(parameters)
    default: nil
    }
  }

  /// Diagnose (UM0701-02, 7.2.1): 00 tests the line, 06 whether the card is present.
  private func diagnose(_ parameters: [UInt8]) -> [UInt8]? {
    switch parameters.first {
    case 0x00: parameters
    case 0x06: [isSelected && isFieldOn && field.card != nil ? Status.success : Status.timeout]
    default: nil
    }
  }

  private func readRegisters(_ parameters: [UInt8]) -> [UInt8]? {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 2) else { return nil }
    let values = stride(from: 0, to: parameters.count, by: 2).map { (index: Int) -> UInt8 in
      registers[UInt16(parameters[index]) << 8 | UInt16(parameters[index + 1])] ?? 0
    }
    return model == .pn533 ? [Status.success] + values : values
  }

  private mutating func writeRegisters(_ parameters: [UInt8]) -> [UInt8]? {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 3) else { return nil }
    for index in stride(from: 0, to: parameters.count, by: 3) {
      registers[UInt16(parameters[index]) << 8 | UInt16(parameters[index + 1])] = parameters[index + 2]
    }
    return model == .pn533 ? [Status.success] : []
  }

  /// SetParameters (UM0701-02, 7.2.9): bit 5 makes the chip send RATS automatically.
  private mutating func setParameters(_ parameters: [UInt8]) -> [UInt8]? {
    guard let flags = parameters.first else { return nil }
    activatesSmartCards = flags & 0x10 != 0
    return []
  }

  private mutating func powerDown() -> [UInt8] {
    switchField(on: false)
    return [Status.success]
  }

  /// A card loses its state after some time without a field (ISO/IEC 14443-2: 5 ms).
  private mutating func switchField(on isOn: Bool) {
    if isOn {
      if let fieldOff, fieldOff.duration(to: .now) >= .milliseconds(5) { placementInProtocol = nil }
      fieldOff = nil
    } else {
      deactivate()
      fieldOff = fieldOff ?? .now
    }
    isFieldOn = isOn
  }

  /// RFConfiguration (UM0701-02, 7.3.1): item 1 is the field, item 5 the number of retries.
  private mutating func configureField(_ parameters: [UInt8]) -> [UInt8]? {
    guard let item = parameters.first else { return nil }
    switch (item, parameters.count) {
    case (0x01, 2):
      switchField(on: parameters[1] & 1 != 0)
    case (0x05, 4): looksForEver = parameters[3] == 0xFF
    default: break
    }
    return []
  }

  private mutating func deactivate() {
    isSelected = false
    bitRate = 0
    remainder = []
    parts = []
  }

  /// InDeselect and InRelease (UM0701-02, 7.3.10 and 7.3.11): send S(DESELECT) to the card, which may miss it.
  private mutating func release() -> [UInt8] {
    if isSelected, !field.hidesDeselections { placementInProtocol = nil }
    deactivate()
    return [Status.success]
  }

  // MARK: - Finding a card

  private func isLookingForEver(_ code: UInt8, _ parameters: [UInt8]) -> Bool {
    code == 0x60 ? parameters.first == 0xFF && parameters.count > 2 : looksForEver && parameters.count > 1
  }

  /// InListPassiveTarget (UM0701-02, 7.3.5): 00 is type A, 03 type B at 106 kbit/s; 06 and 07 (PN533) type B at 212 and
  /// 424.
  private mutating func list(_ parameters: [UInt8]) -> [UInt8]? {
    guard parameters.count >= 2 else { return nil }
    let rate: UInt8 = parameters[1] == 0x06 ? 1 : parameters[1] == 0x07 ? 2 : 0
    let wantsB = parameters[1] == 0x03 || (model == .pn533 && rate > 0)
    if let target = activate(ofTypeA: parameters[1] == 0x00, ofTypeB: wantsB) {
      bitRate = rate
      return [0x01] + target
    }
    return looksForEver ? nil : [0x00]
  }

  /// InAutoPoll (UM0701-02, 7.3.13): number of polls, period, then the types: 20 is ISO/IEC 14443-4A, 10 Mifare, 03 and
  /// 23 type B.
  private mutating func poll(_ parameters: [UInt8]) -> [UInt8]? {
    guard model == .pn532, parameters.count > 2 else { return nil }
    let types = Set(parameters[2...])
    if let card = field.card {
      let type: UInt8? =
        switch card.kind {
        case .a: [card.isSmartCard ? 0x20 : 0x10].first { types.contains($0) }
        case .b: [0x23, 0x03].first { types.contains($0) }
        }
      if let type, let target = activate(ofTypeA: type == 0x20 || type == 0x10, ofTypeB: type == 0x23 || type == 0x03) {
        return [0x01, type, UInt8(truncatingIfNeeded: target.count)] + target
      }
    }
    return parameters[0] == 0xFF ? nil : [0x00]
  }

  /// - Returns: The number of the target, 1, and its activation data.
  private mutating func activate(ofTypeA: Bool, ofTypeB: Bool) -> [UInt8]? {
    // Polling switches the field on.
    switchField(on: true)
    deactivate()
    let placement = field.placement
    guard let card = field.card, placementInProtocol != placement else { return nil }
    switch card.kind {
    case .a(let identifier, let selectAcknowledge, let answerToSelect) where ofTypeA:
      card.reset()
      isSelected = true
      let isActivated = activatesSmartCards && card.isSmartCard
      placementInProtocol = isActivated ? placement : nil
      let ats = isActivated ? answerToSelect ?? [] : []
      return [0x01, 0x00, 0x08, selectAcknowledge, UInt8(truncatingIfNeeded: identifier.count)] + identifier + ats
    case .b(let identifier, let applicationData, let protocolInformation, let attributeAnswer) where ofTypeB:
      card.reset()
      isSelected = true
      placementInProtocol = placement
      return [0x01, 0x50] + identifier + applicationData + protocolInformation
        + [UInt8(truncatingIfNeeded: attributeAnswer.count)] + attributeAnswer
    default: return nil
    }
  }

  /// InPSL (UM0701-02, 7.3.4): succeeds if the card supports that bit rate in both directions.
  private mutating func changeBitRate(_ parameters: [UInt8]) -> [UInt8]? {
    guard parameters.count == 3 else { return nil }
    guard isSelected, let card = field.card else { return [Status.wrongContext] }
    guard parameters[1] == parameters[2], parameters[1] <= 2 else { return [Status.invalidParameter] }
    let mask: UInt8 = parameters[1] == 0 ? 0 : parameters[1] == 1 ? 0x11 : 0x22
    guard card.bitRates & mask == mask else { return [Status.timeout] }
    bitRate = parameters[1]
    return [Status.success]
  }

  // MARK: - Exchanging data

  /// InDataExchange (UM0701-02, 7.3.8), with chaining in both directions.
  private mutating func exchange(_ parameters: [UInt8]) -> [UInt8]? {
    guard let target = parameters.first else { return nil }
    guard isSelected, isFieldOn else { return [Status.wrongContext] }
    guard remainder.isEmpty || parameters.count > 1 else { return nextPiece() }
    parts += parameters.dropFirst()
    guard target & Status.moreInformation == 0 else { return [Status.success] }
    let command = parts
    parts = []
    guard let response = field.exchange(command) else {
      isSelected = false
      return [Status.timeout]
    }
    remainder = response
    return nextPiece()
  }

  private mutating func nextPiece() -> [UInt8] {
    let piece = remainder.prefix(largestExchange)
    remainder = Array(remainder.dropFirst(piece.count))
    return [remainder.isEmpty ? Status.success : Status.moreInformation] + piece
  }

  /// InCommunicateThru (UM0701-02, 7.3.9). libnfc sends R(NAK) blocks (B2, or BA with a card identifier) as a presence
  /// check; the card answers R(ACK).
  private func passThrough(_ parameters: [UInt8]) -> [UInt8]? {
    guard isSelected, isFieldOn, let card = field.card, card.isSmartCard else { return [Status.timeout] }
    switch parameters.first {
    case 0xB2: return [Status.success, 0xA2]
    case 0xBA: return [Status.success, 0xAA] + parameters.dropFirst().prefix(1)
    default: return [Status.timeout]
    }
  }
}
