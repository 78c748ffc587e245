internal import CTesseraSystemd

/// A message: a method call to write, or a reply or a signal to read, from front to back. Use it on the thread of its
/// connection.
///
/// The extensions contain the typed functions: `append…` for writing, `read…` for reading. Containers are read and
/// written in a closure; after an error in it the message cannot be used any more.
package final class BusMessage {
  let pointer: OpaquePointer

  /// - Parameter pointer: A reference that this object releases.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { sd_bus_message_unref(pointer) }

  /// Makes the library erase the message's memory on release: for messages with an unencrypted secret.
  package func markSensitive() { sd_bus_message_sensitive(pointer) }

  /// The unique name of the sender (`:1.5`), which the bus guarantees.
  package var sender: String? { sd_bus_message_get_sender(pointer).map { String(cString: $0) } }

  /// The name of the D-Bus error, if this message is one.
  var errorName: String? {
    guard let error = sd_bus_message_get_error(pointer), let name = error.pointee.name else { return nil }
    return String(cString: name)
  }
}

/// One-character D-Bus types.
enum BusType {
  static let array = code("a")
  static let structure = code("r")
  static let entry = code("e")
  static let variant = code("v")
  static let byte = code("y")
  static let boolean = code("b")
  static let string = code("s")
  static let objectPath = code("o")

  static func code(_ character: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: character.value) }
}

extension BusMessage {
  package func append(_ value: String) throws(BusError) { try appendText(BusType.string, value, "A string") }

  package func append(objectPath: String) throws(BusError) {
    try appendText(BusType.objectPath, objectPath, "An object path")
  }

  package func append(_ value: Bool) throws(BusError) {
    // D-Bus booleans have four bytes, and the library reads as many.
    try appendBasic(BusType.boolean, Int32(value ? 1 : 0))
  }

  package func append(_ value: UInt8) throws(BusError) { try appendBasic(BusType.byte, value) }
  package func append(_ value: Int16) throws(BusError) { try appendBasic(BusType.code("n"), value) }
  package func append(_ value: UInt16) throws(BusError) { try appendBasic(BusType.code("q"), value) }
  package func append(_ value: Int32) throws(BusError) { try appendBasic(BusType.code("i"), value) }
  package func append(_ value: UInt32) throws(BusError) { try appendBasic(BusType.code("u"), value) }
  package func append(_ value: Int64) throws(BusError) { try appendBasic(BusType.code("x"), value) }
  package func append(_ value: UInt64) throws(BusError) { try appendBasic(BusType.code("t"), value) }
  package func append(_ value: Double) throws(BusError) { try appendBasic(BusType.code("d"), value) }

  /// Appends an array of bytes (`ay`).
  package func append(bytes: UnsafeRawBufferPointer) throws(BusError) {
    try check("A byte array", sd_bus_message_append_array(pointer, BusType.byte, bytes.baseAddress, bytes.count))
  }

  package func append(bytes: [UInt8]) throws(BusError) {
    try check("A byte array", sd_bus_message_append_array(pointer, BusType.byte, bytes, bytes.count))
  }

  package func append(strings: [String]) throws(BusError) {
    try container(BusType.array, "s") { () throws(BusError) in
      for string in strings { try append(string) }
    }
  }

  package func append(objectPaths: [String]) throws(BusError) {
    try container(BusType.array, "o") { () throws(BusError) in
      for path in objectPaths { try append(objectPath: path) }
    }
  }

  /// Appends a dictionary of strings (`a{ss}`), sorted by its keys.
  package func append(_ dictionary: [String: String]) throws(BusError) {
    try container(BusType.array, "{ss}") { () throws(BusError) in
      for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
        try container(BusType.entry, "ss") { () throws(BusError) in
          try append(key)
          try append(value)
        }
      }
    }
  }

  /// Appends a dictionary of variants (`a{sv}`), sorted by its keys.
  package func append(_ dictionary: [String: BusValue]) throws(BusError) {
    try container(BusType.array, "{sv}") { () throws(BusError) in
      for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
        try container(BusType.entry, "sv") { () throws(BusError) in
          try append(key)
          try append(variant: value)
        }
      }
    }
  }

  package func append(variant value: BusValue) throws(BusError) {
    try container(BusType.variant, value.signature) { () throws(BusError) in
      switch value {
      case .boolean(let value): try append(value)
      case .byte(let value): try append(value)
      case .int16(let value): try append(value)
      case .uint16(let value): try append(value)
      case .int32(let value): try append(value)
      case .uint32(let value): try append(value)
      case .int64(let value): try append(value)
      case .uint64(let value): try append(value)
      case .double(let value): try append(value)
      case .string(let value): try append(value)
      case .objectPath(let value): try append(objectPath: value)
      case .bytes(let value): try append(bytes: value)
      case .strings(let value): try append(strings: value)
      case .objectPaths(let value): try append(objectPaths: value)
      case .stringDictionary(let value): try append(value)
      case .other: throw .invalidArgument("A value of a foreign type")
      }
    }
  }

  /// A structure whose members have the types `contents`, which `body` appends.
  package func appendStructure(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
    try container(BusType.structure, contents, body)
  }

  /// An array whose elements have the type `contents`, each of which `body` appends.
  package func appendArray(of contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
    try container(BusType.array, contents, body)
  }

  private func container(
    _ type: CChar, _ contents: String, _ body: () throws(BusError) -> Void
  ) throws(BusError) {
    try check("A container", sd_bus_message_open_container(pointer, type, contents))
    try body()
    try check("A container", sd_bus_message_close_container(pointer))
  }

  private func appendText(_ type: CChar, _ text: String, _ what: String) throws(BusError) {
    // C ends the text at a zero character, so a different text would be sent.
    guard !text.utf8.contains(0) else { throw .invalidArgument("\(what) with a zero character") }
    try check(what, sd_bus_message_append_basic(pointer, type, text))
  }

  private func appendBasic<Value: BitwiseCopyable>(_ type: CChar, _ value: Value) throws(BusError) {
    try check("A number", withUnsafePointer(to: value) { sd_bus_message_append_basic(pointer, type, $0) })
  }

  private func check(_ what: String, _ result: Int32) throws(BusError) {
    guard result >= 0 else { throw .writing(what, result) }
  }
}

/// The value of a D-Bus variant, for the types that are used here.
package enum BusValue: Sendable, Equatable {
  case boolean(Bool)
  case byte(UInt8)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case bytes([UInt8])
  case strings([String])
  case objectPaths([String])
  case stringDictionary([String: String])
  /// A value of another type, which was skipped. It cannot be sent.
  case other(signature: String)

  /// The D-Bus signature of the value.
  package var signature: String {
    switch self {
    case .boolean: "b"
    case .byte: "y"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .bytes: "ay"
    case .strings: "as"
    case .objectPaths: "ao"
    case .stringDictionary: "a{ss}"
    case .other(let signature): signature
    }
  }
}
