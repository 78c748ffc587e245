import TesseraSmartCard
import TesseraThreads
import TesseraVirtualChip

/// A contactless card: its activation data and its responses to commands.
public struct ContactlessCard: Sendable {
  /// The type of ISO/IEC 14443-3.
  public enum Kind: Sendable {
    /// - Parameters:
    ///   - selectAcknowledge: SAK; bit 6 (20) announces ISO/IEC 14443-4.
    ///   - answerToSelect: ATS with its length byte; nil for a storage card.
    case a(identifier: [UInt8], selectAcknowledge: UInt8, answerToSelect: [UInt8]?)
    /// - Parameters:
    ///   - identifier: PUPI, 4 bytes.
    ///   - applicationData: 4 bytes of ATQB.
    ///   - protocolInformation: 3 bytes of ATQB.
    ///   - attributeAnswer: The answer to ATTRIB.
    case b(identifier: [UInt8], applicationData: [UInt8], protocolInformation: [UInt8], attributeAnswer: [UInt8])
  }

  public let kind: Kind
  let reset: @Sendable () -> Void
  let answer: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - reset: Called at every activation.
  ///   - answer: Returns the response APDU to a command APDU.
  public init(
    _ kind: Kind, reset: @escaping @Sendable () -> Void = {}, answer: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.kind = kind
    self.reset = reset
    self.answer = answer
  }

  /// The virtual chip as a card of type A.
  ///
  /// - Parameters:
  ///   - bitRates: TA(1) of the ATS: 77 offers 212, 424 and 848 kbit/s in both directions, 00 only 106.
  ///   - historicalBytes: The historical bytes of the ATS; the chip's own by default.
  public static func passport(
    _ chip: sending Chip, bitRates: UInt8 = 0x00, historicalBytes: [UInt8]? = nil
  ) -> ContactlessCard {
    let historical = historicalBytes ?? chip.answerToReset.historicalBytes
    // T0: TA, TB and TC follow, FSC 256; TB: FWT 77 ms; TC: CID supported.
    let interface: [UInt8] = [0x78, bitRates, 0x80, 0x02]
    let answerToSelect = [UInt8(1 + interface.count + historical.count)] + interface + historical
    return card(
      of: chip, .a(identifier: [0x08, 0x12, 0x34, 0x56], selectAcknowledge: 0x20, answerToSelect: answerToSelect))
  }

  /// The virtual chip as a card of type B.
  public static func passportOfTypeB(_ chip: sending Chip, bitRates: UInt8 = 0x00) -> ContactlessCard {
    card(
      of: chip,
      .b(
        identifier: [0xDE, 0xAD, 0xBE, 0xEF], applicationData: [0xE1, 0x00, 0x00, 0x00],
        protocolInformation: [bitRates, 0x81, 0x93], attributeAnswer: [0x10]))
  }

  private static func card(of chip: sending Chip, _ kind: Kind) -> ContactlessCard {
    let chip = Locked(chip)
    return ContactlessCard(
      kind, reset: { chip.withLock { $0.reset() } },
      answer: { command in
        chip.withLock { $0.process(command) }
      })
  }

  /// A Mifare Classic 1K: no ISO/IEC 14443-4.
  public static var storageCard: ContactlessCard {
    ContactlessCard(.a(identifier: [0x04, 0xA1, 0xB2, 0xC3], selectAcknowledge: 0x08, answerToSelect: nil)) { _ in [] }
  }

  /// Whether the card supports ISO/IEC 14443-4.
  var isSmartCard: Bool {
    switch kind {
    case .a(_, let selectAcknowledge, _): selectAcknowledge & 0x20 != 0
    case .b: true
    }
  }

  /// TA(1) of the ATS, or the corresponding byte of ATQB: the supported bit rates.
  var bitRates: UInt8 {
    switch kind {
    case .a(_, _, let ats): ats.map { $0.count > 2 && $0[1] & 0x10 != 0 ? $0[2] : 0 } ?? 0
    case .b(_, _, let information, _): information.first ?? 0
    }
  }
}
