import TesseraBridge
import TesseraCommandLine
import TesseraCore
import TesseraDoctor
import TesseraDurableFiles
import TesseraKeys
import TesseraKiosk

/// What `tessera kiosk` does without a window: a compositor does not hand on the status of its program, so a unit asks
/// before it starts one.
struct KioskCheck {
  let options: KioskOptions

  /// - Returns: the exit status; nil if the options ask for a window.
  func status() -> Int32? {
    let output = ResultOutput(isJSON: false)
    do {
      if let tag = options.words {
        try StandardOutput.write(PageWords.themeFragment(tag))
        return 0
      }
      guard options.check else { return nil }
      let settings = try options.guestBook { output.note($0) }
      try settings.requirePlace()
      _ = try options.content(hasResults: settings.hasEffect)
      _ = try options.card.router(in: SdkProviderRegistry())
      for note in try options.themeNotes(settings) + settings.resultsOfOthers() + obstacles { output.note(note) }
      output.note("The kiosk can be started.")
      return 0
    } catch {
      let failure = Failure(error)
      output.note(failure.description)
      // What may pass by itself, such as a service that does not run yet, is no reason not to start.
      return failure.kind.exitStatus == FailureKind.usage.exitStatus ? failure.kind.exitStatus : 0
    }
  }

  /// What is in the way now and may pass: what the log of a kiosk that starts now says, in its words.
  private var obstacles: [String] {
    var sentences: [String] = []
    if options.results != nil, let store = options.store, let error = KeyStores.obstacle(store) {
      sentences.append("Results cannot be signed now: \(Failure(error).description)")
    }
    if let path = options.metrics, case let code = Failure.obstacle(path), code != 0 {
      sentences.append("The metrics are not written: \(Failure.unwritable(path, code).description)")
    }
    return sentences
  }
}

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
