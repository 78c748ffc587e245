internal import CTesseraSystemd

// The contents come from another process. The library checks lengths, alignment, UTF-8 and paths; the functions here
// check the types by reading the expected ones.
extension BusMessage {
  package func readString() throws(BusError) -> String { try readText(BusType.string, "a string") }
  package func readObjectPath() throws(BusError) -> String { try readText(BusType.objectPath, "an object path") }
  package func readBool() throws(BusError) -> Bool { try readBasic(BusType.boolean, Int32(0), "a boolean") != 0 }
  package func readByte() throws(BusError) -> UInt8 { try readBasic(BusType.byte, 0, "a byte") }
  package func readInt16() throws(BusError) -> Int16 { try readBasic(BusType.code("n"), 0, "a number") }
  package func readUInt16() throws(BusError) -> UInt16 { try readBasic(BusType.code("q"), 0, "a number") }
  package func readInt32() throws(BusError) -> Int32 { try readBasic(BusType.code("i"), 0, "a number") }
  package func readUInt32() throws(BusError) -> UInt32 { try readBasic(BusType.code("u"), 0, "a number") }
  package func readInt64() throws(BusError) -> Int64 { try readBasic(BusType.code("x"), 0, "a number") }
  package func readUInt64() throws(BusError) -> UInt64 { try readBasic(BusType.code("t"), 0, "a number") }
  package func readDouble() throws(BusError) -> Double { try readBasic(BusType.code("d"), 0, "a number") }

  /// Reads an array of bytes (`ay`) in place: for bytes that must not be copied.
  package func readBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(BusError) -> Result {
    var start: UnsafeRawPointer?
    var count = 0
    let result = sd_bus_message_read_array(pointer, BusType.byte, &start, &count)
    guard result >= 0 else { throw .reading("a byte array", result) }
    // Zero is the end of the surrounding array, not an empty array.
    guard result > 0 else { throw .malformed("a byte array") }
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  package func readBytes() throws(BusError) -> [UInt8] { try readBytes { Array($0) } }

  /// Reads an array (`a` and `contents`); `body` reads one element.
  package func readArray<Element>(
    of contents: String, _ body: () throws(BusError) -> Element
  ) throws(BusError) -> [Element] {
    try container(BusType.array, contents, "an array") { () throws(BusError) -> [Element] in
      var elements: [Element] = []
      while try !isAtEnd() { elements.append(try body()) }
      return elements
    }
  }

  package func readStrings() throws(BusError) -> [String] {
    try readArray(of: "s") { () throws(BusError) in try readString() }
  }

  package func readObjectPaths() throws(BusError) -> [String] {
    try readArray(of: "o") { () throws(BusError) in try readObjectPath() }
  }

  /// Reads a structure whose members have the types `contents`; `body` reads all of them.
  package func readStructure<Result>(
    _ contents: String, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    try container(BusType.structure, contents, "a structure", body)
  }

  /// Reads a dictionary of strings (`a{ss}`). The last value of a repeated key counts.
  package func readStringDictionary() throws(BusError) -> [String: String] {
    try readDictionary(of: "s") { () throws(BusError) in try readString() }
  }

  /// Reads a dictionary of variants (`a{sv}`). The last value of a repeated key counts.
  package func readVariantDictionary() throws(BusError) -> [String: BusValue] {
    try readDictionary(of: "v") { () throws(BusError) in try readVariant() }
  }

  /// Reads a variant of any type.
  package func readVariant() throws(BusError) -> BusValue {
    var type = CChar(0)
    var contents: UnsafePointer<CChar>?
    let result = sd_bus_message_peek_type(pointer, &type, &contents)
    guard result > 0, type == BusType.variant, let contents else { throw .reading("a variant", result) }
    let signature = String(cString: contents)
    return try container(BusType.variant, signature, "a variant") { () throws(BusError) -> BusValue in
      switch signature {
      case "b": return .boolean(try readBool())
      case "y": return .byte(try readByte())
      case "n": return .int16(try readInt16())
      case "q": return .uint16(try readUInt16())
      case "i": return .int32(try readInt32())
      case "u": return .uint32(try readUInt32())
      case "x": return .int64(try readInt64())
      case "t": return .uint64(try readUInt64())
      case "d": return .double(try readDouble())
      case "s": return .string(try readString())
      case "o": return .objectPath(try readObjectPath())
      case "ay": return .bytes(try readBytes())
      case "as": return .strings(try readStrings())
      case "ao": return .objectPaths(try readObjectPaths())
      case "a{ss}": return .stringDictionary(try readStringDictionary())
      default:
        let result = sd_bus_message_skip(pointer, signature)
        guard result >= 0 else { throw .reading("a variant", result) }
        return .other(signature: signature)
      }
    }
  }

  private func readDictionary<Value>(
    of type: String, _ readValue: () throws(BusError) -> Value
  ) throws(BusError) -> [String: Value] {
    let entries = try readArray(of: "{s\(type)}") { () throws(BusError) -> (String, Value) in
      try container(BusType.entry, "s\(type)", "a dictionary entry") { () throws(BusError) -> (String, Value) in
        (try readString(), try readValue())
      }
    }
    return Dictionary(entries) { _, last in last }
  }

  private func container<Result>(
    _ type: CChar, _ contents: String, _ what: String, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    // Zero is the end of the surrounding container.
    let entered = sd_bus_message_enter_container(pointer, type, contents)
    guard entered > 0 else { throw .reading(what, entered) }
    let value = try body()
    let left = sd_bus_message_exit_container(pointer)
    guard left >= 0 else { throw .reading(what, left) }
    return value
  }

  private func isAtEnd() throws(BusError) -> Bool {
    let result = sd_bus_message_at_end(pointer, 0)
    guard result >= 0 else { throw .reading("an array", result) }
    return result > 0
  }

  private func readText(_ type: CChar, _ what: String) throws(BusError) -> String {
    var text: UnsafePointer<CChar>?
    let result = sd_bus_message_read_basic(pointer, type, &text)
    guard result > 0, let text else { throw .reading(what, result) }
    return String(cString: text)
  }

  private func readBasic<Value: BitwiseCopyable>(
    _ type: CChar, _ initial: Value, _ what: String
  ) throws(BusError) -> Value {
    var value = initial
    let result = withUnsafeMutablePointer(to: &value) { sd_bus_message_read_basic(pointer, type, $0) }
    guard result > 0 else { throw .reading(what, result) }
    return value
  }
}
