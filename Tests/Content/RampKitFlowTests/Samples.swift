import Foundation
import TesseraJSON
import TestSupport

/// The files of `Fixtures`.
enum Samples {
  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Fixtures.tests.appendingPathComponent("Content/RampKitFlowTests/Fixtures/\(name).json")))
  }

  static func json(_ name: String) throws -> JSONValue {
    try JSONValue(text: String(decoding: bytes(name), as: UTF8.self))
  }
}

extension JSONValue {
  /// The elements of an array member.
  func elements(_ name: String) -> [JSONValue] { if case .array(let elements)? = self[name] { elements } else { [] } }
}
