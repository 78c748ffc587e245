/// The machine of a run, without its name.
package struct MeasuredMachine: Sendable, Equatable {
  package let processor: String
  /// What the system counts: two threads of a core are two.
  package let processorCount: Int
  package let kernel: String
  package let distribution: String

  /// - Parameters:
  ///   - cpuInfo: The content of `/proc/cpuinfo`. Some architectures have no line "model name".
  ///   - osRelease: The content of `/etc/os-release` (os-release(5)).
  ///   - kernel: The content of `/proc/sys/kernel/osrelease`.
  package init(cpuInfo: String, osRelease: String, kernel: String, processorCount: Int) {
    processor = Self.value(of: "model name", separator: ":", in: cpuInfo) ?? "unknown processor"
    distribution = Self.value(of: "PRETTY_NAME", separator: "=", in: osRelease) ?? "unknown distribution"
    let release = Self.trimmed(kernel[...])
    self.kernel = release.isEmpty ? "unknown kernel" : "Linux \(release)"
    self.processorCount = processorCount
  }

  package var text: String {
    let count = processorCount == 1 ? "1 processor" : "\(processorCount) processors"
    return "\(processor), \(count), \(kernel), \(distribution)"
  }

  /// The value of the first line with this name, without quotes.
  private static func value(of name: String, separator: Character, in text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: separator, maxSplits: 1)
      guard parts.count == 2, trimmed(parts[0]) == name else { continue }
      let value = trimmed(parts[1])
      if !value.isEmpty { return value }
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    func isFrame(_ character: Character) -> Bool { character.isWhitespace || character == "\"" || character == "'" }
    var rest = text
    while let first = rest.first, isFrame(first) { rest.removeFirst() }
    while let last = rest.last, isFrame(last) { rest.removeLast() }
    return String(rest)
  }
}
