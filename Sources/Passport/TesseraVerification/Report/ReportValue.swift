import TesseraJSON

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Report {
  /// The report as JSON: what a parser makes of `json()`.
  package func value() throws -> JSONValue {
    let node = Node()
    try encodeWithSentences(to: node)
    return node.value
  }
}

/// One value that is being encoded. Members are sorted by their names, and dates are texts of ISO 8601.
private final class Node: Encoder {
  private enum Content {
    case value(JSONValue)
    case elements([Node])
    case members([String: Node])
  }

  private var content = Content.value(.null)
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  var value: JSONValue {
    switch content {
    case .value(let value): value
    case .elements(let nodes): .array(nodes.map(\.value))
    case .members(let nodes): .object(JSONObject(nodes.mapValues(\.value)))
    }
  }

  func set(_ value: some Encodable) throws {
    switch value {
    case let text as String: content = .value(.string(text))
    case let flag as Bool: content = .value(.bool(flag))
    case let number as any BinaryInteger: content = .value(.integer(Int64(clamping: number)))
    case let number as any BinaryFloatingPoint:
      content = .value(JSONNumber(Double(number)).map(JSONValue.number) ?? .null)
    case let date as Date: content = .value(.string(date.formatted(.iso8601)))
    // `json()` encodes these in its own way.
    case is Data, is URL:
      throw EncodingError.invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: "no JSON value"))
    default: try value.encode(to: self)
    }
  }

  func setNull() { content = .value(.null) }

  func member(_ key: any CodingKey) -> Node {
    let node = Node()
    if case .members(var nodes) = content {
      nodes[key.stringValue] = node
      content = .members(nodes)
    } else {
      content = .members([key.stringValue: node])
    }
    return node
  }

  var count: Int { if case .elements(let nodes) = content { nodes.count } else { 0 } }

  func element() -> Node {
    let node = Node()
    if case .elements(let nodes) = content { content = .elements(nodes + [node]) } else { content = .elements([node]) }
    return node
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // A second one adds members.
    if case .members = content {} else { content = .members([:]) }
    return KeyedEncodingContainer(Members(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    content = .elements([])
    return Elements(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: self) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node
  var codingPath: [any CodingKey] { node.codingPath }

  func encodeNil(forKey key: Key) { node.member(key).setNull() }
  func encode(_ value: some Encodable, forKey key: Key) throws { try node.member(key).set(value) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    node.member(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.member(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { node }
  func superEncoder(forKey key: Key) -> any Encoder { node.member(key) }
}

private struct Elements: UnkeyedEncodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int { node.count }

  func encodeNil() { node.element().setNull() }
  func encode(_ value: some Encodable) throws { try node.element().set(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    node.element().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.element().unkeyedContainer() }
  func superEncoder() -> any Encoder { node.element() }
}

private struct Single: SingleValueEncodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { node.codingPath }

  func encodeNil() { node.setNull() }
  func encode(_ value: some Encodable) throws { try node.set(value) }
}
