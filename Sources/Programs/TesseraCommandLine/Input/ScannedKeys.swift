package import Tessera

/// The keys of one chip that the zones of a scan permit.
package struct ScannedKeys: Sendable {
  /// A zone of the scan. Personal data: shown on the user's own terminal only, as the zone is.
  package struct Reading: Sendable {
    package let key: MRZInformation
    fileprivate let zone: MachineReadableZone
    fileprivate let weight: Double
  }

  /// The most probable one first.
  package let readings: [Reading]
  package let best: Reading
  /// The fields in which the keys differ.
  private let open: [KeyField]

  /// Reads the output of `tessera mrz scan --json`: one object, several, or an array. Zones with the same key count once.
  ///
  /// - Throws: `Failure` if the text has no zone; `MRZError` if none of its zones is valid.
  package init(json text: some StringProtocol) throws {
    var readings: [Reading] = []
    var problem: (any Error)?
    for object in try Self.zones(text) {
      do {
        let reading = try Reading(object)
        if !readings.contains(where: { $0.key == reading.key }) { readings.append(reading) }
      } catch {
        problem = problem ?? error
      }
    }
    // The sort keeps the order of equal weights.
    let order = readings.indices.sorted { (readings[$1].weight, $0) < (readings[$0].weight, $1) }
    self.readings = order.map { readings[$0] }
    guard let best = self.readings.first else {
      throw problem
        ?? Failure(
          .noZone, "The scan read no machine readable zone.", remedy: "Scan the document again, or type its zone.")
    }
    self.best = best
    open = KeyField.allCases.filter { field in Set(readings.map { field.text(of: $0.zone) }).count > 1 }
  }

  /// What tells a key from the others, for example "document number 2O7O74137".
  package func name(of reading: Reading) -> String {
    open.map { "\($0.rawValue) \($0.text(of: reading.zone))" }.joined(separator: ", ")
  }

  /// The same for several: "document number A, B or C".
  package func name(of readings: some Sequence<Reading>) -> String {
    guard let field = open.first, open.count == 1 else { return readings.map(name).joined(separator: "; or ") }
    return "\(field.rawValue) \(Alternatives.text(readings.map { field.text(of: $0.zone) }))"
  }

  /// More zones than a scan gives are not looked at.
  private static let most = 64

  private static func zones(_ text: some StringProtocol) throws -> [JSONValue] {
    var objects: [JSONValue] = []
    do {
      objects = try [JSONValue(text: text)]
    } catch {
      // One object a line.
      do {
        objects = try text.split(whereSeparator: \.isNewline).map { try JSONValue(text: $0) }
      } catch {
        throw Failure(
          .malformedMRZ, "The input begins like JSON and is not valid JSON: \(error)",
          remedy: "Provide the output of `tessera mrz scan --json`, or the lines of the zone.")
      }
    }
    let scans = objects.flatMap { object in
      if case .array(let elements) = object { elements } else { [object] }
    }
    let zones = scans.flatMap { scan in
      if case .array(let candidates) = scan["candidates"] { candidates } else { [scan] }
    }
    return Array(zones.filter { $0["mrz"] != nil }.prefix(most))
  }
}

extension ScannedKeys.Reading {
  /// - Throws: `Failure` for the zone of a document without a chip; `MRZError`.
  fileprivate init(_ object: JSONValue) throws {
    guard object["format"]?.stringValue != "FRENCH-ID" else {
      throw Failure(
        .usage, "The French identity card of 1988 to 2021 has no chip.", remedy: "Scan a document with a chip.")
    }
    zone = try MachineReadableZone(typed: object["mrz"]?.stringValue ?? "")
    key = try MRZInformation(zone)
    weight =
      switch object["weight"] {
      case .number(let number): number.double ?? 0
      case .integer(let number): Double(number)
      default: 1
      }
  }
}

/// The fields from which the key of a chip is derived.
private enum KeyField: String, CaseIterable {
  case documentNumber = "document number"
  case dateOfBirth = "date of birth"
  case dateOfExpiry = "date of expiry"

  func text(of zone: MachineReadableZone) -> String {
    switch self {
    case .documentNumber: zone.documentNumber
    case .dateOfBirth: zone.dateOfBirth
    case .dateOfExpiry: zone.dateOfExpiry
    }
  }
}
