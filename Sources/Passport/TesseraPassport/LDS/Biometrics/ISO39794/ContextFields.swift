import TesseraSmartCard

/// The fields of a DER SEQUENCE with implicit context tags, the structure used throughout ISO/IEC 39794. Unknown fields
/// are ignored, since the standard is extensible.
struct ContextFields {
  let element: FileElement
  private let values: [Int: (isConstructed: Bool, value: ArraySlice<UInt8>)]

  init(_ element: FileElement) throws(FileFinding) {
    var values: [Int: (isConstructed: Bool, value: ArraySlice<UInt8>)] = [:]
    for object in try element.parts(skippingFiller: false).objects {
      // Context-specific, with a number below 31.
      guard object.tag <= 0xFF, object.tag & 0xC0 == 0x80 else { continue }
      let number = Int(object.tag & 0x1F)
      guard values.updateValue((object.tag & 0x20 != 0, object.value), forKey: number) == nil else {
        throw element.finding("field \(number)", .repeated)
      }
    }
    self.element = element
    self.values = values
  }

  // MARK: Optional fields

  func part(_ number: Int, _ name: String) -> FileElement? {
    values[number].map { element.part(name, $0.value) }
  }

  func bytes(_ number: Int, _ name: String) -> [UInt8]? { values[number].map { Array($0.value) } }

  func integer(_ number: Int, _ name: String) throws(FileFinding) -> Int? {
    guard let part = part(number, name) else { return nil }
    return try Self.integer(part)
  }

  func boolean(_ number: Int, _ name: String) throws(FileFinding) -> Bool? {
    guard let part = part(number, name) else { return nil }
    guard part.value.count == 1 else { throw part.finding(.malformed("is not a BOOLEAN")) }
    return part.value.first != 0
  }

  /// A CHOICE of a code, or an extension with a fallback code.
  func code(_ number: Int, _ name: String) throws(FileFinding) -> ExtensibleCode? {
    guard let field = values[number] else { return nil }
    let part = element.part(name, field.value)
    // Some parts of the standard encode a code that has no extensions without the CHOICE.
    guard field.isConstructed else { return ExtensibleCode(try Self.integer(part), form: .bare) }
    let choice = try ContextFields(part)
    if let code = try choice.integer(0, "code") { return ExtensibleCode(code) }
    guard let fallback = try choice.fields(1, "extension")?.integer(0, "fallback") else {
      throw part.finding(.malformed("has no known code"))
    }
    return ExtensibleCode(fallback, form: .fallback)
  }

  func fields(_ number: Int, _ name: String) throws(FileFinding) -> ContextFields? {
    guard let part = part(number, name) else { return nil }
    return try ContextFields(part)
  }

  func block<Block: ISO39794Block>(
    _ number: Int, _ name: String, as type: Block.Type = Block.self
  ) throws(FileFinding) -> Block? {
    guard let fields = try fields(number, name) else { return nil }
    return try Block(fields)
  }

  /// A SEQUENCE OF blocks.
  func blocks<Block: ISO39794Block>(
    _ number: Int, _ name: String, as type: Block.Type = Block.self
  ) throws(FileFinding) -> [Block]? {
    guard let elements = try list(number, name) else { return nil }
    var blocks: [Block] = []
    for element in elements { blocks.append(try Block(try ContextFields(element))) }
    return blocks
  }

  /// The elements of a SEQUENCE OF, numbered from 1.
  func list(_ number: Int, _ name: String) throws(FileFinding) -> [FileElement]? {
    guard let part = part(number, name) else { return nil }
    return try part.parts(skippingFiller: false).objects.enumerated().map {
      element.part("\(name) \($0 + 1)", $1.value)
    }
  }

  // MARK: Required fields

  func required<Value>(_ name: String, _ value: Value?) throws(FileFinding) -> Value {
    guard let value else { throw element.finding(name, .missing) }
    return value
  }

  /// Two's complement of at most seven bytes, so that simple arithmetic with it does not overflow.
  private static func integer(_ part: FileElement) throws(FileFinding) -> Int {
    guard (1...7).contains(part.value.count), let first = part.value.first else {
      throw part.finding(.malformed("is not an INTEGER of one to seven bytes"))
    }
    return part.value.dropFirst().reduce(Int(Int8(bitPattern: first))) { $0 << 8 | Int($1) }
  }
}

/// A structure of ISO/IEC 39794.
protocol ISO39794Block: Sendable, Hashable {
  init(_ fields: ContextFields) throws(FileFinding)
  func write(_ writer: inout ContextWriter)
}

/// A code of one of the standard's enumerations. Later editions may add codes, each with a fallback code that this
/// edition defines.
public struct ExtensibleCode: Sendable, Hashable {
  public enum Form: Sendable, Hashable {
    /// A regular code of the CHOICE.
    case code
    /// The fallback code of an extension.
    case fallback
    /// A code without the surrounding CHOICE.
    case bare
  }

  public var number: Int
  public var form: Form

  package init(_ number: Int, form: Form = .code) {
    self.number = number
    self.form = form
  }
}
