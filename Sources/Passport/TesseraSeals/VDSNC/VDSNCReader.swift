import TesseraJSON

/// Reads the members of a message by their description. The cost is linear in the length of the text: the names of
/// fields have only words of the description and numbers.
struct VDSNCReader {
  private(set) var fields: [SealField] = []
  private(set) var unknownMembers = 0
  private var missing = Places()
  private var malformed = Places()
  private var unusual = Places()

  /// The name of the field for a member that the description does not have. The value has its own name, which is text
  /// of the seal as well.
  private static let otherMember = "member"

  /// Different members in the order of their first occurrence. A list of thousands of elements has each fault once.
  private struct Places {
    private(set) var values: [String] = []

    mutating func add(_ place: String) {
      // There are as many as the description has members.
      if !values.contains(place) { values.append(place) }
    }

    var text: String? { values.isEmpty ? nil : values.joined(separator: ", ") }
  }

  /// Why the message is not as its description demands.
  var problems: [String] {
    [
      missing.text.map { "The message lacks mandatory members (\($0))." },
      malformed.text.map { "Members of the message have another form than the standard states (\($0))." },
    ].compactMap { $0 }
  }

  var findings: [SealFinding] {
    let unusual = unusual.text.map {
      SealFinding(.layout, "Members of the message are longer than the standard permits, or of another kind (\($0)).")
    }
    let unknown =
      unknownMembers == 0
      ? nil
      : SealFinding(
        .unknownFeature,
        unknownMembers == 1
          ? "The message has a member that its type does not define."
          : "The message has \(unknownMembers) members that its type does not define.")
    return [unusual, unknown].compactMap { $0 }
  }

  mutating func read(_ message: JSONObject, _ members: [VDSNCMember]) {
    read(message, members, field: "", place: "msg")
  }

  /// Adds the members around the message that no seal has by the standard. They are no part of its type.
  mutating func readOthers(_ object: JSONObject, known: [String]) {
    for member in object.members where !known.contains(where: { $0.hasBytes(of: member.name) }) {
      add(member.name, member.value, around: "")
    }
  }

  /// - Parameters:
  ///   - field: the names of the lists around the object with the numbers of their elements: `vaccine1Dose2`.
  ///   - place: the names of the members around the object: `msg.ve.vd`.
  private mutating func read(_ object: JSONObject, _ members: [VDSNCMember], field: String, place: String) {
    for member in members {
      if let value = object[member.name] {
        read(value, member, field: Self.join(field, member.field), place: "\(place).\(member.name)")
      } else if member.isMandatory {
        missing.add("\(place).\(member.name)")
      }
    }
    // By bytes: names come from the seal, and `String` compares some texts in quadratic time.
    for member in object.members where !members.contains(where: { $0.name.hasBytes(of: member.name) }) {
      unknownMembers += 1
      add(member.name, member.value, around: field)
    }
  }

  private mutating func read(_ value: JSONValue, _ member: VDSNCMember, field: String, place: String) {
    switch (member.kind, value) {
    // A group has no field of its own, so this is that of the object around it.
    case (.group(let members), .object(let object)): read(object, members, field: field, place: place)
    case (.group, _):
      add(member.name, value, around: field)
      unusual.add(place)
    case (.list(let members), .array(let elements)):
      for (index, element) in elements.enumerated() {
        let field = "\(field)\(index + 1)"
        if case .object(let object) = element {
          read(object, members, field: field, place: place)
        } else {
          fields.append(SealField(field, Self.text(element)))
          unusual.add(place)
        }
      }
    default:
      fields.append(SealField(field, Self.text(value)))
      check(value, member, place: place)
    }
  }

  /// Adds a member that the description does not have, as an object of one member.
  private mutating func add(_ name: String, _ value: JSONValue, around field: String) {
    fields.append(SealField(Self.join(field, Self.otherMember), Self.text(.object([name: value]))))
  }

  /// Both in one name in camel case.
  private static func join(_ field: String, _ name: String) -> String {
    field.isEmpty ? name : field + name.prefix(1).uppercased() + name.dropFirst()
  }

  private mutating func check(_ value: JSONValue, _ member: VDSNCMember, place: String) {
    switch (member.kind, value) {
    case (.text(let maximum), .string(let text)):
      if let maximum, text.unicodeScalars.count > maximum { unusual.add(place) }
    case (.date, .string(let text)):
      if SealDate(text: text) == nil { malformed.add(place) }
    case (.number, .number), (.numberOrText, .number), (.numberOrText, .string): break
    default:
      if member.isMandatory { malformed.add(place) } else { unusual.add(place) }
    }
  }

  /// A text as it is, anything else as canonical JSON.
  private static func text(_ value: JSONValue) -> String {
    if case .string(let text) = value { return text }
    // A value of a text without defects has a canonical form.
    return (try? CanonicalJSON.form(of: value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
