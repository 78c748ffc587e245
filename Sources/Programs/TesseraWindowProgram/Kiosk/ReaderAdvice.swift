import TesseraCommandLine
import TesseraDoctor

/// What the operator of a kiosk without a reader can do: what `tessera doctor` finds.
enum ReaderAdvice {
  /// - Parameter options: the reader that the operator named.
  static func text(_ options: CardOptions) async -> String? {
    let findings = await Doctor.findings().filter { $0.id.hasPrefix("pcsc") || $0.id.hasPrefix("reader") }
    let wrong = findings.filter { $0.status == .problem } + findings.filter { $0.status == .information }
    if let finding = wrong.first {
      return [finding.cause, finding.remedy, finding.command.map { "Run: \($0)" }].compactMap(\.self)
        .joined(separator: " ")
    }
    guard let name = options.reader ?? options.nfc else { return "`tessera doctor` says more." }
    return "None of those that are connected is “\(name)”, which the options name. `tessera readers` lists them."
  }
}
