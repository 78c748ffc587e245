/// The members of a JSON object in the order in which they came. Two names are the same where their UTF-8 is.
public struct JSONObject: Sendable {
  public struct Member: Sendable {
    public let name: String
    public fileprivate(set) var value: JSONValue
  }

  public private(set) var members: [Member] = []
  /// Where the members are; none for a few, which are found as fast without it.
  private var places: [UTF8Text: Int] = [:]
  private static let few = 16

  public init() {}

  /// In the order of the names, since the dictionary has none.
  public init(_ members: [String: JSONValue]) {
    for name in members.keys.map(UTF8Text.init).sorted() { self[name.string] = members[name.string] }
  }

  public var count: Int { members.count }
  public var isEmpty: Bool { members.isEmpty }
  public var names: [String] { members.map(\.name) }

  /// Setting the value of a name that is there leaves it in its place (ECMA-262, 10.1.9); a new one is the last.
  public subscript(name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      switch (place(of: name), newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): remove(place)
      case (nil, let value?): append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  private func place(of name: String) -> Int? {
    members.count > Self.few ? places[UTF8Text(name)] : members.firstIndex { $0.name.hasBytes(of: name) }
  }

  private mutating func append(_ member: Member) {
    members.append(member)
    if members.count == Self.few + 1 {
      index()
    } else if members.count > Self.few {
      places[UTF8Text(member.name)] = members.count - 1
    }
  }

  private mutating func remove(_ place: Int) {
    members.remove(at: place)
    index()
  }

  private mutating func index() {
    places = [:]
    guard members.count > Self.few else { return }
    for (place, member) in members.enumerated() { places[UTF8Text(member.name)] = place }
  }
}

extension JSONObject: Equatable {
  /// The order means nothing here (RFC 8259, 1).
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// The last of several members of one name counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}
