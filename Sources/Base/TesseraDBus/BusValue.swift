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
