package import TesseraJSON

/// What a server asks for (Passage.md, rule 6).
package struct AutomationCommand: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    /// `address` is nil if the server named none. The success addresses replace those of the session.
    case navigate(address: String?, successURLs: [SuccessURL])
    /// `script` is nil if the server sent none.
    case script(ScriptKind, script: String?)
    case done(DoneArguments)
    case unknown(type: String)
  }

  /// The types of commands that run a script. They differ in their limit, and in how results come.
  package enum ScriptKind: String, Sendable, CaseIterable {
    case click, input, wait, injectScript
  }

  package var id: String
  package var action: Action
  /// The domains whose cookies this command's result has; nil for those of the session.
  package var cookieDomains: [String]?
  package var userActionRequired: Bool?

  /// In bytes.
  private static let longestId = 256
  private static let mostSuccessURLs = 32

  /// - Returns: nil without an identifier or a type: the command is dropped.
  package init?(_ value: JSONValue) {
    guard let id = value["id"]?.stringValue, 1...Self.longestId ~= id.utf8.count,
      let type = value["type"]?.stringValue, !type.isEmpty
    else { return nil }
    self.id = id
    cookieDomains = value["cookieDomains"]?.texts
    userActionRequired = value["userActionRequired"]?.boolValue
    let arguments = value["args"]
    guard type.utf8.count <= 64 else {
      action = .unknown(type: type.shortened(to: 64))
      return
    }
    switch type {
    case "navigate":
      action = .navigate(
        address: arguments?["url"]?.stringValue, successURLs: Self.successURLs(arguments?["successUrls"]))
    case "done": action = .done(DoneArguments(arguments))
    default:
      let script = value["injectScript"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
      action =
        ScriptKind.allCases.first { $0.rawValue.hasBytes(of: type) }.map { .script($0, script: script) }
        ?? .unknown(type: type.shortened(to: 64))
    }
  }

  /// Patterns that are malformed are left out.
  private static func successURLs(_ value: JSONValue?) -> [SuccessURL] {
    (value?.objects ?? []).prefix(mostSuccessURLs).compactMap { members in
      guard let glob = members["urlPattern"]?.stringValue.flatMap({ URLGlob($0) }),
        let moment = members["navigationType"]?.name.flatMap(SuccessURL.Moment.init)
      else { return nil }
      return SuccessURL(glob: glob, moment: moment)
    }
  }
}

/// What a server says when it is done.
package struct DoneArguments: Sendable, Equatable {
  package var isSuccess: Bool
  /// `data` as it came.
  package var data: JSONValue?

  init(_ arguments: JSONValue?) {
    isSuccess = arguments?["success"]?.boolValue ?? true
    data = arguments?["data"]?.ifPresent
  }

  package var connectionId: String? { data?["connectionId"]?.stringValue }
  package var error: String? { data?["error"]?.stringValue }

  /// A list, or a list in an object of the same name; nil if there is none.
  package var history: [PassageHistoryItem]? {
    guard let history = data?["history"], let list = history.arrayValue ?? history["history"]?.arrayValue else {
      return nil
    }
    return list.compactMap(PassageHistoryItem.init)
  }
}

extension AutomationCommand.ScriptKind {
  /// The longest script, in bytes.
  static let longestScript = 1 << 20

  /// How long the command may take until its script has a result (Passage.md, rule 12).
  var timeLimit: Duration { self == .wait ? .seconds(60) : .seconds(30) }

  /// How the result of the script comes: as a message if the script sends messages and is one that goes on after its
  /// end, otherwise as its value.
  func mode(of script: String) -> ScriptRun.Mode {
    guard script.hasBytes(containing: "passage.postMessage") else { return .value }
    return self == .wait || Self.isAsynchronous(script) ? .message : .value
  }

  /// Whether the text has an async function: the word `async` before `function`, a parenthesis or a parameter.
  private static func isAsynchronous(_ script: String) -> Bool {
    let bytes = Array(script.utf8)
    let word = Array("async".utf8)
    func isNameByte(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        || Unicode.Scalar(byte).properties.isAlphabetic || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
    var index = 0
    while index + word.count < bytes.count {
      defer { index += 1 }
      guard bytes[index] == word[0], bytes[index..<(index + word.count)].elementsEqual(word),
        index == 0 || !isNameByte(bytes[index - 1]) && bytes[index - 1] != UInt8(ascii: ".")
      else { continue }
      let rest = bytes[(index + word.count)...]
      let next = rest.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      if next == UInt8(ascii: "(") { return true }
      // `async function`, `async x => …`, `async name() {…}`.
      if let first = rest.first, !isNameByte(first), let next, isNameByte(next) || next == UInt8(ascii: "*") {
        return true
      }
    }
    return false
  }
}
