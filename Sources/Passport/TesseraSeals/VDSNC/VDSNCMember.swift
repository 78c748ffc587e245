/// A member of a message as ICAO TR VDS-NC and TR DTA describe it.
struct VDSNCMember: Sendable {
  indirect enum Kind: Sendable {
    /// - Parameter maximum: length in characters; nil if the standard states none.
    case text(maximum: Int?)
    /// A day, `YYYY-MM-DD`.
    case date
    case number
    /// A number, or a text in its place.
    case numberOrText
    /// Its members belong to the object around it, as far as a report is concerned.
    case group([VDSNCMember])
    case list([VDSNCMember])
  }

  /// In the message.
  let name: String
  /// In a report; of a list that of each element. Empty for a group.
  let field: String
  let kind: Kind
  let isMandatory: Bool

  private init(_ name: String, _ field: String, _ kind: Kind, mandatory: Bool = false) {
    (self.name, self.field, self.kind, isMandatory) = (name, field, kind, mandatory)
  }

  private static func text(
    _ name: String, _ field: String, _ maximum: Int? = nil, mandatory: Bool = false
  ) -> VDSNCMember {
    VDSNCMember(name, field, .text(maximum: maximum), mandatory: mandatory)
  }

  private static func date(_ name: String, _ field: String, mandatory: Bool = false) -> VDSNCMember {
    VDSNCMember(name, field, .date, mandatory: mandatory)
  }

  private static func group(_ name: String, _ members: [VDSNCMember]) -> VDSNCMember {
    VDSNCMember(name, "", .group(members))
  }

  private static func list(_ name: String, _ field: String, _ members: [VDSNCMember]) -> VDSNCMember {
    VDSNCMember(name, field, .list(members))
  }

  // MARK: - The published messages

  /// Parts of a date of birth can be unknown, so it is a text.
  private static let dateOfBirth = text("dob", "dateOfBirth", 10)

  /// `icao.vacc`: proof of vaccination.
  static let vaccination: [VDSNCMember] = [
    text("uvci", "certificateNumber", 12, mandatory: true),
    group(
      "pid",
      [
        text("n", "name", 39, mandatory: true), dateOfBirth, text("sex", "sex", 1),
        text("i", "passportNumber", 11), text("ai", "otherIdentifier", 24),
      ]),
    list(
      "ve", "vaccine",
      [
        text("des", "code", mandatory: true), text("nam", "brand", mandatory: true), text("dis", "disease"),
        list(
          "vd", "dose",
          [
            date("dvc", "date", mandatory: true), VDSNCMember("seq", "number", .number, mandatory: true),
            text("ctr", "country", 3, mandatory: true), text("adm", "place", 20, mandatory: true),
            text("lot", "batch", 20), date("dvn", "nextDose"),
          ]),
      ]),
  ]

  /// `icao.test`: proof of testing.
  static let test: [VDSNCMember] = [
    text("utci", "certificateNumber", 12, mandatory: true),
    group(
      "pid",
      [
        text("n", "name", mandatory: true), dateOfBirth, text("dt", "documentType", mandatory: true),
        text("dn", "documentNumber", mandatory: true),
      ]),
    group(
      "sp",
      [
        text("spn", "testCentre"), text("ctr", "testCountry", 3),
        group("cd", [text("p", "telephone"), text("e", "email"), text("a", "address")]),
      ]),
    group("dat", [text("sc", "sampleTaken"), text("ri", "reportIssued")]),
    group("tr", [text("tc", "test"), text("r", "result"), text("m", "sample")]),
    text("opt", "furtherText"),
  ]

  /// A Digital Travel Authorization (ICAO TR DTA).
  static let travelAuthorization: [VDSNCMember] = [
    text("dtan", "authorizationNumber", 13, mandatory: true),
    group(
      "pi",
      [
        text("n", "name", 39), dateOfBirth, text("sex", "sex", 1), text("nl", "nationality", 3),
        text("pn", "passportNumber"),
      ]),
    group(
      "dta",
      [
        text("poi", "placeOfIssue", 15), date("vf", "validFrom"), date("vu", "validUntil"),
        text("dos", "durationOfStay", 6), VDSNCMember("noe", "entries", .numberOrText), text("tcc", "category", 46),
        text("ai", "furtherText", 100),
      ]),
  ]
}
