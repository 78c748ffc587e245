/// The members of a JSON object in their order. Names are equal if their UTF-8 is equal.
public struct JSONObject: Sendable {
  public struct Member: Sendable {
    public let name: String
    public fileprivate(set) var value: JSONValue
  }

  public private(set) var members: [Member] = []
  /// The indices of the members; empty for few members, if a linear search is as fast.
  private var indices: [UTF8Text: Int] = [:]
  private static let indexThreshold = 16

  public init() {}

  /// The members of the dictionary, sorted by name.
  public init(_ members: [String: JSONValue]) {
    for name in members.keys.map(UTF8Text.init).sorted() { self[name.string] = members[name.string] }
  }

  public var count: Int { members.count }
  public var isEmpty: Bool { members.isEmpty }
  public var names: [String] { members.map(\.name) }

  /// The value of a name. Setting an existing name keeps its position (ECMA-262, 10.1.9); a new name is added at the
  /// end.
  public subscript(name: String) -> JSONValue? {
    get { index(of: name).map { members[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): remove(at: index)
      case (nil, let value?): append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  private func index(of name: String) -> Int? {
    members.count > Self.indexThreshold ? indices[UTF8Text(name)] : members.firstIndex { $0.name.hasBytes(of: name) }
  }

  private mutating func append(_ member: Member) {
    members.append(member)
    if members.count == Self.indexThreshold + 1 {
      rebuildIndices()
    } else if members.count > Self.indexThreshold {
      indices[UTF8Text(member.name)] = members.count - 1
    }
  }

  private mutating func remove(at index: Int) {
    members.remove(at: index)
    rebuildIndices()
  }

  private mutating func rebuildIndices() {
    indices = [:]
    guard members.count > Self.indexThreshold else { return }
    for (index, member) in members.enumerated() { indices[UTF8Text(member.name)] = index }
  }
}

extension JSONObject: Equatable {
  /// Ignores the order of the members (RFC 8259, 1).
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Of several members with one name, the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}

/// A text that is compared by its UTF-8. `String` compares by canonical equivalence, which takes quadratic time for
/// long runs of combining marks; text from content must not cause that.
package struct UTF8Text: Sendable, Hashable, Comparable {
  package let string: String

  package init(_ string: String) { self.string = string }

  package static func == (left: UTF8Text, right: UTF8Text) -> Bool {
    left.string.utf8.count == right.string.utf8.count && left.string.utf8.elementsEqual(right.string.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Compares by bytes, which is also the order of the code points.
  package static func < (left: UTF8Text, right: UTF8Text) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }
}

extension String {
  /// Whether the texts have equal UTF-8.
  package func hasBytes(of other: String) -> Bool { UTF8Text(self) == UTF8Text(other) }
}
