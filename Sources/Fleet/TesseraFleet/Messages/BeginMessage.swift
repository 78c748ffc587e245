package import TesseraSmartCard

/// The beginning of a read: a desk has a document on its reader.
package struct BeginMessage: FleetMessage, Equatable {
  package var readID: FleetReadID
  package var mode: FleetReadingMode
  /// The version of the desk's software.
  package var software: String
  /// Of a remote read only.
  package var offer: RelayOffer?

  package init(readID: FleetReadID, mode: FleetReadingMode, software: String, offer: RelayOffer? = nil) {
    self.readID = readID
    self.mode = mode
    self.software = software
    self.offer = offer
  }

  /// - Throws: `FleetError` with the code `malformed` or `tooLarge`.
  func validate(_ limits: FleetLimits) throws(FleetError) {
    guard (offer != nil) == (mode == .remote) else { throw FleetError(.malformed) }
    guard software.utf8.count <= limits.textSize else { throw FleetError(.tooLarge) }
    try offer?.validate(limits)
  }
}

/// An inspector took a witnessed read.
package struct BeginReply: FleetMessage, Equatable {
  package var inspector: FleetIdentifier
  package var session: FleetIdentifier
  /// `RND.IFD` of Active Authentication, 8 bytes.
  package var challenge: Base64Bytes
  /// The data groups that the desk must read if the document has them; nil for all.
  package var dataGroups: [Int]?

  package init(
    inspector: FleetIdentifier, session: FleetIdentifier, challenge: Base64Bytes, dataGroups: [Int]? = nil
  ) {
    self.inspector = inspector
    self.session = session
    self.challenge = challenge
    self.dataGroups = dataGroups
  }
}

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

/// How a document is read for an inspector elsewhere.
public enum FleetReadingMode: String, Sendable, Codable, CaseIterable {
  /// The desk reads the chip, the inspector proves and judges it. The desk sees the files.
  case witnessed
  /// The desk relays commands and responses. The inspector has the keys, the files and the verdict.
  case remote
}
