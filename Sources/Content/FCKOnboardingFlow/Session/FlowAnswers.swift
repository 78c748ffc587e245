public import TesseraJSON

/// The answers of a person, in the order of the document. Each has another key (the dossier, section 2.5).
public struct FlowAnswers: Sendable, Equatable {
  public struct Answer: Sendable, Equatable {
    public let key: String
    public let value: String
  }

  public private(set) var all: [Answer] = []
  /// The keys of answers that the person took back: a text that is empty again, a number or date that is none any more, or a
  /// choice without an option. None of them is in `all`.
  public private(set) var withdrawn: [String] = []

  public init() {}

  public var isEmpty: Bool { all.isEmpty }

  public subscript(key: String) -> String? { all.first { $0.key.hasBytes(of: key) }?.value }

  /// The answers as the requests carry them.
  public var json: JSONObject {
    var members = JSONObject()
    for answer in all { members[answer.key] = .string(answer.value) }
    return members
  }

  /// Adds an answer at the end, with a key that is not there yet.
  package mutating func append(_ key: String, _ value: String) { all.append(Answer(key: key, value: value)) }

  /// Notes that the person took an answer back. Its key is not there yet.
  mutating func withdraw(_ key: String) { withdrawn.append(key) }
}
