import FoundationEssentials
package import TesseraBridge
internal import TesseraKeys

/// What a kiosk keeps of one read: a JSON text, which is signed and delivered as it is.
package struct GuestResult: Sendable, Equatable {
  /// A new UUID in lower case, by which a receiver knows a result that it has already.
  package let identifier: String
  /// The name of its files: its time and its identifier, so that names are in the order of the results.
  package let name: String
  /// UTF-8.
  package let json: [UInt8]

  /// The members of the document that a result can have, in their order. They have the names that pages see.
  package static let members = [
    "documentType", "issuingState", "documentNumber", "surname", "givenNames", "nationality", "dateOfBirth",
    "dateOfExpiry", "gender", "sex",
  ]

  /// - Parameters:
  ///   - scan: what was read and judged.
  ///   - disclosed: which of `members` it has.
  ///   - kiosk: the name of the kiosk.
  ///   - isVirtual: whether a virtual chip was read. The result then says so.
  ///   - time: when the document was read.
  package init(
    _ scan: NfcScanResult, disclosed: [String] = GuestResult.members, kiosk: String, isVirtual: Bool = false,
    time: Date = Date(), identifier: UUID = UUID()
  ) {
    let time = Timestamp(time).text
    let identifier = identifier.uuidString.lowercased()
    var fields: JSONObject = [
      "type": "tessera.kiosk.result", "version": 1, "id": .string(identifier), "time": .string(time),
      "kiosk": .string(kiosk), "outcome": .string(scan.verification?.outcome ?? "notEstablished"),
    ]
    if isVirtual { fields["virtual"] = true }
    fields["verdict"] = scan.verification?.headline.map(JSONValue.string)
    let zone = scan.zone
    let values = [
      zone.documentType, zone.issuingState, zone.documentNumber, zone.surname, zone.givenNames, zone.nationality,
      zone.dateOfBirth, zone.dateOfExpiry, zone.sex.rawValue, zone.sex.letter,
    ]
    var document = JSONObject()
    for (name, value) in zip(Self.members, values) where disclosed.contains(name) { document[name] = .string(value) }
    fields["document"] = .object(document)
    if let verification = scan.verification {
      fields["checks"] = .object(JSONObject(verification.checks.mapValues(JSONValue.string)))
      fields["findings"] = .array(verification.findings.map { .string($0.id) })
    }
    self.identifier = identifier
    name = "\(time.filter { $0 != "-" && $0 != ":" })-\(identifier)"
    json = Array(JSONValue.object(fields).text.utf8)
  }

  /// A result that was made before.
  ///
  /// - Parameter name: as `ResultFolder` has it: its end is the identifier.
  init(name: String, json: [UInt8]) {
    self.name = name
    self.json = json
    identifier = String(name.suffix(36))
  }
}

extension GuestResult: Redacted {}
