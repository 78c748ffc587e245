import TesseraSmartCard

/// The ways of addressing a file that the chip supports, according to its responses so far.
package struct AddressingSupport {
  private enum Support { case unknown, supported, refused }

  private var shortIdentifiers = Support.unknown
  /// Whether the chip has delivered a file by its short identifier, in any session.
  private var hasDelivered = false
  /// Whether a file that was addressed by its short identifier is current afterwards, as ISO/IEC 7816-4, 7.2.1
  /// requires.
  private var offsetsAfterShortIdentifier = Support.unknown

  package var triesShortIdentifiers: Bool { shortIdentifiers != .refused }

  /// Whether the chip has delivered a file by its short identifier since power-up.
  var supportsShortIdentifiers: Bool { shortIdentifiers == .supported }

  /// Whether the next offset shows if a short identifier makes its file current.
  var isOffsetUnproved: Bool { offsetsAfterShortIdentifier == .unknown && shortIdentifiers == .supported }

  /// Whether it is not known yet if the chip supports short identifiers.
  var isUnknown: Bool { shortIdentifiers == .unknown && !hasDelivered }

  mutating func recordShortIdentifierAccepted() {
    shortIdentifiers = .supported
    hasDelivered = true
  }

  /// Records that SELECT has found a file, after its short identifier had failed.
  mutating func recordSelection() {
    if shortIdentifiers == .unknown { shortIdentifiers = .refused }
  }

  mutating func recordOffsetAccepted() { offsetsAfterShortIdentifier = .supported }

  /// From now on every file is selected.
  mutating func refuseShortIdentifiers() { shortIdentifiers = .refused }

  /// After power-up a short identifier may be refused although the chip accepted it before.
  mutating func reset() {
    if shortIdentifiers == .supported { shortIdentifiers = .unknown }
  }

  /// Some chips answer the first short identifier under secure messaging, or the first offset after it, in plain, which
  /// ends the session. From then on every file is selected.
  ///
  /// - Parameter isOnlyCause: whether nothing but the address can be the cause of the refusal.
  /// - Returns: whether `status` refuses an address that the chip was not known to support.
  mutating func recordPlainAnswer(
    to address: ReadBinary.Address, _ status: StatusWord, isOnlyCause: Bool
  ) -> Bool {
    let isRefusal =
      switch address {
      case .shortIdentifier:
        shortIdentifiers == .unknown && (isOnlyCause && !hasDelivered || Self.refusesAddress(status))
      case .offset: isOffsetUnproved && Self.meansNoCurrentFile(status)
      }
    if isRefusal { shortIdentifiers = .refused }
    return isRefusal
  }

  /// Whether a chip without a current file answers an offset with this status.
  static func meansNoCurrentFile(_ status: StatusWord) -> Bool {
    status == .conditionsNotSatisfied || status == .noCurrentFile
  }

  private static func refusesAddress(_ status: StatusWord) -> Bool {
    meansNoCurrentFile(status)
      || [
        .incorrectParameters, .functionNotSupported, .fileNotFound, .securityStatusNotSatisfied,
        .instructionNotSupported, .classNotSupported,
      ].contains(status)
  }
}
