package import TesseraSmartCard

/// A card that an inspector may read through its desk.
package struct RelayOffer: Codable, Sendable, Equatable {
  /// The desk answers relay requests under this name only.
  package var session: FleetIdentifier
  package var reader: String
  package var answerToReset: Base64Bytes?
  /// As the desk states both limits: an inspector never excuses a chip by them.
  package var extendedLengthLimit: Int?
  package var commandLengthLimit: Int?
  package var request: RemoteRequest

  package init(session: FleetIdentifier, card: Card, request: RemoteRequest) {
    self.session = session
    reader = card.readerName
    answerToReset = card.answerToReset.map { Base64Bytes($0.bytes) }
    extendedLengthLimit = card.extendedLengthLimit
    commandLengthLimit = card.commandLengthLimit
    self.request = request
  }

  func validate(_ limits: FleetLimits) throws(FleetError) {
    // An answer to reset has at most 33 bytes (ISO/IEC 7816-3, 8.2.1).
    guard reader.utf8.count <= limits.textSize, answerToReset.map({ $0.bytes.count <= 33 }) ?? true else {
      throw FleetError(.tooLarge)
    }
    guard
      [extendedLengthLimit, commandLengthLimit].allSatisfy({ $0.map { (1...limits.apduSize).contains($0) } ?? true })
    else { throw FleetError(.malformed) }
    _ = try request.inspectionRequest(limits)
  }
}
