import ArgumentParser
import FoundationEssentials
import TesseraBridge
import TesseraCommandLine
import TesseraCore
import TesseraKiosk
import TesseraThreads
import TesseraVerification
import TesseraWindow

struct KioskCommand: ParsableCommand, WindowCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.kiosk.name, abstract: SiblingCommand.kiosk.abstract,
    discussion: KioskOptions.discussion)

  @OptionGroup var options: KioskOptions

  func show() -> Int32 {
    if let status = KioskCheck(options: options).status() { return status }
    return MainActor.assumeIsolated {
      MainLoop.run { await KioskShowing(options: options).run() } ?? FailureKind.internalError.exitStatus
    }
  }
}

/// One guest after the other.
@MainActor
struct KioskShowing {
  let options: KioskOptions
  /// How often in a row the page failed, once that ends the kiosk.
  private let lastFailures = Locked<Int?>(nil)

  /// A page that ends its launch sooner than this waits before the next one.
  private static let shortLaunch = Duration.seconds(2)
  /// The end does not wait longer for the metrics.
  private static let lastFigures = Duration.seconds(2)

  /// - Returns: the exit status.
  func run() async -> Int32 {
    let output = ResultOutput(isJSON: false)
    do {
      let registry = SdkProviderRegistry()
      var settings = try options.guestBook { output.note($0) }
      let metrics = options.metrics.map { path in KioskMetrics(path: path, registry: registry) { output.note($0) } }
      settings.metrics = metrics
      for note in try options.themeNotes(settings) { output.note(note) }
      let book = try GuestBook(settings) { output.note($0) }
      let sdk = try configured(book, settings, registry)
      if let absence = WebSandbox.absence { output.note(absence) }
      let imported = settings.clock == nil ? nil : ImportedDates()
      if let imported { Task { await Self.look(at: book, imported, output) } }
      metrics?.collect { [weak book] in await Self.gauges(book, imported) }
      let counting = Task { await metrics?.run() }
      // A key that does not answer must not keep the screen black.
      if let (_, signer) = settings.destination { Task { await prepare(signer, output) } }
      let recording = Task { await book.run() }
      let showing = Task { @MainActor in await show(sdk, output) }
      let watching = Task { await watchReader(registry, metrics, output) }
      let signal = EndingSignal { showing.cancel() }
      let status = await showing.value
      watching.cancel()
      recording.cancel()
      await book.finish()
      counting.cancel()
      _ = try? await withTimeLimit(Self.lastFigures) {
        await counting.value
        await metrics?.write()
      }
      return signal.number.map { 128 + $0 } ?? status
    } catch {
      return output.show(Failure(error))
    }
  }

  /// With the lists that were imported, of which there may be so many that the screen would wait for them. What is wrong
  /// with them, the scan says.
  private static func look(at book: GuestBook, _ imported: ImportedDates, _ output: ResultOutput) async {
    guard let dates = await imported.current() else { return }
    book.compareClock(with: dates)
    if dates.countrySigners == 0 {
      output.note(
        "No certificates of countries are imported, so no document can be genuine. Import them as the user of the kiosk: "
          + "tessera trust import LIST --root CERTIFICATE")
    }
  }

  /// The figures of the metrics that are found out when they are written.
  ///
  /// - Parameter imported: nil if documents are those of the virtual chip.
  private nonisolated static func gauges(
    _ book: GuestBook?, _ imported: ImportedDates?
  ) async -> [(name: String, value: Double)] {
    guard let book else { return [] }
    guard let imported else { return await book.gauges() }
    let dates = await imported.current()
    if let dates { book.compareClock(with: dates) }
    return TrustDates.gauges(dates) + (await book.gauges())
  }

  private func watchReader(_ registry: SdkProviderRegistry, _ metrics: KioskMetrics?, _ output: ResultOutput) async {
    guard options.card.virtualProfile == nil, let states = registry.providers.nfc?.readerStates() else { return }
    let card = options.card
    await ReaderWatch.follow(
      states, advice: { await ReaderAdvice.text(card) }, count: { metrics?.hasReaders($0) }, log: { output.note($0) })
  }

  /// A key that does not answer now may answer later: no guest is sent away for that.
  private func prepare(_ signer: ResultSigner, _ output: ResultOutput) async {
    do {
      _ = try await signer.prepare()
    } catch {
      output.note("Results cannot be signed now: \(Failure(error).description)")
    }
  }

  /// - Returns: the exit status, when a launch has failed or the task was cancelled.
  private func show(_ sdk: SelfSdk, _ output: ResultOutput) async -> Int32 {
    let backoff = Backoff(longest: .seconds(30))
    var shortLaunches = 0
    while !Task.isCancelled {
      let start = ContinuousClock.now
      do {
        _ = try await sdk.launch(nil, mode: .selfApp)
      } catch {
        // The other end is that of a page that ended itself, or by the signal.
        if case .failed(let problem) = error {
          // The log has the last failure already.
          if let count = lastFailures.withLock({ $0 }) {
            output.note("The page failed \(Self.inARow(count)) (--failures): the kiosk ends with status 3.")
            return FailureKind.serviceUnavailable.exitStatus
          }
          let status = output.show(problem)
          if problem.source == .host { return status }
        }
      }
      shortLaunches = ContinuousClock.now - start < Self.shortLaunch ? shortLaunches + 1 : 0
      guard shortLaunches < options.failures else {
        output.note(
          "The page ended itself at once, \(Self.inARow(shortLaunches)) (--failures): the kiosk ends with status 3.")
        return FailureKind.serviceUnavailable.exitStatus
      }
      if shortLaunches > 0 { try? await Task.sleep(for: backoff.delay(after: shortLaunches)) }
    }
    return 0
  }

  private static func inARow(_ count: Int) -> String { count == 1 ? "once" : "\(count) times in a row" }

  private func configured(
    _ book: GuestBook, _ settings: GuestBook.Settings, _ registry: SdkProviderRegistry
  ) throws -> SelfSdk {
    let output = ResultOutput(isJSON: false)
    let content = try options.content(hasResults: settings.hasEffect)
    var configuration = LaunchConfiguration(content: .bundled(content))
    configuration.isKiosk = true
    configuration.onWaiting = { output.note($0) }
    let status = book.status
    configuration.unattended = UnattendedKiosk(
      restarts: RestartPolicy(mostFailures: options.failures), events: { status.events() },
      notice: KioskNotice(try options.kioskTheme(), ProcessInfo.processInfo.environment), log: { output.note($0) })
    configuration.unattended?.logsPage = options.page != nil
    configuration.unattended?.onGiveUp = { [lastFailures] count in lastFailures.withLock { $0 = count } }
    if let metrics = settings.metrics { configuration.unattended?.onRestart = { metrics.restartedPage($0) } }
    let router = try options.card.router(in: registry)
    registry.register { providers in
      providers.nfc = providers.nfc.map { nfc in RecordingNfcProvider(nfc) { await book.record($0) } }
      // No result is kept of a seal, so no page offers one beside results.
      if settings.hasEffect { providers.cameraSeal = nil }
      if let metrics = settings.metrics {
        providers.cameraSeal = providers.cameraSeal.map { CountingSealProvider($0, metrics) }
      }
      if let (_, signer) = settings.destination {
        providers.crypto = providers.crypto.map { ReservedKeyCryptoProvider($0, reserved: signer.name) }
      }
    }
    return SelfSdk(configuration, registry, router)
  }
}
