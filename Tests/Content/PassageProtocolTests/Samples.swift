import Foundation
import TesseraJSON
import TestSupport

/// The files of `Fixtures`.
enum Samples {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = Fixtures.tests.appendingPathComponent("Content/PassageProtocolTests/Fixtures")
    return Array(try Data(contentsOf: folder.appendingPathComponent("\(name).json")))
  }

  static func json(_ name: String) throws -> JSONValue {
    try JSONValue(text: String(decoding: bytes(name), as: UTF8.self))
  }
}
