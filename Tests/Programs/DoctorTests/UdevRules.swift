import Foundation

/// A udev rules file, parsed strictly by udev(7).
struct UdevRules {
  struct Entry: Equatable {
    let key: String
    /// The text in braces after the key.
    let attribute: String?
    let operation: String
    let value: String

    var isMatch: Bool { operation == "==" || operation == "!=" }
  }

  struct Defect: Error, CustomStringConvertible {
    let line: Int
    let description: String
  }

  /// The entries of each rule, with the number of its first line.
  let rules: [(line: Int, entries: [Entry])]

  init(_ text: String) throws {
    var rules: [(line: Int, entries: [Entry])] = []
    var pending: (line: Int, text: String)?
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if pending == nil, trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
      let begun = (line: pending?.line ?? index + 1, text: (pending?.text ?? "") + trimmed)
      if begun.text.hasSuffix("\\") {
        pending = (begun.line, String(begun.text.dropLast()))
      } else {
        pending = nil
        rules.append((begun.line, try Self.entries(begun.text, line: begun.line)))
      }
    }
    if let pending { throw Defect(line: pending.line, description: "the last line is continued") }
    self.rules = rules
    try checkJumps()
  }

  /// The values assigned to a key, with the matches of the rule.
  func assignments(_ key: String) -> [(value: String, matches: [Entry])] {
    rules.flatMap { rule in
      rule.entries.filter { $0.key == key && !$0.isMatch }.map { ($0.value, rule.entries.filter(\.isMatch)) }
    }
  }

  private static func entries(_ text: String, line: Int) throws -> [Entry] {
    // No possessive quantifiers: a value ends at the first quotation mark that is not escaped.
    let entry = #/([A-Z]+)(?:\{([^}"]+)\})?\s*(==|!=|\+=|-=|:=|=)\s*"((?:[^"\\]|\\.)*)"/#
    var rest = text[...]
    var entries: [Entry] = []
    while !rest.isEmpty {
      guard let match = rest.prefixMatch(of: entry) else {
        throw Defect(line: line, description: "no entry: \(rest.prefix(40))")
      }
      let found = Entry(
        key: String(match.1), attribute: match.2.map(String.init), operation: String(match.3), value: String(match.4))
      if let defect = defect(found) { throw Defect(line: line, description: defect) }
      entries.append(found)
      rest = rest[match.range.upperBound...]
      guard !rest.isEmpty else { break }
      guard let separator = rest.prefixMatch(of: #/\s*,\s*/#), separator.range.upperBound < rest.endIndex else {
        throw Defect(line: line, description: "no comma between entries, or one at the end: \(rest.prefix(40))")
      }
      rest = rest[separator.range.upperBound...]
    }
    return entries
  }

  /// The keys of udev(7), whether they have an attribute in braces, and their operators.
  private static let keys: [String: (braces: Braces, operations: Set<String>)] = {
    let matches: Set = ["==", "!="]
    let sets: Set = ["=", ":="]
    let lists: Set = ["=", "+=", "-=", ":="]
    return [
      "ACTION": (.no, matches), "DEVPATH": (.no, matches), "KERNEL": (.no, matches), "KERNELS": (.no, matches),
      "NAME": (.no, matches.union(sets)), "SYMLINK": (.no, matches.union(lists)), "SUBSYSTEM": (.no, matches),
      "SUBSYSTEMS": (.no, matches), "DRIVER": (.no, matches), "DRIVERS": (.no, matches),
      "ATTR": (.yes, matches.union(["="])), "ATTRS": (.yes, matches), "SYSCTL": (.yes, matches.union(["="])),
      "ENV": (.yes, matches.union(["=", "+="])), "CONST": (.yes, matches), "TAG": (.no, matches.union(lists)),
      "TAGS": (.no, matches), "TEST": (.maybe, matches), "PROGRAM": (.no, matches.union(["="])),
      "RESULT": (.no, matches), "OWNER": (.no, sets), "GROUP": (.no, sets), "MODE": (.no, sets),
      "SECLABEL": (.yes, ["=", "+=", ":="]), "RUN": (.maybe, ["=", "+=", ":="]), "LABEL": (.no, ["="]),
      "GOTO": (.no, ["="]), "IMPORT": (.yes, matches.union(["="])), "OPTIONS": (.no, ["=", "+=", ":="]),
    ]
  }()

  private enum Braces { case no, maybe, yes }

  private static func defect(_ entry: Entry) -> String? {
    guard let (braces, operations) = keys[entry.key] else { return "unknown key: \(entry.key)" }
    if braces == .no, entry.attribute != nil { return "\(entry.key) takes no braces" }
    if braces == .yes, entry.attribute == nil { return "\(entry.key) needs braces" }
    return operations.contains(entry.operation) ? nil : "\(entry.key) takes no \(entry.operation)"
  }

  /// Checks that each GOTO has a LABEL further down, and that each LABEL is unique and used.
  private func checkJumps() throws {
    var waiting: [String: Int] = [:]
    var known: Set<String> = []
    for (line, entries) in rules {
      for entry in entries where entry.key == "LABEL" {
        guard known.insert(entry.value).inserted else {
          throw Defect(line: line, description: "LABEL \(entry.value) occurs twice")
        }
        guard waiting.removeValue(forKey: entry.value) != nil else {
          throw Defect(line: line, description: "no GOTO for LABEL \(entry.value)")
        }
      }
      for entry in entries where entry.key == "GOTO" { waiting[entry.value] = line }
    }
    if let (label, line) = waiting.first { throw Defect(line: line, description: "no LABEL \(label) further down") }
  }
}
