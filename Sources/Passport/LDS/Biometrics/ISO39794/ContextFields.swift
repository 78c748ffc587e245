import SmartCard

/// The fields of a SEQUENCE whose parts have implicit context tags, as all of ISO/IEC 39794 are made; in DER. Fields
/// that are not asked for are ignored, since the standard may be extended.
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
    guard part.value.count == 1 else { throw part.finding(.malformed("is no BOOLEAN")) }
    return part.value.first != 0
  }

  /// A CHOICE of a code, and an extension with a code to fall back on.
  func code(_ number: Int, _ name: String) throws(FileFinding) -> ExtensibleCode? {
    guard let field = values[number] else { return nil }
    let part = element.part(name, field.value)
    // Some parts of the standard write a code that has no extensions without the CHOICE.
    guard field.isConstructed else { return ExtensibleCode(try Self.integer(part), form: .bare) }
    let choice = try ContextFields(part)
    if let code = try choice.integer(0, "code") { return ExtensibleCode(code) }
    guard let fallback = try choice.fields(1, "extension")?.integer(0, "fallback") else {
      throw part.finding(.malformed("has no code that this version knows"))
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

  // MARK: Fields that must be there

  func required<Value>(_ name: String, _ value: Value?) throws(FileFinding) -> Value {
    guard let value else { throw element.finding(name, .missing) }
    return value
  }

  /// Two's complement of at most seven bytes, so that nothing computed with it overflows at once.
  private static func integer(_ part: FileElement) throws(FileFinding) -> Int {
    guard (1...7).contains(part.value.count), let first = part.value.first else {
      throw part.finding(.malformed("is no INTEGER of a size that is used"))
    }
    return part.value.dropFirst().reduce(Int(Int8(bitPattern: first))) { $0 << 8 | Int($1) }
  }
}

/// A structure of ISO/IEC 39794.
protocol ISO39794Block: Sendable, Hashable {
  init(_ fields: ContextFields) throws(FileFinding)
  func write(_ writer: inout ContextWriter)
}

/// A code of one of the standard's enumerations. Later editions may add codes, which come with one that this edition
/// knows.
public struct ExtensibleCode: Sendable, Hashable {
  public enum Form: Sendable, Hashable {
    /// As one of the choices.
    case code
    /// What an extension is to be taken for.
    case fallback
    /// Without a CHOICE around it.
    case bare
  }

  public var number: Int
  public var form: Form

  public init(_ number: Int, form: Form = .code) {
    self.number = number
    self.form = form
  }
}
