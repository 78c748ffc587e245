internal import CTesseraLibNFC
import TesseraSmartCard

/// A card that a device has activated, as libnfc describes it.
struct LibNFCTarget: Equatable {
  enum Kind: Equatable {
    /// SAK, ATQA, and the ATS without its length byte (ISO/IEC 14443-3, 6.4 and 14443-4, 5.2).
    case a(selectAcknowledge: UInt8, answerToRequest: UInt16, answerToSelect: [UInt8])
    /// Parts of ATQB and of the response to ATTRIB (ISO/IEC 14443-3, 7.9 and 7.11).
    case b(applicationData: [UInt8], protocolInformation: [UInt8], attributeAnswer: UInt8)
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  /// nil for another kind of card.
  init?(_ target: nfc_target) {
    var target = target
    switch tessera_nfc_modulation(&target) {
    case NMT_ISO14443A:
      var bytes = [UInt8](repeating: 0, count: 254)
      let length = tessera_nfc_answer_to_select(&target, &bytes)
      kind = .a(
        selectAcknowledge: tessera_nfc_select_acknowledge(&target),
        answerToRequest: tessera_nfc_answer_to_request(&target), answerToSelect: Array(bytes.prefix(length)))
    case NMT_ISO14443B:
      var bytes = [UInt8](repeating: 0, count: 8)
      tessera_nfc_type_b(&target, &bytes)
      kind = .b(
        applicationData: Array(bytes[0..<4]), protocolInformation: Array(bytes[4..<7]), attributeAnswer: bytes[7])
    default: return nil
    }
  }

  /// Whether the card supports ISO/IEC 14443-4: bit 6 of SAK, or bit 1 of ATQB's protocol type.
  var isSmartCard: Bool {
    switch kind {
    case .a(let selectAcknowledge, _, _): selectAcknowledge & 0x20 != 0
    case .b(_, let information, _): information.count == 3 && information[1] & 0x01 != 0
    }
  }

  /// The answer to reset that a PC/SC reader composes for this card (PC/SC part 3, 3.1.3.2.3).
  var answerToReset: AnswerToReset { AnswerToReset.contactless(historicalBytes: isSmartCard ? historical : storage) }

  private var historical: [UInt8] {
    switch kind {
    case .a(_, _, let answerToSelect):
      guard let format = answerToSelect.first else { return [] }
      return Array(answerToSelect.dropFirst(1 + (format & 0x70).nonzeroBitCount))
    case .b(let applicationData, let information, let attributeAnswer):
      return applicationData + information + [attributeAnswer & 0xF0]
    }
  }

  /// The workgroup's RID, the standard (03: 14443-3 type A), and the name of the card (PC/SC part 3 supplement).
  private var storage: [UInt8] {
    var name: UInt8 = 0
    if case .a(let selectAcknowledge, let answerToRequest, _) = kind {
      switch (selectAcknowledge, answerToRequest) {
      case (0x08, _): name = 1  // Mifare Classic 1K
      case (0x18, _): name = 2  // Mifare Classic 4K
      case (0x00, 0x0044): name = 3  // Mifare Ultralight
      default: break
      }
    }
    return [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03, 0x00, name, 0, 0, 0, 0]
  }

  /// The fastest bit rate up to `limit` that the card supports in both directions, from TA(1) of the ATS or the first
  /// byte of the protocol information, which have the same coding (ISO/IEC 14443-4, 5.2.4).
  func fastestBitRate(upTo limit: BitRate) -> BitRate {
    let offered: UInt8
    switch kind {
    case .a(_, _, let answerToSelect):
      guard let format = answerToSelect.first, format & 0x10 != 0, answerToSelect.count > 1 else { return .kbit106 }
      offered = answerToSelect[1]
    case .b(_, let information, _): offered = information.first ?? 0
    }
    // Bits 5 to 7 are for the direction from the card, bits 1 to 3 for the direction to the card; the lowest of each
    // means 212 kbit/s. Bit 4 must be zero.
    guard offered & 0x08 == 0 else { return .kbit106 }
    let both = offered >> 4 & offered
    if limit >= .kbit424, both & 0x02 != 0 { return .kbit424 }
    return limit >= .kbit212 && both & 0x01 != 0 ? .kbit212 : .kbit106
  }
}

/// The bit rate of a contactless card (ISO/IEC 14443-2), in both directions.
package enum BitRate: Int, Sendable, Comparable, CaseIterable {
  case kbit106 = 106
  case kbit212 = 212
  case kbit424 = 424

  package static func < (left: BitRate, right: BitRate) -> Bool { left.rawValue < right.rawValue }
}
