import Foundation
public import Testing

/// Locates the test data relative to this source file.
public enum Fixtures {
  /// The folder `Tests/`.
  public static let tests = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL

  /// A specimen's folder.
  public static func specimen(_ name: String) -> URL { tests.appendingPathComponent("Passport/Specimens/\(name)") }

  /// One file of a specimen.
  public static func specimen(_ name: String, file: String) -> [UInt8] {
    bytes(specimen(name).appendingPathComponent(file))
  }

  /// The vectors of a fixture that lists them under `vectors`.
  ///
  /// - Parameter target: the folder of the test target in `Tests/`, such as `Passport/PassportTests`.
  public static func vectors(_ target: String, _ file: String) -> [Vector] { json(target, file)["vectors"].list }

  public static func json(_ target: String, _ file: String) -> Vector {
    let url = tests.appendingPathComponent("\(target)/Fixtures/\(file)")
    let object = try? JSONSerialization.jsonObject(with: Data(bytes(url)))
    return Vector(object)
  }

  /// A binary file of a target's fixtures.
  public static func file(_ target: String, _ path: String) -> [UInt8] {
    bytes(tests.appendingPathComponent("\(target)/Fixtures/\(path)"))
  }

  private static func bytes(_ url: URL) -> [UInt8] { (try? Data(contentsOf: url)).map(Array.init) ?? [] }
}

/// A value of a fixture, read by key. A missing value reads as an empty one, so tests that need a list check that it is
/// not empty.
public struct Vector: @unchecked Sendable, CustomTestStringConvertible {
  // `@unchecked Sendable`: JSONSerialization creates the tree without mutable containers, and it is only read.
  private let value: Any?

  public init(_ value: Any?) { self.value = value }

  /// The result of every look-up without a match.
  public static let missing = Vector(nil)

  public subscript(key: String) -> Vector { Vector((value as? [String: Any])?[key]) }
  public var list: [Vector] { (value as? [Any])?.map(Vector.init) ?? [] }
  public var keys: [String] { (value as? [String: Any])?.keys.sorted() ?? [] }
  public var text: String { value as? String ?? "" }
  public var isPresent: Bool { value != nil && !(value is NSNull) }
  public var flag: Bool { value as? Bool ?? false }
  public var number: Int { value as? Int ?? -1 }
  public var id: String { self["id"].text }
  public var raw: Any? { value }

  /// Bytes of hexadecimal text.
  public var bytes: [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }

  /// Bytes of base 64 text.
  public var base64: [UInt8] { Data(base64Encoded: text).map(Array.init) ?? [] }

  public var testDescription: String {
    let name = id.isEmpty ? self["name"].text : id
    return name.isEmpty ? text : name
  }
}
