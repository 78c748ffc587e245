import Tessera
import TesseraCommandLine

/// A zone that was read from a picture, as text or JSON.
struct MRZOutput {
  private let zone: RecognizedZone
  private let image: String?

  /// - Parameters:
  ///   - zone: what was read.
  ///   - image: the picture, if there are several.
  init(_ zone: RecognizedZone, image: String? = nil) {
    self.zone = zone
    self.image = image
  }

  /// The lines as printed, after the name of the picture if there are several; or an object on one line with the fields that `tessera passport read --json` names.
  func text(asJSON: Bool) -> String {
    guard asJSON else { return (image.map { "\(Terminal.printable($0)):\n" } ?? "") + zone.text }
    return JSONValue.object(Self.object(zone, image: image)).text
  }

  /// The lines, the picture if there are several, and the fields.
  static func object(_ zone: RecognizedZone, image: String? = nil) -> JSONObject {
    var object: JSONObject = ["format": .string(zone.format), "mrz": .string(zone.text)]
    if let image { object["image"] = .string(image) }
    if let fields = zone.zone {
      object["type"] = .string(fields.documentCode)
      object["issuingState"] = .string(fields.issuingState)
      object["documentNumber"] = .string(fields.documentNumber)
      object["primaryIdentifier"] = .string(fields.primaryIdentifier)
      object["secondaryIdentifier"] = .string(fields.secondaryIdentifier)
      object["nationality"] = .string(fields.nationality)
      object["dateOfBirth"] = .string(fields.dateOfBirth)
      object["sex"] = .string(fields.sex)
      object["dateOfExpiry"] = .string(fields.dateOfExpiry)
      object["optionalData"] = .string(
        [fields.optionalData, fields.optionalData2].filter { !$0.isEmpty }.joined(separator: " "))
    }
    return object
  }
}
